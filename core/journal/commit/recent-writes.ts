/**
 * The keys that the latest entries wrote. A commit is checked against them: it conflicts if one of
 * them is in its read set (backward validation).
 */

import { lowerBound } from '../../base/lower-bound.ts';
import { latin1 } from '../../dns/wire/latin1.ts';
import { afterPrefix, idKey, recordKeyParts } from '../../store/keys.ts';
import { LOOKUPS, TARGETS } from '../../store/raw-reader.ts';
import { records, TABLES } from '../../store/rows.ts';
import { importOf } from '../apply/import-entries.ts';
import { readChanges } from '../entry-codec.ts';
import { type KeyRange, type KeyText, type ReadSet, textOf } from '../journal.ts';
import { hasTarget, targetOf } from '../record-targets.ts';

interface WrittenKeys {
  readonly sequence: number;
  /** The sorted keys of each table, in Latin-1. */
  readonly keys: ReadonlyMap<number, readonly string[]>;
  /** The number of keys. */
  readonly count: number;
  /** For an entry with bulk changes: first and last changed record key of each zone. */
  readonly spans: readonly { readonly first: string; readonly last: string }[];
  /** All records of a zone, and the targets of their records. */
  readonly whole: readonly KeyText[];
}

/** An entry with more bytes of changes is stored as spans. */
const BULK_BYTES = 64 * 1024;
/** Length of the domain id at the start of a record's key. */
const ZONE_ID_LENGTH = 8;

/**
 * Maximum number of entries kept. A draft that started before the oldest entry conflicts and is
 * retried.
 */
const MAX_ENTRIES = 4096;
/** Entries are dropped in batches of this size, since dropping moves all the others. */
const DROP_BATCH = 512;
/** Maximum number of keys in all entries; about 100 bytes each. */
const MAX_KEYS = 200_000;

export class RecentWrites {
  #entries: WrittenKeys[] = [];
  #keys = 0;
  /** Entries up to this sequence were dropped. */
  #droppedUntil: number;

  /**
   * `readOld` returns a row before the added entry. The lookups and targets that the entry deletes
   * are derived from it.
   */
  constructor(
    head: number,
    private readonly readOld: (table: number, key: Buffer) => Buffer | undefined,
  ) {
    this.#droppedUntil = head;
  }

  hasConflict(reads: ReadSet): boolean {
    if (reads.at < this.#droppedUntil) return true;
    let i = this.#entries.length;
    while (i > 0 && this.#entries[i - 1].sequence > reads.at) i--;
    if (i === this.#entries.length) return false;
    // An entry writes to few tables, and most of them are not in the read set.
    const read = groupByTable(reads.ranges);
    for (; i < this.#entries.length; i++) {
      const { keys, spans, whole } = this.#entries[i];
      for (const [table, written] of keys) if (isWritten(written, read.get(table) ?? NO_RANGES)) return true;
      if (spans.length > 0 && isSpanned(spans, read.get(records.number) ?? NO_RANGES)) return true;
      for (const zone of whole) if (overlaps(zone, read.get(zone.table) ?? NO_RANGES)) return true;
    }
    return false;
  }

  add(sequence: number, changes: Buffer): void {
    const keys = new Map<number, string[]>();
    let count = 0;
    const addKey = (table: number, key: Uint8Array): void => {
      count++;
      const tableKeys = keys.get(table);
      if (tableKeys === undefined) keys.set(table, [latin1(key)]);
      else tableKeys.push(latin1(key));
    };
    const importRow = importOf(changes);
    const isPart = importRow?.end === null;
    let spans: Map<string, { first: Buffer; last: Buffer }> | undefined;
    const isBulk = changes.length > BULK_BYTES;
    for (const { table, key, value } of readChanges(changes)) {
      // Nothing reads the hidden records of an import.
      if (isPart && table === records.number) break;
      if (table === records.number) {
        if (isBulk) {
          spans ??= new Map();
          widenSpan(spans, key);
        } else addKey(table, key);
        if (hasTarget(recordKeyParts(key).type)) {
          const record = value ?? this.readOld(table, key);
          if (record !== undefined) addKey(TARGETS, targetOf(key, record).entry);
        }
        continue;
      }
      addKey(table, key);
      // A read of such a lookup is followed by a read of its row, so the row's key is enough.
      const { lookups, lookupsFromKey } = TABLES.get(table)!;
      if (lookupsFromKey) continue;
      for (const row of [value, this.readOld(table, key)])
        if (row != null) for (const lookup of lookups(key, row)) addKey(LOOKUPS, lookup);
    }
    for (const tableKeys of keys.values()) if (tableKeys.length > 1) tableKeys.sort();
    const allSpans =
      spans === undefined
        ? NO_SPANS
        : [...spans.values()].map(({ first, last }) => ({ first: latin1(first), last: latin1(last) }));
    const whole = importRow === null || isPart ? NO_RANGES : rangesOfZone(idKey(importRow.domainId));
    this.#entries.push({ sequence, keys, count, spans: allSpans, whole });
    this.#keys += count;
  }

  /**
   * Returns the sequence of the last entry for `restore`, which removes the entries added later.
   * Also drops the oldest entries above the limits.
   */
  checkpoint(): number {
    this.#dropOldest();
    return this.#entries.at(-1)?.sequence ?? this.#droppedUntil;
  }

  #dropOldest(): void {
    if (this.#entries.length < MAX_ENTRIES + DROP_BATCH && this.#keys <= MAX_KEYS) return;
    let drop = 0;
    let keys = this.#keys;
    while (drop < this.#entries.length && (this.#entries.length - drop > MAX_ENTRIES || keys > MAX_KEYS))
      keys -= this.#entries[drop++].count;
    if (drop > 0) {
      this.#droppedUntil = this.#entries[drop - 1].sequence;
      this.#entries = this.#entries.slice(drop);
      this.#keys = keys;
    }
  }

  restore(checkpoint: number): void {
    let end = this.#entries.length;
    while (end > 0 && this.#entries[end - 1].sequence > checkpoint) end--;
    for (const { count } of this.#entries.splice(end)) this.#keys -= count;
  }
}

const NO_SPANS: WrittenKeys['spans'] = [];

function widenSpan(spans: Map<string, { first: Buffer; last: Buffer }>, key: Buffer): void {
  const zone = key.toString('latin1', 0, ZONE_ID_LENGTH);
  const span = spans.get(zone);
  if (span === undefined) spans.set(zone, { first: key, last: key });
  else if (Buffer.compare(key, span.last) > 0) span.last = key;
  else if (Buffer.compare(key, span.first) < 0) span.first = key;
}

const NO_RANGES: readonly KeyText[] = [];

/** Groups ranges by table. Ranges of a draft have their Latin-1 text already. */
function groupByTable(ranges: readonly KeyRange[]): Map<number, KeyText[]> {
  const tables = new Map<number, KeyText[]>();
  for (const range of ranges) {
    const text = range.text ?? textOf(range.table, range.start, range.end);
    const tableRanges = tables.get(range.table);
    if (tableRanges === undefined) tables.set(range.table, [text]);
    else tableRanges.push(text);
  }
  return tables;
}

/** Whether any of the sorted keys is in any of the ranges. */
function isWritten(keys: readonly string[], ranges: readonly KeyText[]): boolean {
  for (const { start, end } of ranges) {
    const at = lowerBound(keys, start);
    if (at < keys.length && (end === undefined || keys[at] < end)) return true;
  }
  return false;
}

const rangesOfZone = (prefix: Buffer): KeyText[] =>
  [records.number, TARGETS].map((table) => textOf(table, prefix, afterPrefix(prefix)));

const overlaps = (zone: KeyText, ranges: readonly KeyText[]): boolean =>
  ranges.some(
    ({ start, end }) => (zone.end === undefined || start < zone.end) && (end === undefined || zone.start < end),
  );

function isSpanned(spans: WrittenKeys['spans'], ranges: readonly KeyText[]): boolean {
  return ranges.some(({ start, end }) =>
    spans.some(({ first, last }) => start <= last && (end === undefined || first < end)),
  );
}
