/** Finds accounts in the list that the API returns to administrators. */
import { Option } from 'commander';
import { type ApiClient, asText, type Json } from './client.ts';
import { CliError } from './errors.ts';
import type { GlobalOptions } from './io.ts';
import { rows } from './pages.ts';

export const ACCOUNTS = '/api/v1/accounts';

interface Account {
  readonly id: string;
  readonly username: string;
}

/**
 * Finds an account by id or by username. Throws CliError `no_such_account`, and
 * `ambiguous_account` if a username is the id of another account.
 */
export async function findAccount(api: ApiClient, who: string): Promise<Account> {
  let named: Json | undefined;
  let numbered: Json | undefined;
  for await (const row of rows(api, ACCOUNTS, 'accounts')) {
    if (String(row.id) === who) numbered = row;
    if (asText(row.username)?.toLowerCase() === who.toLowerCase()) named = row;
  }
  if (named !== undefined && numbered !== undefined && named.id !== numbered.id)
    throw new CliError('ambiguous_account', `"${who}" is the id of one account and the username of another.`, {
      next: `Use the id of the account: ${who} or ${named.id}.`,
    });
  const found = named ?? numbered;
  if (found !== undefined) return asAccount(found);
  throw new CliError('no_such_account', `There is no account "${who}".`, {
    next: 'List the accounts with "waypost account list".',
  });
}

export const ACCOUNT = new Option(
  '--account <account>',
  'act for another account, given by username or id; for administrators',
);

/** A client that acts for the account of `--account`. Throws CliError `no_such_account`. */
export async function actFor(api: ApiClient, { account }: GlobalOptions): Promise<ApiClient> {
  return account === undefined ? api : api.actFor((await findAccount(api, account)).id);
}

/** Adds the account that the client acts for to the path of a list or a creation. */
export function ofAccount({ account }: ApiClient, path: string): string {
  return account === undefined ? path : `${path}?account=${encodeURIComponent(account)}`;
}

export function accountPath({ id }: Account): string {
  return `${ACCOUNTS}/${encodeURIComponent(id)}`;
}

function asAccount({ id, username }: Json): Account {
  return { id: String(id), username: String(username) };
}
