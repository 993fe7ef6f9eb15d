/** What TLS of the edge is like, whichever certificate is shown. */
import { constants } from 'node:crypto';
import { createSecureContext, type SecureContext } from 'node:tls';

/** ALPN (RFC 7301) in the order of our preference, as it stands in the extension. */
export const ALPN_PROTOCOLS: Uint8Array = Buffer.from('\x02h2\x08http/1.1', 'latin1');

/**
 * Mozilla's "intermediate" list without finite-field Diffie-Hellman, which is slow and asked for by nobody who lacks the others: forward secrecy and AEAD only, so
 * none of RFC 9113 appendix A. The client's order counts: it knows whether it has AES in hardware.
 */
const CIPHERS = [
  'TLS_AES_128_GCM_SHA256',
  'TLS_AES_256_GCM_SHA384',
  'TLS_CHACHA20_POLY1305_SHA256',
  'ECDHE-ECDSA-AES128-GCM-SHA256',
  'ECDHE-RSA-AES128-GCM-SHA256',
  'ECDHE-ECDSA-AES256-GCM-SHA384',
  'ECDHE-RSA-AES256-GCM-SHA384',
  'ECDHE-ECDSA-CHACHA20-POLY1305',
  'ECDHE-RSA-CHACHA20-POLY1305',
].join(':');

/** Sessions of another service in the process, or of another thread that means something else by them, are not ours. */
const SESSION_CONTEXT = 'waypost edge';

/**
 * The context that every connection begins with: versions, ciphers, tickets. It has no certificate; that comes with the server name. `ticketLifetime`: seconds
 * that a session may be resumed.
 */
export function createBaseContext(ticketLifetime: number): SecureContext {
  return createSecureContext({
    minVersion: 'TLSv1.2',
    maxVersion: 'TLSv1.3',
    ciphers: CIPHERS,
    ecdhCurve: 'X25519:prime256v1:secp384r1',
    // RFC 9113 section 9.2.1 forbids renegotiation.
    secureOptions: constants.SSL_OP_NO_RENEGOTIATION,
    sessionIdContext: SESSION_CONTEXT,
    sessionTimeout: ticketLifetime,
  });
}

/** A fatal alert before any key is agreed (RFC 8446 section 6, RFC 6066 section 3): unrecognized_name. Node ends such a connection without a word. */
export const UNRECOGNIZED_NAME: Uint8Array = Uint8Array.of(21, 3, 3, 0, 2, 2, 112);
