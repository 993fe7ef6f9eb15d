/**
 * Secrets and signatures as the specification of Standard Webhooks has them: HMAC-SHA256 over id,
 * time and body, joined by dots.
 */
import { createHmac, randomBytes } from 'node:crypto';

const SECRET_BYTES = 32;
const PREFIX = 'whsec_';

/** The bytes that sign. */
export const newSecret = (): Buffer => randomBytes(SECRET_BYTES);

/** As the owner of a webhook gets it, once. */
export const formatSecret = (secret: Uint8Array): string => `${PREFIX}${Buffer.from(secret).toString('base64')}`;

export interface SignedMessage {
  readonly id: string;
  /** Seconds since 1970, of the attempt. */
  readonly timestamp: number;
  readonly body: string;
}

/** The value of the header `webhook-signature`: a signature by each secret. */
export function formatSignatures(secrets: readonly Uint8Array[], { id, timestamp, body }: SignedMessage): string {
  return secrets
    .map((secret) => `v1,${createHmac('sha256', secret).update(`${id}.${timestamp}.${body}`).digest('base64')}`)
    .join(' ');
}
