/**
 * The header of the PROXY protocol, version 2, in front of a connection or of a datagram (HAProxy's
 * proxy-protocol.txt, section 2.2). Hot: nothing is allocated.
 */
import type { Client } from './client.ts';

export const PROXY_SIGNATURE: Uint8Array = Buffer.from('\r\n\r\n\0\r\nQUIT\n', 'latin1');
export const PROXY_VERSION = 2;
export const PROXY_COMMAND = { LOCAL: 0, PROXY: 1 } as const;
/** Family and transport protocol in a byte: the family is in its upper half. */
export const PROXY_TRANSPORT = { TCP4: 0x11, TCP6: 0x21 } as const;
const FAMILY = { IPV4: 1, IPV6: 2, UNIX: 3 } as const;
/** Bytes before the addresses. */
export const PROXY_FIXED = 16;
const VERSION_AT = 12;
const TRANSPORT_AT = 13;
const LENGTH_AT = 14;
/** Highest transport protocol: none, a stream, datagrams. */
const MAX_PROTOCOL = 2;
/** Bytes of a header. Proxies add fields, such as those about TLS. */
const MAX_BLOCK = 4096;

/** Results of `proxyBlockLength` that are no lengths. */
export const BLOCK = { INCOMPLETE: 0, MALFORMED: -1 } as const;

/**
 * Length of the header at bytes[start], of which bytes up to `end` were received; or BLOCK. Decides
 * after 4,096 bytes at most.
 */
export function proxyBlockLength(bytes: Uint8Array, start: number, end: number): number {
  for (let i = 0; i < PROXY_SIGNATURE.length && start + i < end; i++)
    if (bytes[start + i] !== PROXY_SIGNATURE[i]) return BLOCK.MALFORMED;
  if (end - start < PROXY_FIXED) return BLOCK.INCOMPLETE;
  const version = bytes[start + VERSION_AT];
  const length = PROXY_FIXED + ((bytes[start + LENGTH_AT] << 8) | bytes[start + LENGTH_AT + 1]);
  if (version >> 4 !== PROXY_VERSION || (version & 0x0f) > PROXY_COMMAND.PROXY || length > MAX_BLOCK)
    return BLOCK.MALFORMED;
  const transport = bytes[start + TRANSPORT_AT];
  if (transport >> 4 > FAMILY.UNIX || (transport & 0x0f) > MAX_PROTOCOL) return BLOCK.MALFORMED;
  const size = proxyAddressSize(bytes, start);
  // Both addresses, and both ports.
  if (size > 0 && length < PROXY_FIXED + 2 * size + 4) return BLOCK.MALFORMED;
  return end - start < length ? BLOCK.INCOMPLETE : length;
}

/**
 * Bytes of the client's address in a header, which is at PROXY_FIXED. 0: the header states no
 * client, as in health checks, and the address of the connection counts.
 */
export function proxyAddressSize(bytes: Uint8Array, start: number): number {
  if ((bytes[start + VERSION_AT] & 0x0f) === PROXY_COMMAND.LOCAL) return 0;
  const family = bytes[start + TRANSPORT_AT] >> 4;
  return family === FAMILY.IPV4 ? 4 : family === FAMILY.IPV6 ? 16 : 0;
}

/** Sets `client` to the one that a header states, if it states one. */
export function readProxyClient(bytes: Uint8Array, start: number, client: Client): void {
  const size = proxyAddressSize(bytes, start);
  if (size === 0) return;
  const portAt = start + PROXY_FIXED + 2 * size;
  client.setAddress(bytes, start + PROXY_FIXED, size);
  client.port = (bytes[portAt] << 8) | bytes[portAt + 1];
}
