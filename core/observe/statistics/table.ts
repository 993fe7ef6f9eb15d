/**
 * Counts of the domains in the current minute, in memory. The caller writes them to the store when
 * the minute is over, or earlier when the table is full. So its size is bounded, whatever the
 * number of domains.
 */
import { addTo, type CountEntry, NameSketch, SUBJECT } from './counts.ts';

/** A column or a name takes about 60 bytes, a domain as much as five of them. */
const MAX_UNITS = 200_000;
const DOMAIN_UNITS = 5;

interface Tally {
  readonly columns: Map<number, number>;
  names: NameSketch | null;
}

export class CountTable {
  readonly #tallies = new Map<number, Tally>();
  #units = 0;

  get isFull(): boolean {
    return this.#units >= MAX_UNITS;
  }

  get isEmpty(): boolean {
    return this.#units === 0;
  }

  add(domainId: number, column: number, count: number): void {
    const { columns } = this.#tallyOf(domainId);
    const before = columns.size;
    addTo(columns, column, count);
    this.#units += columns.size - before;
  }

  /** Counts a query by type, code and name. */
  addQuery(domainId: number, type: number, code: number, name: string, weight: number): void {
    const tally = this.#tallyOf(domainId);
    tally.names ??= new NameSketch();
    const { columns, names } = tally;
    const before = columns.size + names.size;
    addTo(columns, type, weight);
    addTo(columns, code, weight);
    names.add(name, weight);
    this.#units += columns.size + names.size - before;
  }

  entry(domainId: number): CountEntry | null {
    const tally = this.#tallies.get(domainId);
    return tally === undefined ? null : entryOf(domainId, tally);
  }

  /** By rising id. */
  entries(): CountEntry[] {
    const ids = Float64Array.from(this.#tallies.keys()).sort();
    return Array.from(ids, (id) => entryOf(id, this.#tallyOf(id)));
  }

  clear(): void {
    this.#tallies.clear();
    this.#units = 0;
  }

  #tallyOf(domainId: number): Tally {
    let tally = this.#tallies.get(domainId);
    if (tally === undefined) {
      tally = { columns: new Map(), names: null };
      this.#tallies.set(domainId, tally);
      this.#units += DOMAIN_UNITS;
    }
    return tally;
  }
}

function entryOf(id: number, { columns, names }: Tally): CountEntry {
  return { kind: SUBJECT.domain, id, columns, names: names?.guaranteed() ?? new Map() };
}
