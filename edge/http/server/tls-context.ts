/** TLS contexts for node:tls. */

import { constants } from 'node:crypto';
import { createSecureContext, type SecureContext } from 'node:tls';
import { RecentMap } from '../../../core/base/recent-map.ts';
import { SIGNATURE_ALGORITHMS } from '../../../core/site/tls/signature-algorithms.ts';
import type { TlsCertificate } from '../tls/certificate.ts';
import { GROUP_LISTS, MAX_CONTEXTS, PROTOCOLS, TLS12_CIPHERS, TLS13_CIPHERS } from '../tls/profile.ts';

/** The protocols of ALPN (RFC 7301), encoded as in the extension. */
export const ALPN_PROTOCOLS: Uint8Array = Buffer.concat(
  PROTOCOLS.map((name) => Buffer.from(String.fromCharCode(name.length) + name, 'latin1')),
);

/**
 * The initial context of every connection: versions and ciphers. The certificate follows with the
 * server name; `certificate` is for clients that send none. There are no tickets: OpenSSL decrypts
 * them with this context, before it processes the server name. TLS 1.2 would then resume the
 * session of one site under the name of another (RFC 6066 section 3). edge/http/tls resumes
 * sessions, and serves all but unusual clients.
 */
export function createBaseContext(certificate?: Pick<TlsCertificate, 'cert' | 'key'>): SecureContext {
  const options = {
    ...(certificate && { cert: certificate.cert, key: certificate.key }),
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
    // This OpenSSL does not support X25519MLKEM768.
    return createSecureContext({ ...options, ecdhCurve: classical });
  }
}

/** The base context of a certificate for clients without a server name, cached by certificate. */
export function namelessContextOf(certificate: TlsCertificate): SecureContext {
  let context = nameless.get(certificate);
  if (context === undefined) {
    context = createBaseContext(certificate);
    nameless.set(certificate, context);
  }
  return context;
}

const nameless = new WeakMap<TlsCertificate, SecureContext>();

/** Open connections keep their context when it is evicted. */
const contexts = new RecentMap<SecureContext, TlsCertificate>(MAX_CONTEXTS);

/**
 * Returns the cached context of a certificate, or creates it. Throws the error of Node.js if the
 * certificate or its key is unusable. `authorities`: PEM of the CAs that verify client
 * certificates. The signature algorithms come from this context, the rest from the base context.
 */
export function secureContextOf(certificate: TlsCertificate, authorities = ''): SecureContext {
  const { cert, key } = certificate;
  if (authorities === '')
    return contexts.of(certificate, () => createSecureContext({ cert, key, sigalgs: SIGNATURE_ALGORITHMS }));
  const previous = verifying.get(certificate);
  if (previous?.authorities === authorities) return previous.context;
  const options = { cert, key, sigalgs: SIGNATURE_ALGORITHMS, ca: authorities, allowPartialTrustChain: true };
  const context = createSecureContext(options);
  verifying.set(certificate, { authorities, context });
  return context;
}

/** Contexts that verify client certificates. */
const verifying = new WeakMap<TlsCertificate, { readonly authorities: string; readonly context: SecureContext }>();
