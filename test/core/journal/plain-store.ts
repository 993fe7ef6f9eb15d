/**
 * The simplest possible store: rows in a map, everything else by a scan of all rows. Drafts and
 * commits are compared with it.
 */

import { nameAt } from '../../../core/dns/wire/name.ts';
import { HOST_TARGET, isServiceBinding, SERVICE_TARGET, TYPE } from '../../../core/dns/wire/types.ts';
import { targetKey } from '../../../core/store/keys.ts';
import { type Entry, LOOKUPS, type RawReader, TARGETS } from '../../../core/store/raw-reader.ts';
import { Reader } from '../../../core/store/reader.ts';
import { records, STAMP, TABLES, type Table } from '../../../core/store/rows.ts';

class PlainRows implements RawReader {
  /** `table key`, the key in hexadecimal, to the row's value. */
  readonly rows = new Map<string, { table: number; key: Buffer; value: Buffer }>();

  get(table: number, key: Uint8Array): Buffer | undefined {
    return this.#entries(table).find((entry) => entry.key.equals(key))?.value;
  }

  range(table: number, start: Uint8Array, end: Uint8Array | undefined, limit?: number): Entry[] {
    return this.#entries(table)
      .filter(({ key }) => key.compare(start) >= 0 && (end === undefined || key.compare(end) < 0))
      .slice(0, limit);
  }

  #entries(number: number): Entry[] {
    const rows = [...this.rows.values()];
    const found =
      number === LOOKUPS
        ? rows.flatMap(({ table, key, value }) =>
            TABLES.get(table)!
              .lookups(key, value)
              .map((lookup) => ({ key: lookup, value: key })),
          )
        : number === TARGETS
          ? rows.filter(({ table }) => table === records.number).flatMap(({ key, value }) => targets(key, value))
          : rows.filter(({ table }) => table === number);
    return found.map(({ key, value }) => ({ key, value })).sort((a, b) => a.key.compare(b.key));
  }
}

function targets(key: Buffer, value: Buffer): Entry[] {
  const { type, rdata } = records.decode(key, value);
  const alias = type === TYPE.CNAME || type === TYPE.DNAME ? 0 : undefined;
  const at = alias ?? (isServiceBinding(type) ? SERVICE_TARGET : HOST_TARGET.get(type));
  return at === undefined ? [] : [{ key: targetKey(nameAt(rdata, at), key), value: Buffer.alloc(0) }];
}

export class PlainStore extends Reader {
  readonly #plain: PlainRows;

  constructor() {
    const plain = new PlainRows();
    super(plain);
    this.#plain = plain;
  }

  put<Row>(table: Table<Row>, row: Row): void {
    const key = table.key(row);
    const stamp = Buffer.alloc(table.stamped ? STAMP : 0);
    const value = Buffer.concat([table.encode(row), stamp]);
    this.#plain.rows.set(`${table.number} ${key.toString('hex')}`, { table: table.number, key, value });
  }

  delete<Row>(table: Table<Row>, row: Row): void {
    this.#plain.rows.delete(`${table.number} ${table.key(row).toString('hex')}`);
  }

  /** All keys count as read in this store. */
  addReadRange(): void {}
}
