/**
 * A draft: the reads and changes of one request. It records every key and range that it reads, and
 * its reads see its own changes. So a service is written as if no other request existed: read,
 * check, put. `write` commits the draft, and retries it if data that it read has changed.
 */
import { setTimeout as sleep } from 'node:timers/promises';
import { ConflictError, WaypostError } from '../../base/errors.ts';
import { Semaphore } from '../../base/semaphore.ts';
import { latin1 } from '../../dns/wire/latin1.ts';
import type { Environment } from '../../store/environment.ts';
import { type Id, idAt, recordKeyParts } from '../../store/keys.ts';
import { type Entry, LOOKUPS, type RawReader, rawReader, TARGETS, tableOf } from '../../store/raw-reader.ts';
import { Reader } from '../../store/reader.ts';
import { records, STAMP, type Table } from '../../store/rows.ts';
import { WithdrawnError } from '../commit/importer.ts';
import { ChangeWriter } from '../entry-codec.ts';
import {
  type CommitRequest,
  type CompiledZone,
  type Journal,
  type KeyRange,
  type KeyText,
  textOf,
} from '../journal.ts';
import { OverlaidTable } from '../overlay.ts';
import { hasTarget, targetOf } from '../record-targets.ts';
import { IdTaker, OutOfIds } from './id-taker.ts';

export class Draft extends Reader {
  readonly #tracked: TrackedReader;
  compiled: CompiledZone | undefined;

  constructor(
    environment: Environment,
    head: number,
    private readonly ids: IdTaker,
  ) {
    const tracked = new TrackedReader(environment, head);
    super(tracked);
    this.#tracked = tracked;
  }

  /**
   * Returns the first of `count` consecutive ids for new rows of a table, or for parts of its rows.
   * May throw OutOfIds, for `write` to catch.
   */
  newId(table: { readonly number: number }, count = 1): Id {
    return this.ids.take(table.number, count);
  }

  put<T>(table: Table<T>, row: T): void {
    const key = table.key(row);
    this.#tracked.write(table as Table<unknown>, key, table.encode(row));
  }

  /** Adds a row with a new key, for example a new id. Nothing is read. */
  insert<T>(table: Table<T>, row: T): void {
    this.#tracked.write(table as Table<unknown>, table.key(row), table.encode(row), true);
  }

  delete<T>(table: Table<T>, row: T): void {
    this.#tracked.write(table as Table<unknown>, table.key(row), null);
  }

  /** The keys of rows that the draft has put or deleted, without appended changes. */
  writtenKeys(table: Pick<Table<unknown>, 'number'>): Buffer[] {
    return this.#tracked.keysOf(table.number);
  }

  /**
   * Adds changes that were encoded elsewhere (bulk import). The draft's own reads do not see them.
   */
  append(changes: Buffer): void {
    this.#tracked.appended.push(changes);
  }

  /** Marks all keys of a range as read: for appended changes, or before many reads in the range. */
  addReadRange(range: KeyRange): void {
    this.#tracked.cover(range);
  }

  /** Whether changes were appended, which `changedRows` does not have. */
  get hasAppended(): boolean {
    return this.#tracked.appended.length > 0;
  }

  /** The changed rows as they are stored, and as they will be. */
  changedRows(): Generator<ChangedRow> {
    return this.#tracked.changedRows();
  }

  get request(): Pick<CommitRequest, 'reads' | 'changes' | 'compiled'> {
    const reads = { at: this.#tracked.head, ranges: this.#tracked.ranges };
    return { reads, changes: this.#tracked.changes(), compiled: this.compiled };
  }
}

interface ChangedRow {
  readonly table: Table<unknown>;
  readonly key: Buffer;
  /** Undefined: the row is new. */
  readonly before: Buffer | undefined;
  /** Undefined: the row is deleted. */
  readonly after: Buffer | undefined;
}

class TrackedReader implements RawReader {
  readonly ranges: KeyRange[] = [];
  readonly appended: Buffer[] = [];
  readonly #stored: RawReader;
  /** The draft's changes by table: rows, their lookups, their targets. */
  readonly #overlays = new Map<number, OverlaidTable>();
  /** Rows in the order of their first write, without duplicates. */
  readonly #rows: Row[] = [];
  /** Ranges that are marked as read. Reads inside them are not recorded. */
  readonly #covering: KeyText[] = [];

  constructor(
    private readonly environment: Environment,
    readonly head: number,
  ) {
    this.#stored = rawReader(environment);
  }

  get(table: number, key: Uint8Array): Buffer | undefined {
    const id = latin1(key);
    const own = this.#overlays.get(table)?.written(id);
    if (own !== undefined) return own ?? undefined;
    const bounds = { table, start: id, end: `${id}\0` };
    if (!this.#isCovered(bounds)) this.ranges.push({ table, start: key, end: nextKey(key), text: bounds });
    return this.#stored.get(table, key);
  }

  range(table: number, start: Uint8Array, end: Uint8Array | undefined, limit?: number): Entry[] {
    if (limit === 0) return [];
    const overlay = this.#overlays.get(table);
    const entries =
      overlay === undefined
        ? this.#stored.range(table, start, end, limit)
        : ([...overlay.getRange({ start, end, limit })] as Entry[]);
    const readTo = entries.length === limit ? nextKey(entries[entries.length - 1].key) : end;
    const bounds = textOf(table, start, readTo);
    if (!this.#isCovered(bounds)) this.ranges.push({ table, start, end: readTo, text: bounds });
    return entries;
  }

  /** Marks a whole range as read, so that reads inside it are not recorded. */
  cover(range: KeyRange): void {
    this.ranges.push(range);
    this.#covering.push(textOf(range.table, range.start, range.end));
  }

  write(table: Table<unknown>, key: Buffer, value: Buffer | null, isNew = false): void {
    const before = isNew ? undefined : this.get(table.number, key);
    if (before !== undefined) this.#setLookups(table, key, before, null);
    if (value !== null) this.#setLookups(table, key, value, key);
    const id = latin1(key);
    const isUnnumbered = table.numbered === true && value !== null && idAt(key, key.length - 8) === 0;
    if (isUnnumbered && this.#rows.some((row) => row.table === table))
      throw new Error(`a draft can write only one row of the table ${table.name}`);
    const overlay = this.#overlay(table.number);
    if (overlay.written(id) === undefined) this.#rows.push({ table, key, id, isNew });
    // Applying the entry adds a stamp. The draft's own reads expect one, too.
    overlay.write(id, value !== null && table.stamped ? Buffer.concat([value, NO_STAMP]) : value);
  }

  *changedRows(): Generator<ChangedRow> {
    for (const { table, key, id } of this.#rows) {
      const before = this.#stored.get(table.number, key);
      const after = this.#overlay(table.number).written(id) ?? undefined;
      if (before !== undefined || after !== undefined) yield { table, key, before, after };
    }
  }

  keysOf(table: number): Buffer[] {
    return this.#rows.filter((row) => row.table.number === table).map(({ key }) => key);
  }

  /**
   * Deletes come first. A replaced row is a delete and a put, so that applying the entry can count
   * rows.
   */
  changes(): Buffer {
    const out = new ChangeWriter();
    for (const { table, key, isNew } of this.#rows)
      if (!isNew && this.#stored.get(table.number, key) !== undefined) out.delete(table.number, key);
    for (const { table, key, id } of this.#rows) {
      const value = this.#overlay(table.number).written(id);
      if (value) out.put(table.number, key, table.stamped ? value.subarray(0, value.length - STAMP) : value);
    }
    return this.appended.length === 0 ? out.content : Buffer.concat([out.content, ...this.appended]);
  }

  /** Sets the lookups of a row in the overlay: `value` adds them, null deletes them. */
  #setLookups(table: Table<unknown>, key: Buffer, row: Buffer, value: Buffer | null): void {
    const lookups = this.#overlay(LOOKUPS);
    for (const lookup of table.lookups(key, row)) {
      const id = latin1(lookup);
      // Another row of this draft may have taken over the lookup.
      const current = value === null ? lookups.written(id) : undefined;
      if (!current || current.equals(key)) lookups.write(id, value);
    }
    if (table.number === records.number && hasTarget(recordKeyParts(key).type))
      this.#overlay(TARGETS).write(latin1(targetOf(key, row).entry), value === null ? null : EMPTY);
  }

  #overlay(table: number): OverlaidTable {
    let overlay = this.#overlays.get(table);
    if (overlay === undefined) {
      overlay = new OverlaidTable(tableOf(this.environment, table));
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

const EMPTY = Buffer.alloc(0);
const NO_STAMP = Buffer.alloc(STAMP);

function nextKey(key: Uint8Array): Buffer {
  const next = Buffer.allocUnsafe(key.length + 1);
  next.set(key);
  next[key.length] = 0;
  return next;
}

const MAX_ATTEMPTS = 40;
/** Maximum attempts of a large import, each of which may write all its records. */
const MAX_IMPORTS = 4;
/**
 * Maximum pause in milliseconds before a retry. A node that has not applied the entries of other
 * nodes yet would only conflict again.
 */
const MAX_PAUSE_MS = 200;
/** Milliseconds for which an urgent write is retried without pauses, instead of MAX_ATTEMPTS. */
const URGENT_PATIENCE_MS = 10_000;

/**
 * The turns of an author's writes that have conflicted, for each journal. Without turns, only one
 * of many writes to a row would commit in each round, and the unluckiest would reach MAX_ATTEMPTS.
 */
const retryTurns = new WeakMap<Journal, Map<string, Semaphore>>();

/** Resolves when no other write of the author is being retried. Call the result at the end. */
async function takeRetryTurn(journal: Journal, by: string): Promise<() => void> {
  let turns = retryTurns.get(journal);
  if (turns === undefined) {
    turns = new Map();
    retryTurns.set(journal, turns);
  }
  const turn = turns.get(by) ?? new Semaphore(1);
  turns.set(by, turn);
  await turn.acquire();
  return () => {
    turn.release();
    if (turn.inUse === 0) turns.delete(by);
  };
}

/** Receives the times of the commits of a write. */
interface WriteObserver {
  /** Called when the commit of an attempt is passed to the journal. */
  startCommit(): ObservedCommit;
}

interface ObservedCommit {
  /** This node has applied the entry, and waits for other nodes. */
  applied(): void;
  end(sequence: number): void;
  /** `code`: the code of the error. */
  fail(code: string): void;
}

export interface WriteOptions {
  readonly observer?: WriteObserver;
  /**
   * The write goes ahead of others and is retried for longer. Clients must not be able to delay the
   * revocation of their access with conflicting writes.
   */
  readonly isUrgent?: boolean;
}

/**
 * Runs `work` on a draft and commits its changes. Retries after a conflict, in turn with the
 * author's other writes and ahead of first attempts: `work` must not await another write of the
 * author. Also retries if `work` throws a WaypostError while this node lacks entries of other
 * nodes: an error must be correct for the whole cluster. If `work` throws, nothing has changed.
 * `sequence` is that of the commit, or the head if there were no changes.
 */
export async function write<T>(
  environment: Environment,
  journal: Journal,
  by: string,
  work: (draft: Draft) => T | Promise<T>,
  { observer, isUrgent = false }: WriteOptions = {},
): Promise<{ result: T; sequence: number }> {
  const ids = new IdTaker(journal.ids);
  const urgentUntil = isUrgent ? performance.now() + URGENT_PATIENCE_MS : 0;
  let latest: number | undefined;
  // Until a commit may have been written, no row has the taken ids.
  let areIdsFree = true;
  let endTurn: (() => void) | undefined;
  let imports = 0;
  try {
    for (let attempt = 1; ; ) {
      const at = journal.head;
      ids.restart();
      const draft = new Draft(environment, at, ids);
      let result: T;
      try {
        result = await work(draft);
      } catch (error) {
        if (error instanceof OutOfIds) {
          await ids.supply(error);
          continue;
        }
        if (!(error instanceof WaypostError)) throw error;
        latest ??= await journal.latest();
        if (at >= latest) throw error;
        continue;
      }
      const request = draft.request;
      if (request.changes.length === 0 && request.compiled === undefined) return { result, sequence: journal.head };
      areIdsFree = false;
      const observed = observer?.startCommit();
      try {
        const onApplied = observed?.applied;
        const isRetry = attempt > 1;
        // A large import takes long; the author's other writes do not wait for it.
        if (request.compiled?.rows !== undefined) {
          endTurn?.();
          endTurn = undefined;
        }
        const { sequence } = await journal.commit({ by, onApplied, isUrgent, isRetry, ...request });
        observed?.end(sequence);
        return { result, sequence };
      } catch (error) {
        observed?.fail(error instanceof WaypostError ? error.code : 'internal');
        if (!(error instanceof ConflictError)) throw error;
        areIdsFree = true;
        if (error instanceof WithdrawnError) {
          ids.abandon();
          if (++imports === MAX_IMPORTS) throw error;
        }
        attempt++;
        if (isUrgent ? performance.now() > urgentUntil : attempt > MAX_ATTEMPTS) throw error;
        if (isUrgent) continue;
        endTurn ??= await takeRetryTurn(journal, by);
        const pause = Math.random() * Math.min(MAX_PAUSE_MS, (attempt - 2) ** 2);
        if (pause > 1) await sleep(pause);
      }
    }
  } finally {
    endTurn?.();
    ids.release(areIdsFree);
  }
}
