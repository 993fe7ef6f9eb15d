/**
 * The TLS context of clients that do not verify the server. Shared by the process: Node would
 * create one per connection, which takes longer than the handshake.
 */
import { type ConnectionOptions, createSecureContext, type SecureContext } from 'node:tls';

let shared: SecureContext | undefined;

/** Connection options that a secure context includes. */
const OF_CONTEXT = ['ca', 'cert', 'ciphers', 'ecdhCurve', 'key', 'maxVersion', 'minVersion', 'sigalgs'] as const;

/** `options` with the shared context, unless they need their own. */
export function unverified<T extends ConnectionOptions>(options: T): T & ConnectionOptions {
  const needsOther = OF_CONTEXT.some((name) => options[name] !== undefined);
  if (!needsOther) shared ??= createSecureContext();
  return { rejectUnauthorized: false, ...(needsOther ? {} : { secureContext: shared }), ...options };
}
