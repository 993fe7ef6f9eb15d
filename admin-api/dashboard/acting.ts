/**
 * The account that an administrator acts for. It is a parameter of the address, so it stays after a
 * reload, can be shared, and belongs to one tab of the browser.
 */
import { computed, effect, signal } from '@preact/signals';
import { addressOf, keepAccount } from './addresses.ts';
import { api, settle } from './api.ts';
import type { Failure } from './failure.ts';
import { ACCOUNT, currentQuery, openAddress, readAccount, replaceQuery } from './router.ts';
import { session } from './session.ts';

/** The id of the account. Null: the user's own account. */
export const actedAccount = computed<number | null>(() => {
  const id = readAccount(currentQuery.value);
  return id === session.value?.user.id ? null : id;
});

interface ActedAccount {
  readonly id: number;
  /** Null: not loaded yet. */
  readonly username: string | null;
  readonly failure: Failure | null;
}

/** Null: the user's own account. */
export const acted = signal<ActedAccount | null>(null);

/** Loads the name of the account after each switch. */
export function followActing(): void {
  effect(() => {
    const id = actedAccount.value;
    acted.value = id === null ? null : { id, username: null, failure: null };
    if (id !== null && session.value) void readActed(id);
  });
}

async function readActed(id: number): Promise<void> {
  const result = await settle(api.GET('/api/v1/accounts/{account_id}', { params: { path: { account_id: id } } }));
  if (actedAccount.peek() !== id) return;
  acted.value = result.ok
    ? { id, username: result.data.account.username, failure: null }
    : { id, username: null, failure: result.failure };
}

/** Opens the domains of an account. */
export function actFor(id: number): void {
  keepAccount(id);
  openAddress(addressOf('domains'));
}

export function stopActing(): void {
  keepAccount(null);
  openAddress(addressOf('domains'));
}

/** Switches to the account that owns the shown object. */
export function markOwner(accountId: number): void {
  const own = session.peek()?.user.id;
  if (accountId === (actedAccount.peek() ?? own)) return;
  replaceQuery({ [ACCOUNT]: accountId === own ? '' : String(accountId) });
}
