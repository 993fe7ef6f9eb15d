/**
 * Without TLS there is no ALPN: which version of HTTP a connection speaks is decided by its first
 * bytes (RFC 9113 section 3.3, prior knowledge).
 */

/** RFC 9113 section 3.4. No request of HTTP/1.1 begins so: `PRI` is reserved. */
const PREFACE = Buffer.from('PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n', 'latin1');

/** `undecided`: the bytes so far are the begin of the preface, and of it only. */
export type Spoken = 'http1' | 'http2' | 'undecided';

/** By the first bytes; whole once 24 bytes are there. */
export function versionSpoken(bytes: Uint8Array): Spoken {
  const length = Math.min(bytes.length, PREFACE.length);
  for (let i = 0; i < length; i++) if (bytes[i] !== PREFACE[i]) return 'http1';
  return length === PREFACE.length ? 'http2' : 'undecided';
}
