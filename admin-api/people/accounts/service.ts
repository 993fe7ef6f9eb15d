/** Creates, changes, deletes and describes accounts. */

import { InvalidError, StateError } from '../../../core/base/errors.ts';
import { planLimit } from '../../../core/config/index.ts';
import type { Draft } from '../../../core/journal/draft/draft.ts';
import type { Id } from '../../../core/store/keys.ts';
import { appsOf } from '../../../core/store/package-reads.ts';
import { type Account, accounts, tsigKeys, webhooks } from '../../../core/store/rows.ts';
import { discardBin } from '../../../core/upkeep/domains/bin.ts';
import { change } from '../../change/change.ts';
import { revoke } from '../../change/credentials.ts';
import type { Services } from '../../change/services.ts';
import type { Caller } from '../../http/caller.ts';
import { HttpError } from '../../http/errors.ts';
import type { BodyOf } from '../../http/json-body.ts';
import type { Context } from '../../http/route.ts';
import { callerOwner } from '../../http/slot-owner.ts';
import { formatTime, nowSeconds } from '../../http/time.ts';
import type { Passwords } from '../auth/password.ts';
import { endSessions } from '../auth/sessions.ts';
import { deleteToken, revokeTokens } from '../auth/tokens.ts';
import { unlockCodes } from '../factors/code-check.ts';
import { removeFactors } from '../factors/remove.ts';
import type { accountPatchBody, newAccountBody } from './schema.ts';

/** Throws InvalidError for an unknown plan, and StateError if a login is already used. */
export async function createAccount(
  services: Services,
  passwords: Passwords,
  context: Context<Caller>,
  body: BodyOf<typeof newAccountBody>,
) {
  const chosen = newAccount(services, body, await passwords.hash(body.password, callerOwner(context)));
  return change(services, context, (draft) => {
    const account = { id: draft.newId(accounts), ...chosen };
    requireFreeLogins(draft, account);
    draft.put(accounts, account);
    return {
      action: 'account.create',
      target: account.id,
      detail: auditDetail(account),
      createResponse: () => ({ account: viewAccount(account) }),
    };
  });
}

/** Throws InvalidError for an unknown plan. */
export function newAccount(
  services: Pick<Services, 'config'>,
  body: Omit<BodyOf<typeof newAccountBody>, 'password'>,
  passwordHash: string,
): Omit<Account, 'id'> {
  const { username, email, role = 'user', plan = 'free', api_enabled: apiEnabled = true } = body;
  requirePlan(services, plan);
  const now = nowSeconds();
  return {
    username,
    email: email ?? '',
    role,
    plan,
    passwordHash,
    apiEnabled,
    createdAt: now,
    updatedAt: now,
  };
}

/**
 * Omitted fields keep their values. Throws HttpError 404, InvalidError, and StateError
 * `username_taken`, `email_taken`, `last_admin`, `own_password` or `own_email`.
 */
export async function updateAccount(
  services: Services,
  passwords: Passwords,
  context: Context<Caller>,
  id: Id,
  body: BodyOf<typeof accountPatchBody>,
) {
  const { revoke_tokens: revokesTokens = false } = body;
  if (revokesTokens && body.password === undefined)
    throw new InvalidError('validation', '"revoke_tokens" needs a new password; send "password" too.', {
      pointer: '/revoke_tokens',
    });
  if (body.plan !== undefined) requirePlan(services, body.plan);
  const isOwn = id === context.caller.account.id;
  if (isOwn && body.password !== undefined) throw ownPassword();
  // Checked first, because hashing the password is slow.
  requireAccount(services.reader, id);
  const passwordHash =
    body.password === undefined ? undefined : await passwords.hash(body.password, callerOwner(context));
  return revoke(services, context, id, (draft) => {
    const old = requireAccount(draft, id);
    const account: Account = {
      ...old,
      username: body.username ?? old.username,
      email: body.email === undefined ? old.email : (body.email ?? ''),
      role: body.role ?? old.role,
      plan: body.plan ?? old.plan,
      apiEnabled: body.api_enabled ?? old.apiEnabled,
      passwordHash: passwordHash ?? old.passwordHash,
      updatedAt: nowSeconds(),
    };
    if (isOwn && account.email !== old.email) throw ownEmail();
    if (!isAdmin(account)) requireOtherAdmin(draft, old);
    requireFreeLogins(draft, account);
    draft.put(accounts, account);
    if (account.role !== old.role) moveTsigKeys(draft, account);
    if (passwordHash !== undefined) unlockCodes(draft, id);
    const own = context.caller.session?.row.id;
    const ended = passwordHash === undefined ? {} : { sessions_ended: endSessions(draft, id, own) };
    const revoked = revokesTokens ? { tokens_revoked: revokeTokens(draft, id, context.caller.token.id) } : {};
    return {
      action: 'account.update',
      target: id,
      detail: {
        ...auditDetail(account),
        password_changed: passwordHash !== undefined,
        ...revoked,
        ...ended,
        before: auditDetail(old),
      },
      createResponse: () => ({ account: viewAccount(account) }),
    };
  });
}

// Changing the own password or e-mail address requires the current password. With a stolen session
// or token alone, an attacker could set a new password and lock the owner out.

const ownPassword = (): StateError =>
  new StateError(
    'own_password',
    'The own password is changed with the current one; use PUT /api/v1/account/password.',
    { pointer: '/password' },
  );

const ownEmail = (): StateError =>
  new StateError('own_email', 'The own e-mail address is changed with the password; use PATCH /api/v1/account.', {
    pointer: '/email',
  });

/**
 * The sweeper later deletes the apps of the account, and its bin is emptied. Throws HttpError 404,
 * StateError `has_domains`, `has_apps`, `last_admin`.
 */
export function deleteAccount(services: Services, context: Context<Caller>, id: Id) {
  return revoke(services, context, id, (draft) => {
    const account = requireAccount(draft, id);
    requireOtherAdmin(draft, account);
    if (draft.countDomains(id, 1) > 0)
      throw new StateError(
        'has_domains',
        'The account still has domains; delete them first (GET /api/v1/domains?account=ID lists them). To end all access now, set "api_enabled" to false.',
      );
    if (appsOf(draft, id, null).some(({ current }) => current.published !== null))
      throw new StateError(
        'has_apps',
        'The account still has published apps; withdraw or suspend them first. To end all access now, set "api_enabled" to false.',
      );
    for (const token of draft.tokensOf(id)) deleteToken(draft, token);
    endSessions(draft, id);
    removeFactors(draft, id);
    for (const key of draft.tsigKeysOf(id)) draft.delete(tsigKeys, key);
    for (const webhook of draft.webhooksOf(id)) draft.delete(webhooks, webhook);
    discardBin(draft, id);
    draft.delete(accounts, account);
    return { action: 'account.delete', target: id, detail: auditDetail(account), createResponse: () => ({}) };
  });
}

/** Messages for zones of all accounts, or of this account alone, find its keys from now on. */
function moveTsigKeys(draft: Draft, { id, role }: Account): void {
  const lookup = role === 'admin' ? 'operator' : 'account';
  for (const key of draft.tsigKeysOf(id)) if (key.lookup !== 'none') draft.put(tsigKeys, { ...key, lookup });
}

/** Throws HttpError 404. */
export function requireAccount(reader: Pick<Draft, 'account'>, id: Id): Account {
  const account = reader.account(id);
  if (account === undefined) throw new HttpError(404, 'no_such_account', 'There is no account with this id.');
  return account;
}

function requirePlan({ config }: Pick<Services, 'config'>, plan: string): void {
  if (Object.hasOwn(config.plans, plan)) return;
  const planNames = Object.keys(config.plans).join(', ');
  throw new InvalidError('invalid_plan', `This plan does not exist; use one of ${planNames}.`, { pointer: '/plan' });
}

/** Requires that no other account uses the username or the e-mail address as a login. */
export function requireFreeLogins(draft: Draft, account: Account): void {
  const taken = (login: string): boolean => {
    const other = login === '' ? undefined : draft.accountByLogin(login);
    return other !== undefined && other.id !== account.id;
  };
  if (taken(account.username))
    throw new StateError('username_taken', 'Another account has this username.', { pointer: '/username' });
  if (taken(account.email))
    throw new StateError('email_taken', 'Another account has this e-mail address.', { pointer: '/email' });
}

const isAdmin = (account: Account): boolean => account.role === 'admin' && account.apiEnabled;

/**
 * Requires another administrator: without any, no administrator could be created through the API.
 */
function requireOtherAdmin(draft: Draft, account: Account): void {
  if (!isAdmin(account)) return;
  for (let after: Id | null = null; ; ) {
    const page: Account[] = draft.accounts(after, 500);
    if (page.some((other) => other.id !== account.id && isAdmin(other))) return;
    if (page.length < 500) break;
    after = page[page.length - 1].id;
  }
  throw new StateError('last_admin', 'This is the only administrator; make another account an administrator first.');
}

/** The details of an account in the audit log. */
const auditDetail = ({ username, email, role, plan, apiEnabled }: Account) => ({
  username,
  email: email === '' ? null : email,
  role,
  plan,
  api_enabled: apiEnabled,
});

export function viewAccount(account: Account) {
  return {
    id: account.id,
    ...auditDetail(account),
    created_at: formatTime(account.createdAt),
    updated_at: formatTime(account.updatedAt),
  };
}

/** `limit`: see planLimit. */
export const viewPlan = (name: string, limit: number) => ({ name, max_domains: limit === 0 ? null : limit });

/** An account with its usage. */
export function describeAccount({ reader, config }: Services, account: Account) {
  const usage = reader.usage(account.id);
  const limit = planLimit(config.plans, account.plan);
  return {
    id: account.id,
    username: account.username,
    email: account.email === '' ? null : account.email,
    role: account.role,
    domain_count: usage.domains,
    dns_record_count: usage.records,
    limits: {
      plan: account.plan,
      is_unlimited: limit === 0,
      max_domains_display: limit === 0 ? 'unlimited' : String(limit),
    },
  };
}
