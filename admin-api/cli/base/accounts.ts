/** Finds accounts in the list that the API returns to administrators. */
import { Option } from 'commander';
import type { ApiResponse } from '../../routes/routes.ts';
import type { ApiClient } from './client.ts';
import { CliError } from './errors.ts';
import type { GlobalOptions } from './io.ts';
import { rows } from './pages.ts';

export type Account = ApiResponse<'listAccounts'>['accounts'][number];

/**
 * Finds an account by id or by username. Throws CliError `no_such_account`, and
 * `ambiguous_account` if a username is the id of another account.
 */
export async function findAccount(api: ApiClient, who: string): Promise<Account> {
  let named: Account | undefined;
  let numbered: Account | undefined;
  for await (const row of rows(api, '/api/v1/accounts', 'accounts')) {
    if (String(row.id) === who) numbered = row;
    if (row.username.toLowerCase() === who.toLowerCase()) named = row;
  }
  if (named !== undefined && numbered !== undefined && named.id !== numbered.id)
    throw new CliError('ambiguous_account', `"${who}" is the id of one account and the username of another.`, {
      next: `Use the id of the account: ${who} or ${named.id}.`,
    });
  const found = named ?? numbered;
  if (found !== undefined) return found;
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
