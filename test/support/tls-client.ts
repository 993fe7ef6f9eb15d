/**
 * The context of TLS clients that do not verify the server. One serves a process: otherwise Node
 * makes one for each connection, which takes longer than the handshake.
 */
import { type ConnectionOptions, createSecureContext, type SecureContext } from 'node:tls';

let shared: SecureContext | undefined;

/** Options that are part of a context. */
const OF_CONTEXT = ['ca', 'cert', 'ciphers', 'ecdhCurve', 'key', 'maxVersion', 'minVersion', 'sigalgs'] as const;

/** `options` with the shared context, unless they need another. */
export function unverified<T extends ConnectionOptions>(options: T): T & ConnectionOptions {
  const needsOther = OF_CONTEXT.some((name) => options[name] !== undefined);
  if (!needsOther) shared ??= createSecureContext();
  return { rejectUnauthorized: false, ...(needsOther ? {} : { secureContext: shared }), ...options };
}
