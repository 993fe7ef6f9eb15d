/** The configurable parts of responses. A plain object, so that it can be sent to a thread. */
import type { Secrets } from '../../base/secrets.ts';
import type { Config } from '../../config/index.ts';

/** Bytes of a secret (RFC 9018 section 4.4: a key of SipHash). */
const SECRET_LENGTH = 16;

export interface AnswerSettings {
  /** `require`: over UDP, a client that sends a cookie must send a valid one to be answered. */
  readonly cookies: 'on' | 'off' | 'require';
  /**
   * 16 bytes each: the current one, then the previous one, if any. Empty only if `cookies` is off.
   */
  readonly cookieSecrets: readonly Uint8Array[];
  /** The content of NSID (RFC 5001), at most MAX_NSID bytes; empty: no NSID. */
  readonly nsid: string;
  /** The text of version.bind and version.server; empty: disabled. */
  readonly version: string;
  /** The text of id.server and hostname.bind; empty: disabled. */
  readonly identity: string;
  /** The idle timeout of TCP connections in milliseconds, which clients receive (RFC 7828). */
  readonly tcpIdleTimeout: number;
}

/** With all other options and the longest name, OPT still fits into 512 bytes. */
export const MAX_NSID = 128;

/** Answers without options. */
export const PLAIN: AnswerSettings = {
  cookies: 'off',
  cookieSecrets: [],
  nsid: '',
  version: '',
  identity: '',
  tcpIdleTimeout: 10_000,
};

/** The settings of responses, from the configuration. */
export function readAnswerSettings({ dns }: Config, secrets: Secrets): AnswerSettings {
  const { cookies, cookieSecret, cookieSecretPrevious, nsid, version, identity, tcpIdleTimeout } = dns;
  const secretsInUse = cookies === 'off' ? [] : chooseCookieSecrets(secrets, cookieSecret, cookieSecretPrevious);
  return { cookies, cookieSecrets: secretsInUse, nsid, version, identity, tcpIdleTimeout };
}

/**
 * The secrets of DNS cookies. All nodes have the same: they are configured, or derived from the
 * shared key file.
 *
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
