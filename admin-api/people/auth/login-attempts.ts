/**
 * Limits attempts to guess a password, by client network. Each attempt counts for the login as
 * sent, and for its account, which has two logins. Responses show only the first count: a shared
 * count would reveal that two logins belong to one account.
 */
import type { Id } from '../../../core/store/keys.ts';
import { RateLimit } from '../../http/rate-limit.ts';

const ONE_MINUTE = 60;

export class LoginAttempts {
  readonly #limit: RateLimit;

  /** `quota`: attempts in a minute; 0: no limit. `now` in seconds. */
  constructor(quota: number, now?: () => number) {
    this.#limit = new RateLimit('login', quota, ONE_MINUTE, now);
  }

  /**
   * Counts a sign-in. False: the account's limit is reached through its other login. The caller
   * must reject the password like a wrong password. Throws HttpError 429. `accountId`: undefined
   * for an unknown login.
   */
  take(network: string, login: string, accountId: Id | undefined, headers: Record<string, string>): boolean {
    this.#limit.take(`login ${network} ${login.toLowerCase()}`, headers);
    return accountId === undefined || this.#limit.tryTake(keyOf(network, accountId));
  }

  /** Counts a password that the signed-in owner of the account sends. Throws HttpError 429. */
  takeOwn(network: string, accountId: Id, headers: Record<string, string>): void {
    this.#limit.take(keyOf(network, accountId), headers);
  }

  /** Counts a sign-in with a passkey. Throws HttpError 429. */
  takePasskey(network: string, headers: Record<string, string>): void {
    this.#limit.take(`passkey ${network}`, headers);
  }
}

const keyOf = (network: string, accountId: Id): string => `account ${network} ${accountId}`;
