/** Lists all accounts in pages, in the order of an index. */

import { Steps } from '../../../core/base/steps.ts';
import { type Id, idAt, idKey } from '../../../core/store/keys.ts';
import type { Account } from '../../../core/store/rows.ts';
import type { StoreReader } from '../../../core/store/store-reader.ts';
import { invalidCursor, type ListPart, type Page, type Search, type Sort } from '../../http/lists.ts';

export const ACCOUNT_SORTS = ['id', 'username'] as const;

/** Maximum accounts that are read for one page. A page of a search may have fewer items. */
const MAX_SCANNED = 20_000;
const BATCH = 100;

/** Yields to the event loop. Throws HttpError 400. */
export async function listAccounts(
  reader: StoreReader,
  { limit, after: cursor }: Page,
  { key, descending }: Sort<(typeof ACCOUNT_SORTS)[number]>,
  matches: Search | null,
): Promise<ListPart<Account>> {
  if (key === 'id' && cursor !== null && cursor.length !== 8) throw invalidCursor();
  const read = key === 'id' ? readById : readByUsername;
  const steps = new Steps();
  const rows: Account[] = [];
  const end = (last: Buffer | null): ListPart<Account> => ({
    rows,
    last,
    total: matches === null ? reader.countAccounts() : null,
  });
  let after = cursor;
  for (let scanned = 0; scanned < MAX_SCANNED; scanned += BATCH) {
    const batch = read(reader, after, descending);
    for (const { account, position } of batch) {
      if (rows.length === limit) return end(after);
      after = position;
      if (account !== null && (matches === null || matches(account.username, account.email))) rows.push(account);
    }
    if (batch.length < BATCH) return end(null);
    await steps.next();
  }
  return end(after);
}

interface Read {
  /** Null: the entry of the index is not a username, so the account is listed elsewhere. */
  readonly account: Account | null;
  /** Position of the entry in the index. */
  readonly position: Buffer;
}

function readById(reader: StoreReader, after: Buffer | null, descending: boolean): Read[] {
  const id: Id | null = after === null ? null : idAt(after);
  const rows = descending ? reader.accountsBefore(id, BATCH) : reader.accounts(id, BATCH);
  return rows.map((account) => ({ account, position: idKey(account.id) }));
}

function readByUsername(reader: StoreReader, after: Buffer | null, descending: boolean): Read[] {
  return reader.logins(after, BATCH, descending).map(({ login, account }) => ({
    account: account !== undefined && account.username.toLowerCase() === login.toString() ? account : null,
    position: login,
  }));
}
