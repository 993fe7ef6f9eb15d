/**
 * Signs in with a password, and a code if the account has one-time codes: the same rules for a
 * token and for a dashboard session.
 */

import { type Draft, write } from '../../../core/journal/draft/draft.ts';
import { clientNetwork, strangerAt } from '../../../core/net/address/ipv6.ts';
import type { Id } from '../../../core/store/keys.ts';
import { type Account, audits } from '../../../core/store/rows.ts';
import { auditEntry } from '../../change/change.ts';
import { inCredentialTurn } from '../../change/credentials.ts';
import type { Services } from '../../change/services.ts';
import { HttpError } from '../../http/errors.ts';
import { RateLimit } from '../../http/rate-limit.ts';
import { REVISION } from '../../http/revision.ts';
import type { Context } from '../../http/route.ts';
import { apiDisabled } from '../../http/unauthorized.ts';
import { checkCode, codeError } from '../factors/code-check.ts';
import type { Passwords } from './password.ts';

const ONE_MINUTE = 60;

export interface SignInParts {
  readonly services: Services;
  readonly passwords: Passwords;
  /** Shared by token and session sign-ins. */
  readonly logins: LoginAttempts;
}

/** The request of a sign-in with a password or a passkey. */
export type SignInRequest<B = Login> = Pick<
  Context<null, B>,
  'body' | 'requestId' | 'remoteAddress' | 'header' | 'headers' | 'isSecure'
>;

interface Login {
  readonly login: string;
  readonly password: string;
  /** A one-time code or a recovery code. */
  readonly code?: string;
}

/** The credential that authenticated the sign-in, for the audit log. */
type Proof = 'password' | 'code' | 'recovery code' | 'passkey';

/** The author of the commits of sign-ins, which a node accepts while its disk is almost full. */
export const SIGN_INS = 'sign-in';

/** The writes of a sign-in. */
export type SignInWork<T> = (draft: Draft, account: Account, by: Proof) => T;

/** Error codes of `signIn`. */
export const SIGN_IN_FAULTS = {
  401: ['bad_credentials', 'code_required', 'bad_code'],
  403: ['api_disabled'],
  429: ['too_many_requests', 'code_locked'],
  503: ['busy'],
} as const;

/**
 * Verifies login, password and code, and commits what `work` changes. An unknown login takes as
 * long as a wrong password. Throws HttpError 401 for these and for a missing or wrong code, 403 if
 * API access is off, and 429.
 */
export async function signIn<T>(
  { services, passwords, logins }: SignInParts,
  { body, requestId, remoteAddress, headers }: SignInRequest,
  work: SignInWork<T>,
): Promise<T> {
  const { environment, journal, reader, secrets } = services;
  const account = reader.accountByLogin(body.login);
  const mayTry = logins.take(clientNetwork(remoteAddress), body.login, account?.id, headers);
  const stored = mayTry ? account?.passwordHash : undefined;
  const isRight = await passwords.verify(stored, body.password, strangerAt(remoteAddress));
  if (!isRight || account === undefined) throw badCredentials();
  if (!account.apiEnabled) throw apiDisabled();
  const commit = (draft: Draft) => {
    // The account may have changed while the password was verified.
    const now = draft.account(account.id);
    if (now === undefined || now.passwordHash !== account.passwordHash) throw badCredentials();
    if (!now.apiEnabled) throw apiDisabled();
    const check = checkCode(draft, secrets, now.id, body.code);
    if (check.isAccepted) return { done: work(draft, now, check.by ?? 'password') };
    // The password was right, so it may be known to others.
    const caller = { account: now, token: SIGN_IN };
    if (check.refusal.code === 'bad_code')
      draft.insert(
        audits,
        auditEntry({ caller, requestId, remoteAddress }, { action: 'account.bad_code', target: now.id }),
      );
    return { refusal: check.refusal };
  };
  const observer = services.traces?.of(requestId);
  const { result, sequence } = await inCredentialTurn(services, account.id, () =>
    write(environment, journal, SIGN_INS, commit, { observer }),
  );
  if (result.refusal !== undefined) throw codeError(401, result.refusal);
  headers[REVISION] = String(sequence);
  return result.done;
}

/** Stands in for a token in the audit log. */
const SIGN_IN = { id: 0, name: 'sign-in' };

const badCredentials = (): HttpError =>
  new HttpError(
    401,
    'bad_credentials',
    'The login or the password is wrong, or there were too many attempts; check both, or retry in a minute.',
    {
      headers: { 'WWW-Authenticate': 'Bearer' },
    },
  );

/** The account in the response to a sign-in. */
export const viewUser = ({ id, username, role, plan }: Account) => ({ id, username, role, plan });

/**
 * Limits attempts to guess a password, by client network. Each attempt counts for the login as
 * sent, and for its account, which has two logins. Responses show only the first count: a shared
 * count would reveal that two logins belong to one account.
 */
export class LoginAttempts {
  readonly #limit: RateLimit;

  /** `quota`: attempts in a minute; 0: no limit; a reload may change it. `now` in seconds. */
  constructor(quota: number | (() => number), now?: () => number) {
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
