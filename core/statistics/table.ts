/**
 * Counts of the current minute in memory. The caller writes it to the store when the minute is
 * over, or earlier when it is full; so its size is bounded, whatever the number of domains.
 */
import { addTo, type CountEntry, compareSubjects, NameSketch, SUBJECT } from './counts.ts';

/** A column or a name takes about 60 bytes, a subject as much as five of them. */
const MAX_UNITS = 200_000;
const SUBJECT_UNITS = 5;

interface Tally {
  readonly columns: Map<number, number>;
  names: NameSketch | null;
}

export class CountTable {
  readonly #subjects = [SUBJECT.domain, SUBJECT.account].map((kind) => ({ kind, tallies: new Map<number, Tally>() }));
  #units = 0;

  get isFull(): boolean {
    return this.#units >= MAX_UNITS;
  }

  get isEmpty(): boolean {
    return this.#units === 0;
  }

  add(kind: number, id: number, column: number, count: number): void {
    const { columns } = this.#tallyOf(kind, id);
    const before = columns.size;
    addTo(columns, column, count);
    this.#units += columns.size - before;
  }

  addName(kind: number, id: number, name: string, weight: number): void {
    const tally = this.#tallyOf(kind, id);
    tally.names ??= new NameSketch();
    const before = tally.names.size;
    tally.names.add(name, weight);
    this.#units += tally.names.size - before;
  }

  entry(kind: number, id: number): CountEntry | null {
    const tally = this.#tallies(kind).get(id);
    return tally === undefined ? null : entryOf(kind, id, tally);
  }

  /** All entries in the order of the store. The table is empty afterwards. */
  take(): CountEntry[] {
    const entries: CountEntry[] = [];
    for (const { kind, tallies } of this.#subjects) {
      for (const [id, tally] of tallies) entries.push(entryOf(kind, id, tally));
      tallies.clear();
    }
    this.#units = 0;
    return entries.sort(compareSubjects);
  }

  #tallies(kind: number): Map<number, Tally> {
    return this.#subjects[kind - 1].tallies;
  }

  #tallyOf(kind: number, id: number): Tally {
    const tallies = this.#tallies(kind);
    let tally = tallies.get(id);
    if (tally === undefined) {
      tally = { columns: new Map(), names: null };
      tallies.set(id, tally);
      this.#units += SUBJECT_UNITS;
    }
    return tally;
  }
}

function entryOf(kind: number, id: number, { columns, names }: Tally): CountEntry {
  return { kind, id, columns: new Map(columns), names: names?.guaranteed() ?? new Map() };
}
