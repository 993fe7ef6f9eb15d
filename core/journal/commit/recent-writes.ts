/** Which keys the last entries wrote, so that a commit can be checked against what it read (backward validation). */
import { recordKeyParts } from '../../store/keys.ts';
import { LOOKUPS, TARGETS } from '../../store/reader.ts';
import { records, TABLES } from '../../store/rows.ts';
import { latin1 } from '../../wire/latin1.ts';
import { lowerBound } from '../draft/overlay.ts';
import { readChanges } from '../entry-codec.ts';
import { type KeyRange, type KeyText, type ReadSet, textOf } from '../journal.ts';
import { hasTarget, targetOf } from '../record-targets.ts';

interface Written {
  readonly sequence: number;
  /** The keys of each table, in Latin-1 and in order. */
  readonly keys: ReadonlyMap<number, readonly string[]>;
  /** How many. */
  readonly count: number;
  /** First and last key of the records of each zone that the entry changes in bulk. */
  readonly spans: readonly { readonly first: string; readonly last: string }[];
}

/** An entry with more changes is remembered by spans. */
const BULK_BYTES = 64 * 1024;
/** Length of the domain id that a record's key begins with. */
const ZONE = 8;

/** Entries remembered. A draft that began before the oldest of them conflicts and starts anew. */
const REMEMBERED = 4096;
/** So many are forgotten together, since the rest moves up. */
const AT_ONCE = 512;
/** Keys remembered over all entries, about 100 bytes each. */
const REMEMBERED_KEYS = 200_000;

export class RecentWrites {
  #entries: Written[] = [];
  #keys = 0;
  /** Entries up to this sequence are not remembered. */
  #forgotten: number;

  readonly #old: (table: number, key: Buffer) => Buffer | undefined;

  /** `old`: a row as it is before the entry that is added, from which the other keys follow that go with it. */
  constructor(head: number, old: (table: number, key: Buffer) => Buffer | undefined) {
    this.#forgotten = head;
    this.#old = old;
  }

  conflicts(reads: ReadSet): boolean {
    if (reads.at < this.#forgotten) return true;
    let i = this.#entries.length;
    while (i > 0 && this.#entries[i - 1].sequence > reads.at) i--;
    if (i === this.#entries.length) return false;
    // An entry writes to few tables, and most of these are not read.
    const read = byTable(reads.ranges);
    for (; i < this.#entries.length; i++) {
      const { keys, spans } = this.#entries[i];
      for (const [table, written] of keys) if (isWritten(written, read.get(table) ?? NO_RANGES)) return true;
      if (spans.length > 0 && isSpanned(spans, read.get(records.number) ?? NO_RANGES)) return true;
    }
    return false;
  }

  add(sequence: number, changes: Buffer): void {
    const keys = new Map<number, string[]>();
    let count = 0;
    const note = (table: number, key: Uint8Array): void => {
      count++;
      const known = keys.get(table);
      if (known === undefined) keys.set(table, [latin1(key)]);
      else known.push(latin1(key));
    };
    let spans: Map<string, { first: Buffer; last: Buffer }> | undefined;
    const bulk = changes.length > BULK_BYTES;
    for (const { table, key, value } of readChanges(changes)) {
      if (table === records.number) {
        if (bulk) {
          spans ??= new Map();
          widen(spans, key);
        } else note(table, key);
        if (hasTarget(recordKeyParts(key).type)) {
          const row = value ?? this.#old(table, key);
          if (row !== undefined) note(TARGETS, targetOf(key, row).entry);
        }
        continue;
      }
      note(table, key);
      // Lookups that follow from the key lead to a row that is read next, so that its own key is enough.
      const { lookups, lookupsFromKey } = TABLES.get(table)!;
      if (lookupsFromKey) continue;
      for (const row of [value, this.#old(table, key)])
        if (row != null) for (const lookup of lookups(key, row)) note(LOOKUPS, lookup);
    }
    for (const written of keys.values()) if (written.length > 1) written.sort();
    const written =
      spans === undefined
        ? NO_SPANS
        : [...spans.values()].map(({ first, last }) => ({ first: latin1(first), last: latin1(last) }));
    this.#entries.push({ sequence, keys, count, spans: written });
    this.#keys += count;
  }

  /** What to hand to `restore` when the entries added since come to nothing. Forgets what is too old. */
  checkpoint(): number {
    if (this.#entries.length < REMEMBERED + AT_ONCE && this.#keys <= REMEMBERED_KEYS) return this.#entries.length;
    let drop = 0;
    let keys = this.#keys;
    while (drop < this.#entries.length && (this.#entries.length - drop > REMEMBERED || keys > REMEMBERED_KEYS))
      keys -= this.#entries[drop++].count;
    if (drop > 0) {
      this.#forgotten = this.#entries[drop - 1].sequence;
      this.#entries = this.#entries.slice(drop);
      this.#keys = keys;
    }
    return this.#entries.length;
  }

  restore(checkpoint: number): void {
    for (const { count } of this.#entries.splice(checkpoint)) this.#keys -= count;
  }
}

const NO_SPANS: Written['spans'] = [];

function widen(spans: Map<string, { first: Buffer; last: Buffer }>, key: Buffer): void {
  const zone = key.toString('latin1', 0, ZONE);
  const span = spans.get(zone);
  if (span === undefined) spans.set(zone, { first: key, last: key });
  else if (Buffer.compare(key, span.last) > 0) span.last = key;
  else if (Buffer.compare(key, span.first) < 0) span.first = key;
}

const NO_RANGES: readonly KeyText[] = [];

/** The texts are those of the draft, when the ranges come from one. */
function byTable(ranges: readonly KeyRange[]): Map<number, KeyText[]> {
  const tables = new Map<number, KeyText[]>();
  for (const range of ranges) {
    const text = range.text ?? textOf(range.table, range.start, range.end);
    const known = tables.get(range.table);
    if (known === undefined) tables.set(range.table, [text]);
    else known.push(text);
  }
  return tables;
}

/** Whether any of the keys, which are in order, is in any of the ranges. */
function isWritten(keys: readonly string[], ranges: readonly KeyText[]): boolean {
  for (const { start, end } of ranges) {
    const at = lowerBound(keys, start);
    if (at < keys.length && (end === undefined || keys[at] < end)) return true;
  }
  return false;
}

function isSpanned(spans: Written['spans'], ranges: readonly KeyText[]): boolean {
  return ranges.some(({ start, end }) =>
    spans.some(({ first, last }) => start <= last && (end === undefined || first < end)),
  );
}
