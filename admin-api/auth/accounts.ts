/** Accounts: creation, the list, and the first one. */
import { randomBytes } from 'node:crypto';
import { InvalidError, StateError } from '../../core/errors.ts';
import { write } from '../../core/journal/draft.ts';
import { type Account, accounts, newId, type Role } from '../../core/store/rows.ts';
import { formatTime, nowSeconds } from '../http/time.ts';
import type { Services } from '../services.ts';
import type { Passwords } from './password.ts';

export interface NewAccount {
  readonly username: string;
  readonly email?: string;
  readonly password: string;
  readonly role: Role;
  readonly plan: string;
  readonly apiEnabled: boolean;
}

/** Throws InvalidError for a plan that the configuration has not, StateError when the login is taken. */
export async function createAccount(
  { environment, journal, config }: Services,
  passwords: Passwords,
  by: string,
  body: NewAccount,
): Promise<{ account: Account; sequence: number }> {
  if (!Object.hasOwn(config.plans, body.plan))
    throw new InvalidError(
      'invalid_plan',
      `There is no such plan; there are ${Object.keys(config.plans).join(', ')}.`,
      {
        pointer: '/plan',
      },
    );
  const { password, email = '', ...rest } = body;
  const passwordHash = await passwords.hash(password);
  const now = nowSeconds();
  const account: Account = { ...rest, id: newId(), email, passwordHash, createdAt: now, updatedAt: now };
  const { sequence } = await write(environment, journal, by, (draft) => {
    if (draft.accountByLogin(account.username) !== undefined)
      throw new StateError('username_taken', 'There is an account of that username.', { pointer: '/username' });
    if (email !== '' && draft.accountByLogin(email) !== undefined)
      throw new StateError('email_taken', 'There is an account with that e-mail address.', { pointer: '/email' });
    draft.put(accounts, account);
  });
  return { account, sequence };
}

/**
 * On an empty store, creates the account `admin` with role admin and plan unlimited. Returns the random password that it got, to be shown once;
 * null when the configuration gave one, or when there are accounts.
 */
export async function ensureAdmin(services: Services, passwords: Passwords): Promise<string | null> {
  if (services.reader.accounts(null, 1).length > 0) return null;
  const configured = services.config.admin.password;
  const password = configured ?? randomBytes(15).toString('base64url');
  await createAccount(services, passwords, 'setup', {
    username: 'admin',
    password,
    role: 'admin',
    plan: 'unlimited',
    apiEnabled: true,
  });
  return configured === undefined ? password : null;
}

export function viewAccount(account: Account) {
  return {
    id: account.id,
    username: account.username,
    email: account.email === '' ? null : account.email,
    role: account.role,
    plan: account.plan,
    api_enabled: account.apiEnabled,
    created_at: formatTime(account.createdAt),
    updated_at: formatTime(account.updatedAt),
  };
}

/** The caller's own account with what it uses. */
export function describeAccount({ reader, config }: Services, account: Account) {
  let domainCount = 0;
  let recordCount = 0;
  for (const domain of reader.domainsOf(account.id, null)) {
    domainCount++;
    recordCount += reader.zoneState(domain.id).recordCount;
  }
  const limit = planLimit(config.plans, account.plan);
  return {
    id: account.id,
    username: account.username,
    role: account.role,
    domain_count: domainCount,
    dns_record_count: recordCount,
    limits: {
      plan: account.plan,
      is_unlimited: limit === 0,
      max_domains_display: limit === 0 ? 'unlimited' : String(limit),
    },
  };
}

/** Domains that a plan allows; 0: no limit. A plan that the configuration no longer has allows as many as the smallest. */
export function planLimit(plans: Services['config']['plans'], plan: string): number {
  const limits: Readonly<Record<string, number>> = plans;
  if (Object.hasOwn(limits, plan)) return limits[plan];
  return plans.free;
}
