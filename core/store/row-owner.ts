/**
 * Whose quota counts a row, and with how many bytes. Tables declare the owner of their rows
 * (`quota` in rows/table.ts); core/journal/commit/quotas.ts compares the sums with the plan.
 */
import type { Id } from './keys.ts';
import { STAMP, unjson } from './rows/table.ts';
import { isOver, TABLES, type Upload, uploads } from './rows.ts';

type RowOwner = 'zone' | 'account' | 'audit' | 'none';

/** By table number. */
const OWNERS: RowOwner[] = [];
const STAMPS: number[] = [];
for (const [number, { quota, stamped }] of TABLES) {
  OWNERS[number] = typeof quota === 'string' ? quota : 'none';
  STAMPS[number] = stamped ? STAMP : 0;
}

export const rowOwner = (table: number): RowOwner => OWNERS[table] ?? 'none';

/** Bytes of a row: key and value. `isStored`: the value has a stamp, which is not counted. */
export const rowSize = (table: number, key: Uint8Array, value: Uint8Array, isStored: boolean): number =>
  key.length + value.length - (isStored ? STAMPS[table] : 0);

/** Account and bytes of a row with the owner `account`. An upload includes its package. */
export function accountShare(
  table: number,
  key: Uint8Array,
  value: Uint8Array,
  isStored: boolean,
): { readonly accountId: Id; readonly bytes: number } {
  const end = isStored ? value.length - STAMPS[table] : value.length;
  // Rows of older versions may have no account.
  const row = unjson<{ accountId?: Id } & Partial<Pick<Upload, 'size' | 'state'>>>(value, end);
  const file = table === uploads.number && row.state !== undefined && !isOver(row.state) ? (row.size ?? 0) : 0;
  return { accountId: row.accountId ?? 0, bytes: key.length + end + file };
}
