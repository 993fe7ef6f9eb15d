/** What TLS of the edge is like over node:tls. */
import { constants } from 'node:crypto';
import { createSecureContext, type SecureContext } from 'node:tls';
import { SIGNATURE_ALGORITHMS } from '../../../core/site/tls/signature-algorithms.ts';
import type { TlsCertificate } from '../tls/certificate.ts';
import { GROUP_LISTS, MAX_CONTEXTS, PROTOCOLS, TLS12_CIPHERS, TLS13_CIPHERS } from '../tls/profile.ts';
import { Recent } from '../tls/recent.ts';

/** ALPN (RFC 7301) as it stands in the extension. */
export const ALPN_PROTOCOLS: Uint8Array = Buffer.concat(
  PROTOCOLS.map((name) => Buffer.from(String.fromCharCode(name.length) + name, 'latin1')),
);

/**
 * The context that every connection begins with: versions and ciphers. It has no certificate; that
 * comes with the server name. It gives no tickets: OpenSSL opens them with this context, before the
 * server name is looked at, so that TLS 1.2 would resume the session of one site under the name of
 * another (RFC 6066 section 3). edge/http/tls, which serves all but unusual clients, resumes.
 */
export function createBaseContext(): SecureContext {
  const options = {
    minVersion: 'TLSv1.2',
    maxVersion: 'TLSv1.3',
    ciphers: `${TLS13_CIPHERS}:${TLS12_CIPHERS}`,
    sigalgs: SIGNATURE_ALGORITHMS,
    // RFC 9113 section 9.2.1 forbids renegotiation.
    secureOptions:
      constants.SSL_OP_NO_RENEGOTIATION |
      constants.SSL_OP_NO_TICKET |
      constants.SSL_OP_CIPHER_SERVER_PREFERENCE |
      constants.SSL_OP_PRIORITIZE_CHACHA,
  } as const;
  const [preferred, classical] = GROUP_LISTS;
  try {
    return createSecureContext({ ...options, ecdhCurve: preferred });
  } catch {
    // This OpenSSL has no X25519MLKEM768.
    return createSecureContext({ ...options, ecdhCurve: classical });
  }
}

/** Connections hold theirs. */
const contexts = new Recent<TlsCertificate, SecureContext>(MAX_CONTEXTS);

/**
 * Made once for a certificate, as long as it is asked for. Throws node's error when it, or its key,
 * cannot be used. `authorities`: PEM of those that certificates of clients are verified with. The
 * signature algorithms come from this context, the rest from the base context.
 */
export function secureContextOf(certificate: TlsCertificate, authorities = ''): SecureContext {
  const { cert, key } = certificate;
  if (authorities === '')
    return contexts.of(certificate, () => createSecureContext({ cert, key, sigalgs: SIGNATURE_ALGORITHMS }));
  const before = verifying.get(certificate);
  if (before?.authorities === authorities) return before.context;
  const options = { cert, key, sigalgs: SIGNATURE_ALGORITHMS, ca: authorities, allowPartialTrustChain: true };
  const context = createSecureContext(options);
  verifying.set(certificate, { authorities, context });
  return context;
}

/** Those that verify certificates of clients. */
const verifying = new WeakMap<TlsCertificate, { readonly authorities: string; readonly context: SecureContext }>();
