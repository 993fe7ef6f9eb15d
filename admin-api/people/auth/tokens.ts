/** Creates and revokes tokens. */

import { InvalidError, StateError } from '../../../core/base/errors.ts';
import type { Draft } from '../../../core/journal/draft/draft.ts';
import type { Id } from '../../../core/store/keys.ts';
import { type Account, audits, type Token, tokens, tokenUses } from '../../../core/store/rows.ts';
import { type ActingContext, accountOf, mayActFor, requireAccount } from '../../change/acting.ts';
import { auditEntry } from '../../change/change.ts';
import { changeCredential, revoke } from '../../change/credentials.ts';
import type { Services } from '../../change/services.ts';
import type { Caller } from '../../http/caller.ts';
import { HttpError } from '../../http/errors.ts';
import type { BodyOf } from '../../http/json-body.ts';
import type { Context } from '../../http/route.ts';
import { formatTime, nowSeconds } from '../../http/time.ts';
import { readExpiry, readLimits, viewLimits } from './limits.ts';
import type { exchangeBody, tokenBody } from './schema.ts';
import { limitScopes, narrowScopes, scopesOf } from './scopes.ts';
import { type SignInParts, type SignInRequest, signIn } from './sign-in.ts';
import { hashToken, mintToken, prefixOf } from './token.ts';

/**
 * Maximum active tokens of one account. Each login creates one, so clients that never revoke tokens
 * reach this limit.
 */
const MAX_TOKENS = 1000;

/**
 * Creates a token for a password. Throws the errors of signIn, StateError `token_limit`, and
 * InvalidError.
 */
export function exchange(
  parts: SignInParts,
  request: SignInRequest & { readonly body: Pick<BodyOf<typeof exchangeBody>, 'name' | 'scopes' | 'expires_at'> },
): Promise<{ readonly account: Account; readonly token: Token; readonly text: string }> {
  const { body, requestId, remoteAddress } = request;
  const name = body.name ?? `login ${formatTime(nowSeconds())} from ${remoteAddress}`;
  const expiresAt = readExpiry(body.expires_at, null);
  return signIn(parts, request, (draft, account, by) => {
    const scopes = readScopes(body.scopes, scopesOf(account.role));
    const { token, text } = addToken(draft, account, { name, scopes, byPassword: true, expiresAt });
    const detail = { name, scopes, by, ...(expiresAt !== null && { expires_at: formatTime(expiresAt) }) };
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
export function createToken(services: Services, context: ActingContext, body: BodyOf<typeof tokenBody>) {
  const { token: own } = context.caller;
  const account = accountOf(services.reader, context);
  const held = account.id === own.accountId ? own.scopes : limitScopes(own.scopes, account.role);
  const limits = readLimits(body);
  const scopes = readLimitedScopes(body, limits, held);
  const expiresAt = readExpiry(body.expires_at, own.expiresAt);
  const domains = body.domains == null ? {} : { domains: [...new Set(body.domains)].sort((a, b) => a - b) };
  const restriction: Pick<Token, 'domains' | 'policies' | 'networks'> = { ...domains, ...limits };
  return changeCredential(services, context, account.id, (draft) => {
    requireAccount(draft, account);
    requireDomains(draft, account.id, restriction.domains ?? []);
    const { token, text } = addToken(draft, account, { name: body.name, scopes, expiresAt, ...restriction });
    const view = viewToken(token, null);
    return {
      action: 'token.create',
      accountId: account.id,
      target: token.id,
      detail: { name: token.name, scopes, expires_at: view.expires_at, ...restriction },
      createResponse: () => ({ token: text, ...view }),
    };
  });
}

function readScopes(requested: readonly string[] | undefined, held: readonly string[]): readonly string[] {
  const scopes = requested === undefined ? held : narrowScopes(requested, held);
  if (scopes.length > 0) return scopes;
  throw new InvalidError('invalid_scope', 'Give at least one scope, or omit "scopes".', { pointer: '/scopes' });
}

/** Scopes of a token with this limit, and what errors call it. */
const LIMITED_SCOPES = [
  { limit: 'policies', scopes: /^dns(:read)?$/, text: 'has policies can have the scope "dns" or "dns:read" only' },
  {
    limit: 'domains',
    scopes: /^(dns|proxy)(:read)?$/,
    text: 'is restricted to domains can have the scopes "dns" and "proxy" only, each also with ":read"',
  },
  {
    limit: 'networks',
    scopes: /^(account:read|(dns|proxy|packages)(:read)?)$/,
    text: 'is limited to networks cannot have the scope "account", only "account:read"',
  },
] as const;

/**
 * Excludes the scope `account`, with which a limited token could create an unlimited one. A policy
 * names records alone.
 */
function readLimitedScopes(
  { scopes: requested, domains }: BodyOf<typeof tokenBody>,
  { policies, networks }: Pick<Token, 'policies' | 'networks'>,
  held: readonly string[],
): readonly string[] {
  const given = { policies, domains, networks };
  const rules = LIMITED_SCOPES.filter(({ limit }) => given[limit] != null);
  const readable = networks == null ? held : [...held, ...held.filter((scope) => scope === 'account').map(reading)];
  const inherited = readable.filter((scope) => rules.every((rule) => rule.scopes.test(scope)));
  const scopes = readScopes(requested ?? (rules.length === 0 ? undefined : inherited), held);
  for (const { scopes: allowed, text } of rules)
    if (!scopes.every((scope) => allowed.test(scope)))
      throw new InvalidError('invalid_scope', `A token that ${text}.`, { pointer: '/scopes' });
  return scopes;
}

const reading = (scope: string): string => `${scope}:read`;

/** Requires domains of the token's account, also for administrators. Throws InvalidError. */
function requireDomains(draft: Draft, accountId: Id, ids: readonly Id[]): void {
  const missing = ids.find((id) => draft.domain(id)?.accountId !== accountId);
  if (missing === undefined) return;
  throw new InvalidError('no_such_domain', `The account has no domain with the id ${missing}.`, {
    pointer: '/domains',
  });
}

type Chosen = Pick<Token, 'name' | 'scopes' | 'domains' | 'policies' | 'networks' | 'byPassword' | 'expiresAt'>;

function addToken(draft: Draft, account: Account, chosen: Chosen): { token: Token; text: string } {
  const now = nowSeconds();
  const others = draft.tokensOf(account.id);
  // Expired tokens are deleted to make room.
  const expired = others.filter((other) => other.expiresAt !== null && other.expiresAt <= now);
  if (others.length - expired.length >= MAX_TOKENS)
    throw new StateError('token_limit', `The account has ${MAX_TOKENS} tokens, which is the limit; revoke some first.`);
  for (const other of expired) deleteToken(draft, other);
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
  for (const token of revoked) deleteToken(draft, token);
  return revoked.length;
}

export function deleteToken(draft: Draft, token: Token): void {
  draft.delete(tokens, token);
  const use = draft.tokenUse(token.id);
  if (use !== undefined) draft.delete(tokenUses, use);
}

/** Throws HttpError 404. */
export function revokeToken(services: Services, context: Context<Caller>, id: Id) {
  const owner = services.reader.token(id)?.accountId ?? context.caller.account.id;
  return revoke(services, context, owner, (draft) => {
    const token = draft.token(id);
    if (token === undefined || !mayActFor(draft, context.caller, token.accountId))
      throw new HttpError(404, 'no_such_token', 'The account has no token with this id.');
    deleteToken(draft, token);
    const { accountId, name } = token;
    return { action: 'token.revoke', accountId, target: id, detail: { name }, createResponse: () => ({}) };
  });
}

/** `usedAt`: seconds since 1970; null: never. */
export function viewToken(token: Token, usedAt: number | null) {
  return {
    id: token.id,
    name: token.name,
    prefix: prefixOf(token),
    scopes: token.scopes,
    domains: token.domains ?? null,
    ...viewLimits(token),
    by_password: token.byPassword === true,
    created_at: formatTime(token.createdAt),
    expires_at: token.expiresAt === null ? null : formatTime(token.expiresAt),
    last_used_at: usedAt === null ? null : formatTime(usedAt),
  };
}
