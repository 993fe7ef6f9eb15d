/**
 * The records at one name, with the sums that the rules need. The sums are updated when a record is
 * added: otherwise each of a thousand new records at one name would read all previous ones.
 */

import { latin1 } from '../../../../core/dns/wire/latin1.ts';
import type { RecordRow } from '../../../../core/store/rows.ts';
import { WEB_TYPES } from '../../../../core/zone/compile/proxied.ts';
import { RECORD_OVERHEAD } from './record.ts';

interface NeighbourSet {
  readonly rows: RecordRow[];
  readonly rdatas: Set<string>;
  size: number;
  /** The size before any record was added by a write. */
  firstSize: number;
  /** Whether all rows have the same TTL and the same `proxied`. */
  isUniform: boolean;
}

type SharedValues = Pick<RecordRow, 'type' | 'ttl' | 'proxied' | 'updatedAt'>;

export class Neighbours {
  readonly #sets = new Map<number, NeighbourSet>();
  #size = 0;
  readonly #firstSize: number;

  constructor(rows: Iterable<RecordRow>) {
    for (const row of rows) this.add(row);
    for (const set of this.#sets.values()) set.firstSize = set.size;
    this.#firstSize = this.#size;
  }

  has(type: number): boolean {
    return this.#sets.has(type);
  }

  /** Whether a record with this type and rdata exists. */
  holds(type: number, rdata: Uint8Array): boolean {
    return this.#sets.get(type)?.rdatas.has(latin1(rdata)) === true;
  }

  get types(): ReadonlyMap<number, unknown> {
    return this.#sets;
  }

  /** Bytes of all records, with the overhead of each. */
  get size(): number {
    return this.#size;
  }

  /** Bytes of one RRset, with the overhead of each record. */
  sizeOf(type: number): number {
    return this.#sets.get(type)?.size ?? 0;
  }

  /** `size` and `sizeOf` before records were added. */
  get firstSize(): number {
    return this.#firstSize;
  }

  firstSizeOf(type: number): number {
    return this.#sets.get(type)?.firstSize ?? 0;
  }

  /** `proxied` of the name; undefined: it has no records that the proxy can serve. */
  get proxied(): boolean | null | undefined {
    for (const [type, { rows }] of this.#sets) if (WEB_TYPES.has(type)) return rows[0].proxied;
    return undefined;
  }

  add(row: RecordRow): void {
    const { type, rdata } = row;
    let set = this.#sets.get(type);
    if (set === undefined) {
      set = { rows: [], rdatas: new Set(), size: 0, firstSize: 0, isUniform: true };
      this.#sets.set(type, set);
    }
    set.isUniform = set.isUniform && (set.rows.length === 0 || sharesValues(row, set.rows[0]));
    set.rows.push(row);
    set.rdatas.add(latin1(rdata));
    const size = rdata.length + RECORD_OVERHEAD;
    set.size += size;
    this.#size += size;
  }

  /**
   * Copies the TTL of a record to its RRset, and its `proxied` to all records that the proxy can
   * serve. Returns the changed records with their new values.
   */
  align(source: SharedValues): RecordRow[] {
    const aligned: RecordRow[] = [];
    const isWeb = WEB_TYPES.has(source.type);
    for (const [type, set] of this.#sets) {
      const copyValues = (row: RecordRow): RecordRow => {
        const ttl = type === source.type ? source.ttl : row.ttl;
        const proxied = isWeb && WEB_TYPES.has(type) ? source.proxied : row.proxied;
        return ttl === row.ttl && proxied === row.proxied ? row : { ...row, ttl, proxied, updatedAt: source.updatedAt };
      };
      const { rows } = set;
      if (set.isUniform && copyValues(rows[0]) === rows[0]) continue;
      for (const [i, row] of rows.entries()) {
        rows[i] = copyValues(row);
        if (rows[i] !== row) aligned.push(rows[i]);
      }
      set.isUniform = rows.every((row) => sharesValues(row, rows[0]));
    }
    return aligned;
  }
}

const sharesValues = (a: RecordRow, b: RecordRow): boolean => a.ttl === b.ttl && a.proxied === b.proxied;
