/**
 * Secrets and signatures of Standard Webhooks: HMAC-SHA256 over id, time and body, joined by dots.
 */
import { createHmac, randomBytes } from 'node:crypto';

const SECRET_BYTES = 32;
const PREFIX = 'whsec_';

/** The HMAC key. */
export const newSecret = (): Buffer => randomBytes(SECRET_BYTES);

/** The secret in text form, as shown to customers. */
export const formatSecret = (secret: Uint8Array): string => `${PREFIX}${Buffer.from(secret).toString('base64')}`;

/** Parses the text form. Undefined if the text is not a secret of 24 to 64 bytes. */
export function parseSecret(text: string): Buffer | undefined {
  if (!/^whsec_[A-Za-z0-9+/]{32,86}={0,2}$/.test(text)) return undefined;
  const bytes = Buffer.from(text.slice(PREFIX.length), 'base64');
  return bytes.length >= 24 && bytes.length <= 64 ? bytes : undefined;
}

interface SignedMessage {
  readonly id: string;
  /** Seconds since 1970, of the attempt. */
  readonly timestamp: number;
  readonly body: string | Uint8Array;
}

/** The value of the header `webhook-signature`: a signature by each secret. */
export function formatSignatures(secrets: readonly Uint8Array[], { id, timestamp, body }: SignedMessage): string {
  return secrets
    .map((secret) => {
      const hmac = createHmac('sha256', secret).update(`${id}.${timestamp}.`).update(body);
      return `v1,${hmac.digest('base64')}`;
    })
    .join(' ');
}
