/**
 * A draft: what one request reads and wants to change. It remembers every key and range that it reads, and shows its own changes to its own reads, so
 * that a service is written as if it were alone: read, check, put. `write` commits it and starts anew when something that it read has changed.
 */
import { ConflictError, WaypostError } from '../../base/errors.ts';
import type { Environment } from '../../store/environment.ts';
import { recordKeyParts } from '../../store/keys.ts';
import { type Entry, LOOKUPS, type RawReader, Reader, rawReader, TARGETS } from '../../store/reader.ts';
import { records, STAMP, type Table } from '../../store/rows.ts';
import { latin1 } from '../../wire/latin1.ts';
import { ChangeWriter } from '../entry-codec.ts';
import { type CompiledZone, type Journal, type KeyRange, type KeyText, textOf } from '../journal.ts';
import { hasTarget, targetOf } from '../record-targets.ts';
import { Overlay } from './overlay.ts';

export class Draft extends Reader {
  readonly #tracked: TrackedReader;
  compiled: CompiledZone | undefined;

  constructor(environment: Environment, head: number) {
    const tracked = new TrackedReader(rawReader(environment), head);
    super(tracked);
    this.#tracked = tracked;
  }

  put<Row>(table: Table<Row>, row: Row): void {
    const key = table.key(row);
    this.#tracked.write(table as Table<unknown>, key, table.encode(row));
  }

  /** A row whose key nobody has had before, as a new id makes sure: nothing is read. */
  insert<Row>(table: Table<Row>, row: Row): void {
    this.#tracked.write(table as Table<unknown>, table.key(row), table.encode(row), true);
  }

  delete<Row>(table: Table<Row>, row: Row): void {
    this.#tracked.write(table as Table<unknown>, table.key(row), null);
  }

  /** Changes encoded elsewhere (bulk import). The draft's own reads do not show them. */
  append(changes: Buffer): void {
    this.#tracked.appended.push(changes);
  }

  /** Says that all keys of a range count as read: for what is appended, or for many reads inside of it. */
  reads(range: KeyRange): void {
    this.#tracked.cover(range);
  }

  get request(): { reads: { at: number; ranges: readonly KeyRange[] }; changes: Buffer } {
    return { reads: { at: this.#tracked.head, ranges: this.#tracked.ranges }, changes: this.#tracked.changes() };
  }
}

class TrackedReader implements RawReader {
  readonly head: number;
  readonly ranges: KeyRange[] = [];
  readonly appended: Buffer[] = [];
  readonly #under: RawReader;
  /** What this draft leaves otherwise than it was: rows, their lookups, their targets. */
  readonly #overlays = new Map<number, Overlay>();
  /** Rows in the order in which they were first written, each once. */
  readonly #rows: Row[] = [];
  /** Ranges that need not be noted again, since all of them counts as read. */
  readonly #covering: KeyText[] = [];

  constructor(under: RawReader, head: number) {
    this.#under = under;
    this.head = head;
  }

  get(table: number, key: Uint8Array): Buffer | undefined {
    const id = latin1(key);
    const own = this.#overlays.get(table)?.get(id);
    if (own !== undefined) return own ?? undefined;
    const bounds = { table, start: id, end: `${id}\0` };
    if (!this.#isCovered(bounds)) this.ranges.push({ table, start: key, end: after(key), text: bounds });
    return this.#under.get(table, key);
  }

  range(table: number, start: Uint8Array, end: Uint8Array | undefined, limit?: number): Entry[] {
    const most = limit ?? Number.POSITIVE_INFINITY;
    if (most === 0) return [];
    const overlay = this.#overlays.get(table);
    const found: Entry[] = [];
    let readTo: Uint8Array | undefined = start;
    // Of what is under the overlay any number may be deleted, so that it takes several pages to fill one.
    for (let page = limit; found.length < most; page = page && page * 2) {
      const from: Uint8Array = readTo ?? start;
      const entries = this.#under.range(table, from, end, page);
      const isLast = entries.length !== page;
      readTo = isLast ? end : after(entries[entries.length - 1].key);
      merge(entries, overlay?.between(latin1(from), readTo && latin1(readTo)) ?? [], most, found);
      if (isLast) break;
    }
    const bounds = textOf(table, start, readTo);
    if (!this.#isCovered(bounds)) this.ranges.push({ table, start, end: readTo, text: bounds });
    return found;
  }

  /** Says that a whole range was read, so that its parts are not noted one by one. */
  cover(range: KeyRange): void {
    this.ranges.push(range);
    this.#covering.push(textOf(range.table, range.start, range.end));
  }

  write(table: Table<unknown>, key: Buffer, value: Buffer | null, isNew = false): void {
    const before = isNew ? undefined : this.get(table.number, key);
    if (before !== undefined) this.#lookUp(table, key, before, null);
    if (value !== null) this.#lookUp(table, key, value, key);
    const id = latin1(key);
    const overlay = this.#overlay(table.number);
    if (overlay.get(id) === undefined) this.#rows.push({ table, key, id, isNew });
    // The draft's own reads find the stamp that is put there when the entry is applied.
    overlay.set(id, value !== null && table.stamped ? Buffer.concat([value, NO_STAMP]) : value);
  }

  /** Deletes first: a row that is replaced is a delete and a put, so that whoever applies it can count. */
  changes(): Buffer {
    const out = new ChangeWriter();
    for (const { table, key, isNew } of this.#rows)
      if (!isNew && this.#under.get(table.number, key) !== undefined) out.delete(table.number, key);
    for (const { table, key, id } of this.#rows) {
      const value = this.#overlay(table.number).get(id);
      if (value) out.put(table.number, key, table.stamped ? value.subarray(0, value.length - STAMP) : value);
    }
    return this.appended.length === 0 ? out.content : Buffer.concat([out.content, ...this.appended]);
  }

  /** The other keys under which a row is found: there with `value`, gone with null. */
  #lookUp(table: Table<unknown>, key: Buffer, row: Buffer, value: Buffer | null): void {
    const lookups = this.#overlay(LOOKUPS);
    for (const lookup of table.lookups(key, row)) {
      const id = latin1(lookup);
      // Another row of this draft may have taken it over already.
      const own = value === null ? lookups.get(id) : undefined;
      if (!own || own.equals(key)) lookups.set(id, value);
    }
    if (table.number === records.number && hasTarget(recordKeyParts(key).type))
      this.#overlay(TARGETS).set(latin1(targetOf(key, row).entry), value === null ? null : NOTHING);
  }

  #overlay(table: number): Overlay {
    let overlay = this.#overlays.get(table);
    if (overlay === undefined) {
      overlay = new Overlay();
      this.#overlays.set(table, overlay);
    }
    return overlay;
  }

  #isCovered({ table, start, end }: KeyText): boolean {
    return this.#covering.some(
      (range) =>
        range.table === table &&
        range.start <= start &&
        (range.end === undefined || (end !== undefined && end <= range.end)),
    );
  }
}

interface Row {
  readonly table: Table<unknown>;
  readonly key: Buffer;
  readonly id: string;
  readonly isNew: boolean;
}

const NOTHING = Buffer.alloc(0);
const NO_STAMP = Buffer.alloc(STAMP);

function after(key: Uint8Array): Buffer {
  const next = Buffer.allocUnsafe(key.length + 1);
  next.set(key);
  next[key.length] = 0;
  return next;
}

/** Puts both into `merged` in key order, until that holds `most`; what the overlay says goes first. */
function merge(
  under: readonly Entry[],
  over: Iterable<readonly [string, Buffer | null]>,
  most: number,
  merged: Entry[],
): void {
  let at = 0;
  for (const [id, value] of over) {
    const key = Buffer.from(id, 'latin1');
    while (at < under.length && merged.length < most && Buffer.compare(under[at].key, key) < 0)
      merged.push(under[at++]);
    if (merged.length === most) return;
    if (at < under.length && under[at].key.equals(key)) at++;
    if (value !== null) merged.push({ key, value });
    if (merged.length === most) return;
  }
  while (at < under.length && merged.length < most) merged.push(under[at++]);
}

const ATTEMPTS = 20;

/**
 * Runs `work` on a draft and commits what it has changed. Runs it anew when the commit conflicts, and when it throws a WaypostError over what other nodes have changed by
 * then: whom one node refuses no other would serve. What `work` throws changes nothing. `sequence`: that of the commit, or the head when nothing was changed.
 */
export async function write<T>(
  environment: Environment,
  journal: Journal,
  by: string,
  work: (draft: Draft) => T | Promise<T>,
): Promise<{ result: T; sequence: number }> {
  let due: number | undefined;
  for (let attempt = 1; ; attempt++) {
    const at = journal.head;
    const draft = new Draft(environment, at);
    let result: T;
    try {
      result = await work(draft);
    } catch (error) {
      if (!(error instanceof WaypostError)) throw error;
      due ??= await journal.latest();
      if (at >= due) throw error;
      continue;
    }
    const request = draft.request;
    if (request.changes.length === 0) return { result, sequence: journal.head };
    try {
      const { sequence } = await journal.commit({ ...request, by, compiled: draft.compiled });
      return { result, sequence };
    } catch (error) {
      if (!(error instanceof ConflictError) || attempt === ATTEMPTS) throw error;
    }
  }
}
