/** Creates and revokes tokens. */

import { InvalidError, StateError } from '../../core/base/errors.ts';
import type { Draft } from '../../core/journal/draft/draft.ts';
import type { Id } from '../../core/store/keys.ts';
import { type Account, audits, type Token, tokens } from '../../core/store/rows.ts';
import { accountOf, mayActFor, requireAccount } from '../change/acting.ts';
import { auditEntry, change } from '../change/change.ts';
import type { Services } from '../change/services.ts';
import type { Caller } from '../http/caller.ts';
import { HttpError } from '../http/errors.ts';
import type { Context } from '../http/route.ts';
import { formatTime, nowSeconds, parseTime } from '../http/time.ts';
import { limitScopes, narrowScopes, scopesOf } from './scopes.ts';
import { type SignInParts, type SignInRequest, signIn } from './sign-in.ts';
import { hashToken, mintToken, visiblePrefix } from './token.ts';

/**
 * Maximum active tokens of one account. Each login creates one, so clients that never revoke tokens
 * reach this limit.
 */
const MAX_TOKENS = 1000;

/** Creates a token for a password. Throws the errors of signIn, and StateError `token_limit`. */
export function exchange(
  parts: SignInParts,
  request: SignInRequest & { readonly body: { readonly name?: string } },
): Promise<{ readonly account: Account; readonly token: Token; readonly text: string }> {
  const { body, requestId, remoteAddress } = request;
  const name = body.name ?? `login ${formatTime(nowSeconds())} from ${remoteAddress}`;
  return signIn(parts, request, (draft, account) => {
    const scopes = scopesOf(account.role);
    const { token, text } = addToken(draft, account, { name, scopes, byPassword: true, expiresAt: null });
    const detail = { name, scopes, by: 'password' };
    const caller = { account, token };
    draft.insert(
      audits,
      auditEntry({ caller, requestId, remoteAddress }, { action: 'token.create', target: token.id, detail }),
    );
    return { account, token, text };
  });
}

/**
 * Creates a token with at most the rights of the caller's token. Throws InvalidError, and the
 * errors of accountOf.
 */
export function createToken(
  services: Services,
  context: Context<Caller>,
  body: { readonly name: string; readonly scopes?: readonly string[]; readonly expires_at?: string | null },
) {
  const { token: own } = context.caller;
  const account = accountOf(services.reader, context);
  const held = account.id === own.accountId ? own.scopes : limitScopes(own.scopes, account.role);
  const scopes = body.scopes === undefined ? held : narrowScopes(body.scopes, held);
  if (scopes.length === 0)
    throw new InvalidError('invalid_scope', 'Give at least one scope, or omit "scopes".', { pointer: '/scopes' });
  const expiresAt = readExpiry(body.expires_at, own.expiresAt);
  return change(services, context, (draft) => {
    requireAccount(draft, account);
    const { token, text } = addToken(draft, account, { name: body.name, scopes, expiresAt });
    return {
      action: 'token.create',
      accountId: account.id,
      target: token.id,
      detail: { name: token.name, scopes, expires_at: viewToken(token).expires_at },
      createResponse: () => ({ token: text, ...viewToken(token) }),
    };
  });
}

/** `last`: expiry time of the caller's token, which limits that of the new token. */
function readExpiry(text: string | null | undefined, last: number | null): number | null {
  if (text === undefined || (text === null && last === null)) return last;
  const time = text === null ? Number.POSITIVE_INFINITY : parseTime(text);
  if (time !== undefined && last !== null && time > last)
    throw new InvalidError(
      'invalid_time',
      `The new token cannot expire later than the token of this request: "expires_at" must be at most ${formatTime(last)}.`,
      { pointer: '/expires_at' },
    );
  if (time !== undefined && time > nowSeconds()) return time;
  throw new InvalidError('invalid_time', '"expires_at" must be a time in the future, as YYYY-MM-DD HH:MM:SS in UTC.', {
    pointer: '/expires_at',
  });
}

type Chosen = Pick<Token, 'name' | 'scopes' | 'byPassword' | 'expiresAt'>;

function addToken(draft: Draft, account: Account, chosen: Chosen): { token: Token; text: string } {
  const now = nowSeconds();
  const others = draft.tokensOf(account.id);
  // Expired tokens are deleted to make room.
  const expired = others.filter((other) => other.expiresAt !== null && other.expiresAt <= now);
  if (others.length - expired.length >= MAX_TOKENS)
    throw new StateError('token_limit', `The account has ${MAX_TOKENS} tokens, which is the limit; revoke some first.`);
  for (const other of expired) draft.delete(tokens, other);
  const id = draft.newId(tokens);
  const text = mintToken(id);
  const token = { ...chosen, id, accountId: account.id, hash: hashToken(text), createdAt: now };
  draft.put(tokens, token);
  return { token, text };
}

/**
 * Revokes all tokens of an account, however they were created. `except`: the id of the token of the
 * request, which stays valid. Returns the number of revoked tokens.
 */
export function revokeTokens(draft: Draft, accountId: Id, except: Id): number {
  const revoked = draft.tokensOf(accountId).filter(({ id }) => id !== except);
  for (const token of revoked) draft.delete(tokens, token);
  return revoked.length;
}

/** Throws HttpError 404. */
export function revokeToken(services: Services, context: Context<Caller>, id: Id) {
  return change(services, context, (draft) => {
    const token = draft.token(id);
    if (token === undefined || !mayActFor(draft, context.caller, token.accountId))
      throw new HttpError(404, 'no_such_token', 'The account has no token with this id.');
    draft.delete(tokens, token);
    const { accountId, name } = token;
    return { action: 'token.revoke', accountId, target: id, detail: { name }, createResponse: () => ({}) };
  });
}

export function viewToken(token: Token) {
  return {
    id: token.id,
    name: token.name,
    prefix: visiblePrefix(token.id),
    scopes: token.scopes,
    by_password: token.byPassword === true,
    created_at: formatTime(token.createdAt),
    expires_at: token.expiresAt === null ? null : formatTime(token.expiresAt),
  };
}
