/** What an operator decides about responses. A plain object, as a thread is handed it. */
import type { Secrets } from '../base/secrets.ts';
import type { Config } from '../config/index.ts';
import { cookieSecrets } from './cookie-secret.ts';

export interface AnswerSettings {
  /** `require`: over UDP, who sends a cookie must show one of ours to be answered. */
  readonly cookies: 'on' | 'off' | 'require';
  /** 16 bytes each, the first one in use, then the one before; at least one unless `cookies` is off. */
  readonly cookieSecrets: readonly Uint8Array[];
  /** What NSID shows (RFC 5001), at most MAX_NSID bytes; empty for nothing. */
  readonly nsid: string;
  /** What version.bind and version.server show; empty for nothing. */
  readonly version: string;
  /** What id.server and hostname.bind show; empty for nothing. */
  readonly identity: string;
  /** Milliseconds that a TCP connection may be idle, as we tell clients (RFC 7828). */
  readonly tcpIdleTimeout: number;
}

/** So that with all other options, and the longest name, OPT still fits in 512 bytes. */
export const MAX_NSID = 128;

/** Answers and nothing else. */
export const PLAIN: AnswerSettings = {
  cookies: 'off',
  cookieSecrets: [],
  nsid: '',
  version: '',
  identity: '',
  tcpIdleTimeout: 10_000,
};

/** What responses hold beside records. */
export function answerSettings({ dns }: Config, secrets: Secrets): AnswerSettings {
  const { cookies, cookieSecret, cookieSecretPrevious, nsid, version, identity, tcpIdleTimeout } = dns;
  const known = cookies === 'off' ? [] : cookieSecrets(secrets, cookieSecret, cookieSecretPrevious);
  return { cookies, cookieSecrets: known, nsid, version, identity, tcpIdleTimeout };
}
