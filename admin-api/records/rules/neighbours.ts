/**
 * The records at one name, and what the rules ask about all of them, kept up as records come: of thousands that come to one name, each would have to look at all
 * that came before it.
 */
import type { RecordRow } from '../../../core/store/rows.ts';
import { latin1 } from '../../../core/wire/latin1.ts';
import { WEB_TYPES } from '../../../core/zone/proxied.ts';
import { RECORD_OVERHEAD } from './record.ts';

interface NeighbourSet {
  readonly rows: RecordRow[];
  readonly rdatas: Set<string>;
  size: number;
  /** All have one TTL, and say the same of the proxy. */
  even: boolean;
}

type Said = Pick<RecordRow, 'type' | 'ttl' | 'proxied' | 'updatedAt'>;

export class Neighbours {
  readonly #sets = new Map<number, NeighbourSet>();
  #size = 0;

  constructor(rows: Iterable<RecordRow>) {
    for (const row of rows) this.add(row);
  }

  has(type: number): boolean {
    return this.#sets.has(type);
  }

  /** Whether the very record is there. */
  holds(type: number, rdata: Uint8Array): boolean {
    return this.#sets.get(type)?.rdatas.has(latin1(rdata)) === true;
  }

  get types(): ReadonlyMap<number, unknown> {
    return this.#sets;
  }

  /** Bytes of all records, each with its overhead. */
  get size(): number {
    return this.#size;
  }

  /** The same of one RRset. */
  sizeOf(type: number): number {
    return this.#sets.get(type)?.size ?? 0;
  }

  /** What the name says of the proxy; undefined: it has no record that could. */
  get proxied(): boolean | null | undefined {
    for (const [type, { rows }] of this.#sets) if (WEB_TYPES.has(type)) return rows[0].proxied;
    return undefined;
  }

  add(row: RecordRow): void {
    const { type, rdata } = row;
    let set = this.#sets.get(type);
    if (set === undefined) {
      set = { rows: [], rdatas: new Set(), size: 0, even: true };
      this.#sets.set(type, set);
    }
    set.even = set.even && (set.rows.length === 0 || isEven(row, set.rows[0]));
    set.rows.push(row);
    set.rdatas.add(latin1(rdata));
    const size = rdata.length + RECORD_OVERHEAD;
    set.size += size;
    this.#size += size;
  }

  /**
   * Gives the RRset of `said` its TTL, and when that makes a web name, all that do so its `proxied`. Returns the records that were otherwise, as they are now.
   */
  align(said: Said): RecordRow[] {
    const aligned: RecordRow[] = [];
    const web = WEB_TYPES.has(said.type);
    for (const [type, set] of this.#sets) {
      const wanted = (row: RecordRow): RecordRow => {
        const ttl = type === said.type ? said.ttl : row.ttl;
        const proxied = web && WEB_TYPES.has(type) ? said.proxied : row.proxied;
        return ttl === row.ttl && proxied === row.proxied ? row : { ...row, ttl, proxied, updatedAt: said.updatedAt };
      };
      const { rows } = set;
      if (set.even && wanted(rows[0]) === rows[0]) continue;
      for (const [i, row] of rows.entries()) {
        rows[i] = wanted(row);
        if (rows[i] !== row) aligned.push(rows[i]);
      }
      set.even = rows.every((row) => isEven(row, rows[0]));
    }
    return aligned;
  }
}

const isEven = (a: RecordRow, b: RecordRow): boolean => a.ttl === b.ttl && a.proxied === b.proxied;
