/** Signs in with a password: the same rules for a token and for a dashboard session. */
import { clientNetwork } from '../../core/address/ipv6.ts';
import { type Draft, write } from '../../core/journal/draft/draft.ts';
import type { Account } from '../../core/store/rows.ts';
import type { Services } from '../change/services.ts';
import { HttpError } from '../http/errors.ts';
import type { RateLimit } from '../http/rate-limit.ts';
import { REVISION } from '../http/revision.ts';
import type { Context } from '../http/route.ts';
import { apiDisabled } from '../http/unauthorized.ts';
import type { Passwords } from './password.ts';

export interface SignInParts {
  readonly services: Services;
  readonly passwords: Passwords;
  /** By login and network of the client, for tokens and sessions together. */
  readonly logins: RateLimit;
}

/** The request of a sign-in. */
export type SignInRequest = Pick<
  Context<null, { readonly login: string; readonly password: string }>,
  'body' | 'requestId' | 'remoteAddress' | 'header' | 'headers' | 'isSecure'
>;

/** Error codes of `signIn`. */
export const SIGN_IN_FAULTS = {
  401: ['bad_credentials'],
  403: ['api_disabled'],
  429: ['too_many_requests'],
  503: ['busy'],
} as const;

/**
 * Verifies login and password, and commits what `work` changes. An unknown login takes as long as a
 * wrong password. Throws HttpError 401 for these, 403 if API access is off, and 429.
 */
export async function signIn<T>(
  { services, passwords, logins }: SignInParts,
  { body, remoteAddress, headers }: SignInRequest,
  work: (draft: Draft, account: Account) => T,
): Promise<T> {
  const { environment, journal, reader } = services;
  logins.take(`${clientNetwork(remoteAddress)} ${body.login.toLowerCase()}`, headers);
  const account = reader.accountByLogin(body.login);
  if (!(await passwords.verify(account?.passwordHash, body.password)) || account === undefined) throw badCredentials();
  if (!account.apiEnabled) throw apiDisabled();
  const { result, sequence } = await write(environment, journal, String(account.id), (draft) => {
    // The account may have changed while the password was verified.
    const now = draft.account(account.id);
    if (now === undefined || now.passwordHash !== account.passwordHash) throw badCredentials();
    if (!now.apiEnabled) throw apiDisabled();
    return work(draft, now);
  });
  headers[REVISION] = String(sequence);
  headers['Cache-Control'] = 'no-store';
  return result;
}

const badCredentials = (): HttpError =>
  new HttpError(401, 'bad_credentials', 'The login or the password is wrong.', {
    headers: { 'WWW-Authenticate': 'Bearer' },
  });

/** The account in the response to a sign-in. */
export const viewUser = ({ id, username, role, plan }: Account) => ({ id, username, role, plan });
