/**
 * A draft: what one request reads and wants to change. It remembers every key and range that it reads, and shows its own changes to its own reads, so
 * that a service is written as if it were alone: read, check, put. `write` commits it and starts anew when something that it read has changed.
 */
import { ConflictError } from '../errors.ts';
import type { Environment } from '../store/environment.ts';
import { type Entry, LOOKUPS, type RawReader, Reader, rawReader } from '../store/reader.ts';
import type { Table } from '../store/rows.ts';
import { ChangeWriter } from './changes.ts';
import type { CompiledZone, Journal, KeyRange } from './journal.ts';

export class Draft extends Reader {
  private readonly tracked: TrackedReader;
  compiled: CompiledZone | undefined;

  constructor(environment: Environment, head: number) {
    const tracked = new TrackedReader(rawReader(environment), head);
    super(tracked);
    this.tracked = tracked;
  }

  put<Row>(table: Table<Row>, row: Row): void {
    const key = table.key(row);
    this.tracked.write(table as Table<unknown>, key, table.encode(row));
  }

  delete<Row>(table: Table<Row>, row: Row): void {
    this.tracked.write(table as Table<unknown>, table.key(row), null);
  }

  /** Changes encoded elsewhere (bulk import). The draft's own reads do not show them. */
  append(changes: Buffer): void {
    this.tracked.appended.push(changes);
  }

  /** Says that all keys of a range were looked at, by whoever made what is appended. */
  reads(range: KeyRange): void {
    this.tracked.ranges.push(range);
  }

  get request(): { reads: { at: number; ranges: readonly KeyRange[] }; changes: Buffer } {
    return { reads: { at: this.tracked.head, ranges: this.tracked.ranges }, changes: this.tracked.changes() };
  }
}

/** `${table}:${key}` in Latin-1, which orders as the bytes do. */
const id = (table: number, key: Uint8Array): string =>
  `${String.fromCharCode(table)}${Buffer.from(key.buffer, key.byteOffset, key.length).toString('latin1')}`;

interface Written {
  readonly table: number;
  readonly key: Buffer;
  readonly value: Buffer | null;
}

class TrackedReader implements RawReader {
  readonly head: number;
  readonly ranges: KeyRange[] = [];
  readonly appended: Buffer[] = [];
  private readonly under: RawReader;
  /** Rows and their lookups as this draft leaves them. */
  private readonly overlay = new Map<string, Written>();
  /** Rows in the order in which they were first written. */
  private readonly rows = new Set<string>();

  constructor(under: RawReader, head: number) {
    this.under = under;
    this.head = head;
  }

  get(table: number, key: Uint8Array): Buffer | undefined {
    const own = this.overlay.get(id(table, key));
    if (own !== undefined) return own.value ?? undefined;
    this.ranges.push({ table, start: key, end: Buffer.concat([key, Uint8Array.of(0)]) });
    return this.under.get(table, key);
  }

  range(table: number, start: Uint8Array, end: Uint8Array | undefined, limit?: number): Entry[] {
    const hidden = this.overlay.size;
    const entries = this.under.range(table, start, end, limit === undefined ? undefined : limit + hidden);
    const full = limit !== undefined && entries.length === limit + hidden;
    const readTo = full ? Buffer.concat([entries[entries.length - 1].key, Uint8Array.of(0)]) : end;
    this.ranges.push({ table, start, end: readTo });
    if (hidden === 0) return entries;
    const merged = new Map(entries.map((entry) => [id(table, entry.key), entry]));
    for (const [key, written] of this.overlay) {
      if (
        written.table !== table ||
        Buffer.compare(written.key, start) < 0 ||
        (readTo !== undefined && Buffer.compare(written.key, readTo) >= 0)
      )
        continue;
      if (written.value === null) merged.delete(key);
      else merged.set(key, { key: written.key, value: written.value });
    }
    const sorted = [...merged.values()].sort((a, b) => Buffer.compare(a.key, b.key));
    return limit === undefined ? sorted : sorted.slice(0, limit);
  }

  write(table: Table<unknown>, key: Buffer, value: Buffer | null): void {
    const before = this.get(table.number, key);
    if (before !== undefined) for (const lookup of table.lookups(key, before)) this.set(LOOKUPS, lookup, null);
    if (value !== null) for (const lookup of table.lookups(key, value)) this.set(LOOKUPS, lookup, key);
    this.rows.add(id(table.number, key));
    this.set(table.number, key, value);
  }

  /** Deletes first: a row that is replaced is a delete and a put, so that whoever applies it can count. */
  changes(): Buffer {
    const out = new ChangeWriter();
    const rows = [...this.rows].map((row) => this.overlay.get(row)!);
    for (const { table, key } of rows) if (this.under.get(table, key) !== undefined) out.delete(table, key);
    for (const { table, key, value } of rows) if (value !== null) out.put(table, key, value);
    return this.appended.length === 0 ? out.content : Buffer.concat([out.content, ...this.appended]);
  }

  private set(table: number, key: Buffer, value: Buffer | null): void {
    this.overlay.set(id(table, key), { table, key, value });
  }
}

const ATTEMPTS = 20;

/**
 * Runs `work` on a draft and commits what it has changed. Runs it anew when the commit conflicts. What `work` throws changes nothing.
 * `sequence`: that of the commit, or the head when nothing was changed.
 */
export async function write<T>(
  environment: Environment,
  journal: Journal,
  by: string,
  work: (draft: Draft) => T | Promise<T>,
): Promise<{ result: T; sequence: number }> {
  for (let attempt = 1; ; attempt++) {
    const draft = new Draft(environment, journal.head);
    const result = await work(draft);
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
