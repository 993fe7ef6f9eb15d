/**
 * The store with writes laid over it that go nowhere: what a rehearsal sees and makes. No transaction is begun and taken back for it: one of lmdb forgets with that which of the file's pages
 * are free, reads that anew in the next, and has been seen to lose its way in it.
 */
import type { Binary, Environment } from '../../store/environment.ts';
import { latin1 } from '../../wire/latin1.ts';
import { Overlay } from '../draft/overlay.ts';

/** Bytes of a key that lmdb takes, with pages of 4 KB. */
const LONGEST_KEY = 1978;

type RangeOptions = NonNullable<Parameters<Binary['getRange']>[0]>;
type Read = Pick<Binary, 'get' | 'doesExist' | 'getKeys' | 'getRange'>;

/** Of a table, as much as applying entries asks for. */
class OverlaidTable {
  readonly #under: Read;
  readonly #over = new Overlay();
  #isEmpty = true;

  constructor(under: Read) {
    this.#under = under;
  }

  get(key: Uint8Array): Buffer | undefined {
    const own = this.#isEmpty ? undefined : this.#over.get(latin1(key));
    return own === undefined ? this.#under.get(key) : (own ?? undefined);
  }

  doesExist(key: Uint8Array): boolean {
    const own = this.#isEmpty ? undefined : this.#over.get(latin1(key));
    return own === undefined ? this.#under.doesExist(key) : own !== null;
  }

  put(key: Uint8Array, value: Buffer): void {
    if (key.length === 0 || key.length > LONGEST_KEY)
      throw new Error(`a key of ${key.length} bytes is too long to store`);
    this.#write(key, value);
  }

  remove(key: Uint8Array): void {
    this.#write(key, null);
  }

  *getKeys(options: RangeOptions): Iterable<Uint8Array> {
    for (const { key } of this.getRange(options)) yield key;
  }

  /** The options are read when it is walked. */
  getRange(options: RangeOptions): Iterable<{ key: Uint8Array; value: Buffer }> {
    return { [Symbol.iterator]: () => this.#walk(options) };
  }

  #write(key: Uint8Array, value: Buffer | null): void {
    this.#isEmpty = false;
    this.#over.set(latin1(key), value);
  }

  *#walk(options: RangeOptions): Iterator<{ key: Uint8Array; value: Buffer }> {
    const { start, end, reverse = false, limit = Number.POSITIVE_INFINITY } = options;
    const over = this.#isEmpty ? [] : this.#written(start as Uint8Array, end as Uint8Array | undefined, reverse);
    if (over.length === 0) return yield* this.#under.getRange(options);
    const under = this.#under.getRange({ start, end, reverse })[Symbol.iterator]();
    try {
      let next = under.next();
      let at = 0;
      for (let given = 0; given < limit; ) {
        const id = next.done ? undefined : latin1(next.value.key as Uint8Array);
        const own = over[at];
        if (id === undefined && own === undefined) break;
        const isOwn = own !== undefined && (id === undefined || (reverse ? own[0] >= id : own[0] <= id));
        if (isOwn) at++;
        const value = isOwn ? own[1] : next.value!.value;
        const key = isOwn ? Buffer.from(own[0], 'latin1') : (next.value!.key as Uint8Array);
        if (!isOwn || own[0] === id) next = under.next();
        if (value === null) continue;
        given++;
        yield { key, value };
      }
    } finally {
      // Also when the walk is left early: while it is open, no page that is freed can be taken again.
      under.return?.();
    }
  }

  /** In the order of the walk. From above, the start is within and the end is not. */
  #written(
    start: Uint8Array,
    end: Uint8Array | undefined,
    reverse: boolean,
  ): readonly (readonly [string, Buffer | null])[] {
    if (!reverse) return [...this.#over.between(latin1(start), end && latin1(end))];
    const after = end === undefined ? '' : `${latin1(end)}\0`;
    return [...this.#over.between(after, `${latin1(start)}\0`)].reverse();
  }
}

/** What is written to it is seen in it alone. Its `root` is that of the store below, and not to be used. */
export function overlaid(environment: Environment): Environment {
  const tables = new Map<Binary, Binary>();
  const over = (table: Binary): Binary => {
    let own = tables.get(table);
    if (own === undefined) {
      own = new OverlaidTable(table) as unknown as Binary;
      tables.set(table, own);
    }
    return own;
  };
  const rows = new Map([...environment.rows].map(([number, table]) => [number, over(table)]));
  const { records, lookups, answers, targets, aliases, zones, usage, sites, journal, meta } = environment;
  return {
    ...environment,
    rows,
    ...{ records: over(records), lookups: over(lookups), answers: over(answers), targets: over(targets) },
    ...{ aliases: over(aliases), zones: over(zones), usage: over(usage), sites: over(sites) },
    ...{ journal: over(journal), meta: over(meta) },
  };
}
