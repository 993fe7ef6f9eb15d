/** Tokens: the exchange of a password for one, and their list. */
import { InvalidError } from '../../core/errors.ts';
import { write } from '../../core/journal/draft.ts';
import { type Account, newId, type Token, tokens } from '../../core/store/rows.ts';
import type { Caller } from '../http/app.ts';
import { HttpError } from '../http/errors.ts';
import { formatTime, nowSeconds, parseTime } from '../http/time.ts';
import { isId, type Services } from '../services.ts';
import { apiDisabled } from './authenticate.ts';
import type { Passwords } from './password.ts';
import { narrow, scopesOf } from './scopes.ts';
import { hashToken, mintToken, visiblePrefix } from './token.ts';

/** Live tokens of one account. Each login makes one, so who never revokes any is stopped before the list is endless. */
const MAX_TOKENS = 1000;

export interface NewToken {
  readonly token: Token;
  /** The secret, told once. */
  readonly text: string;
  readonly sequence: number;
}

/** Throws HttpError 401 for a login or password that is wrong, 403 when API access is off. */
export async function exchange(
  services: Services,
  passwords: Passwords,
  body: { readonly login: string; readonly password: string; readonly name: string },
): Promise<NewToken & { account: Account }> {
  const account = services.reader.accountByLogin(body.login);
  if (!(await passwords.verify(account?.passwordHash, body.password)) || account === undefined)
    throw new HttpError(401, 'bad_credentials', 'The login or the password is wrong.');
  if (!account.apiEnabled) throw apiDisabled();
  const made = await addToken(services, account, { name: body.name, scopes: scopesOf(account.role), expiresAt: null });
  return { ...made, account };
}

/** A token that can do no more than the caller's. Throws InvalidError. */
export function createToken(
  services: Services,
  { account, token }: Caller,
  body: { readonly name: string; readonly scopes?: readonly string[]; readonly expires_at?: string | null },
): Promise<NewToken> {
  const scopes = body.scopes === undefined ? token.scopes : narrow(body.scopes, token.scopes);
  if (scopes.length === 0)
    throw new InvalidError('invalid_scope', 'Name at least one scope, or leave "scopes" out.', { pointer: '/scopes' });
  return addToken(services, account, { name: body.name, scopes, expiresAt: readExpiry(body.expires_at) });
}

function readExpiry(text: string | null | undefined): number | null {
  if (text === undefined || text === null) return null;
  const time = parseTime(text);
  if (time !== undefined && time > nowSeconds()) return time;
  throw new InvalidError('invalid_time', '"expires_at" must be a time to come, as YYYY-MM-DD HH:MM:SS in UTC.', {
    pointer: '/expires_at',
  });
}

async function addToken(
  { environment, journal }: Services,
  account: Account,
  row: Pick<Token, 'name' | 'scopes' | 'expiresAt'>,
): Promise<NewToken> {
  const id = newId();
  const text = mintToken(id);
  const token: Token = { ...row, id, accountId: account.id, hash: hashToken(text), createdAt: nowSeconds() };
  const { sequence } = await write(environment, journal, account.id, (draft) => {
    if (draft.account(account.id) === undefined) throw new HttpError(401, 'bad_credentials', 'The account is gone.');
    const others = draft.tokensOf(account.id);
    // Those that have expired make room.
    const expired = others.filter((other) => other.expiresAt !== null && other.expiresAt <= token.createdAt);
    if (others.length - expired.length >= MAX_TOKENS)
      throw new HttpError(409, 'token_limit', `The account has ${MAX_TOKENS} tokens; revoke some first.`);
    for (const other of expired) draft.delete(tokens, other);
    draft.put(tokens, token);
  });
  return { token, text, sequence };
}

/** Throws HttpError 404. */
export async function revokeToken(
  { environment, journal }: Services,
  { account }: Caller,
  id: string,
): Promise<number> {
  const { sequence } = await write(environment, journal, account.id, (draft) => {
    const token = isId(id) ? draft.token(id) : undefined;
    if (token === undefined || token.accountId !== account.id)
      throw new HttpError(404, 'no_such_token', 'The account has no token of that id.');
    draft.delete(tokens, token);
  });
  return sequence;
}

export function viewToken(token: Token) {
  return {
    id: token.id,
    name: token.name,
    prefix: visiblePrefix(token.id),
    scopes: token.scopes,
    created_at: formatTime(token.createdAt),
    expires_at: token.expiresAt === null ? null : formatTime(token.expiresAt),
  };
}
