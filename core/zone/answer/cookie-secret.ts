/**
 * The secrets of DNS cookies. All nodes have the same: they are configured, or derived from the
 * shared key file.
 */
import type { Secrets } from '../../base/secrets.ts';

/** Bytes of a secret (RFC 9018 section 4.4: a key of SipHash). */
const SECRET_LENGTH = 16;

/**
 * Returns the secrets to make and check cookies, the current one first. Configured secrets are 32
 * hexadecimal digits.
 */
export function chooseCookieSecrets(
  secrets: Pick<Secrets, 'derive'>,
  current: string | undefined,
  previous: string | undefined,
): Uint8Array[] {
  const [derived, derivedPrevious] = secrets.derive('DNS cookies', SECRET_LENGTH);
  const last = previous === undefined ? derivedPrevious : Buffer.from(previous, 'hex');
  const first = current === undefined ? derived : Buffer.from(current, 'hex');
  return last === undefined ? [first] : [first, last];
}
