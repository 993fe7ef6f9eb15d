/** Finds accounts in the list that the API returns to administrators. */
import { type ApiClient, asText, type Json } from './client.ts';
import { CliError } from './errors.ts';
import { rows } from './pages.ts';

export const ACCOUNTS = '/api/v1/accounts';

export interface Account {
  readonly id: string;
  readonly username: string;
}

/** Finds an account by id, or else by username. Throws CliError `no_such_account`. */
export async function findAccount(api: ApiClient, who: string): Promise<Account> {
  let named: Json | undefined;
  for await (const row of rows(api, ACCOUNTS, 'accounts')) {
    if (String(row.id) === who) return asAccount(row);
    if (asText(row.username)?.toLowerCase() === who.toLowerCase()) named = row;
  }
  if (named !== undefined) return asAccount(named);
  throw new CliError('no_such_account', `There is no account "${who}".`, {
    next: 'List the accounts with "waypost account list".',
  });
}

export function accountPath({ id }: Account): string {
  return `${ACCOUNTS}/${encodeURIComponent(id)}`;
}

function asAccount({ id, username }: Json): Account {
  return { id: String(id), username: String(username) };
}
