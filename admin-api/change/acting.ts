/**
 * The account that a request acts for: the account of its token, or any account if an administrator
 * names it. A token without the scope `account` acts for its own account only. With that scope, an
 * administrator can set the password of any account, so acting for it grants nothing more.
 */
import { Type } from '@sinclair/typebox';
import { id as idOf } from '../../core/base/schema.ts';
import type { Id } from '../../core/store/keys.ts';
import type { Reader } from '../../core/store/reader.ts';
import type { Account } from '../../core/store/rows.ts';
import type { Caller } from '../http/caller.ts';
import { HttpError } from '../http/errors.ts';
import { parameter, type Query } from '../http/query.ts';
import type { Context } from '../http/route.ts';
import { parseId } from './services.ts';

/** Null: the parameter is omitted. 0, which is never an id: it is malformed. */
export const readId = (text: string | undefined): Id | null => (text === undefined ? null : parseId(text));

export const accountQuery = {
  account: parameter(Type.Optional(idOf('another account to act for; for administrators')), readId),
};

/** The context of a request that may act for another account. */
export type ActingContext<B = unknown> = Context<Caller, B, Query<typeof accountQuery>>;

/** Error codes of `accountOf`, without the codes that every endpoint has. */
export const ACTING_FAULTS = { 403: ['forbidden'], 404: ['no_such_account'] } as const;

/**
 * The account in the query parameter `account`, by default that of the token. Throws HttpError 403
 * if the caller must not act for other accounts, and 404.
 */
export function accountOf(reader: Reader, { caller, query }: Pick<ActingContext, 'caller' | 'query'>): Account {
  const accountId = query.account ?? caller.account.id;
  if (accountId === caller.account.id) return caller.account;
  // Checked before the lookup, so that the error does not reveal which accounts exist.
  if (caller.account.role !== 'admin')
    throw new HttpError(403, 'forbidden', 'Only administrators can act for another account; omit "account".');
  if (!mayActFor(reader, caller, accountId))
    throw new HttpError(403, 'insufficient_scope', 'To act for another account, a token needs the scope "account".');
  const account = reader.account(accountId);
  if (account === undefined) throw new HttpError(404, 'no_such_account', 'There is no account with this id.');
  return account;
}

/**
 * Whether the caller may act for the account, within the scopes of its token. Reads the role again:
 * with a draft as the reader, the commit then conflicts with a change of the role.
 */
export function mayActFor(reader: Reader, { account, token }: Caller, accountId: Id): boolean {
  if (accountId === account.id) return true;
  return token.scopes.includes('account') && reader.account(account.id)?.role === 'admin';
}

/** The account in the draft. Throws HttpError 404 if it no longer exists. */
export function requireAccount(draft: Reader, { id }: Account): Account {
  const account = draft.account(id);
  if (account === undefined) throw new HttpError(404, 'no_such_account', 'The account was deleted in the meantime.');
  return account;
}
