/** The secrets of DNS cookies, which all nodes share: configured, or what follows from the key file that they share. */
import type { Secrets } from '../base/secrets.ts';

/** Bytes of a secret (RFC 9018 section 4.4: a key of SipHash). */
const SECRET = 16;

/** The secrets to make and to know cookies by, the one in use first. Configured ones are 32 hexadecimal digits. */
export function cookieSecrets(
  secrets: Pick<Secrets, 'derive'>,
  current: string | undefined,
  previous: string | undefined,
): Uint8Array[] {
  const [own, before] = secrets.derive('DNS cookies', SECRET);
  const last = previous === undefined ? before : Buffer.from(previous, 'hex');
  const first = current === undefined ? own : Buffer.from(current, 'hex');
  return last === undefined ? [first] : [first, last];
}
