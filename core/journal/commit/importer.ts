/**
 * Commits a large import as many small entries (apply/import-entries.ts), one after another through
 * the queue, so that other commits are in between. A node does one import at a time; the next one
 * waits.
 */
import { setTimeout as sleep } from 'node:timers/promises';
import { ConflictError, UnavailableError } from '../../base/errors.ts';
import { Semaphore } from '../../base/semaphore.ts';
import { Steps } from '../../base/steps.ts';
import { type Name, nameAt } from '../../dns/wire/name.ts';
import { TYPE } from '../../dns/wire/types.ts';
import type { Environment } from '../../store/environment.ts';
import { type Id, idAt, nameOfKey, recordKeyParts } from '../../store/keys.ts';
import { rowSize } from '../../store/row-owner.ts';
import { type ImportRow, imports, RECORD_RDATA, records } from '../../store/rows.ts';
import type { ImportSteps } from '../apply/import-steps.ts';
import type { CompiledNodes } from '../apply/imported-zone.ts';
import { bytesOfRows, ChangeWriter, endOfChange, readChanges, readFirstChanges } from '../entry-codec.ts';
import type {
  CommitRequest,
  Committed,
  CompiledZone,
  ImportedRows,
  ImportProgress,
  KeyRange,
  ReadSet,
} from '../journal.ts';
import type { Measured } from './growth.ts';

/** Bytes of records from which on an import is staged: some thousand records. */
const STAGED_BYTES = 256 << 10;
/** Bytes of records of an entry: some milliseconds of work on each node. */
const PART_BYTES = 64 << 10;
/** Imports of a node at a time. */
const CONCURRENT_IMPORTS = 1;
/** Milliseconds between looks at an import of another node into the same domain. */
const PAUSE_MS = 100;

interface ImporterOptions {
  readonly environment: Environment;
  /** The name of this node; empty: a single node. */
  readonly node: string;
  readonly steps: ImportSteps;
  head(): number;
  hasConflict(reads: ReadSet): boolean;
  isClosed(): boolean;
  enqueue(request: CommitRequest): Promise<Committed>;
  /** Commits what the quota of the account allows, or rejects. */
  limited(measured: Measured, commit: () => Promise<Committed>): Promise<Committed>;
  /** Resolves when the other nodes serve the import whose end is this entry. */
  waitForPeers(sequence: number): Promise<unknown>;
}

/** An import conflicted after some of its records were written, which are deleted now. */
export class WithdrawnError extends ConflictError {}

type LargeZone = CompiledZone & { readonly rows: ImportedRows; readonly progress: ImportProgress };

/** Bytes of the rows of so many records. */
interface RecordSum {
  readonly count: number;
  readonly bytes: number;
}

const NO_CHANGES = Buffer.alloc(0);

/** The request of an import that is not staged: an entry with all its records. */
export function inOneEntry(request: CommitRequest): CommitRequest {
  const { rows, deletions = NO_CHANGES, ...compiled } = request.compiled ?? {};
  if (rows === undefined) return request;
  // The row of a new domain comes before its records.
  const changes = Buffer.concat([request.changes, deletions, rows.changes]);
  return { ...request, changes, compiled: compiled as CompiledZone };
}

export class Importer {
  readonly #turns = new Semaphore(CONCURRENT_IMPORTS);
  /** Domains into which this node imports. */
  readonly #domains = new Set<Id>();

  constructor(private readonly options: ImporterOptions) {}

  get isBusy(): boolean {
    return this.#turns.inUse > 0;
  }

  /** Whether this process makes the import of the row. */
  owns({ domainId, node }: ImportRow): boolean {
    return node === this.options.node && this.#domains.has(domainId);
  }

  /** Whether the request is an import that `run` should commit. */
  isLarge({ compiled }: CommitRequest): boolean {
    return compiled?.rows !== undefined && compiled.rows.changes.length >= STAGED_BYTES;
  }

  /**
   * The error of a commit that writes records into a domain while an import into it is in progress,
   * on this node or another; null: it is accepted. The import would conflict, and all its parts
   * would be written again. Another import waits, and deleting the domain withdraws the import.
   */
  refusalOf(request: CommitRequest): UnavailableError | null {
    const open = this.options.environment.hidden.read().filter(({ state }) => state === 'imported');
    if (open.length === 0 || this.isLarge(request)) return null;
    const written = new Set<Id>();
    const withdrawn = new Set<Id>();
    for (const { table, key } of readFirstChanges(request.changes, records.number))
      if (table === records.number) written.add(idAt(key));
      else if (table === imports.number) withdrawn.add(idAt(key));
    const isRefused = open.some(({ domainId }) => written.has(domainId) && !withdrawn.has(domainId));
    return isRefused ? new UnavailableError('import_in_progress', IN_PROGRESS) : null;
  }

  /** Commits and serves an import. Rejects like a commit; then nothing is stored. */
  run(request: CommitRequest): Promise<Committed> {
    const { compiled } = request;
    const { progress = { begin() {}, done: 0 } } = compiled!;
    progress.begin('waiting', 0);
    const zone = { ...compiled!, rows: compiled!.rows!, progress };
    return this.#turns.run(() => this.#import(request, zone));
  }

  /** Resolves when no import is in progress. */
  async whenIdle(): Promise<void> {
    await this.#turns.run(() => Promise.resolve());
  }

  async #import(request: CommitRequest, zone: LargeZone): Promise<Committed> {
    const { steps, limited, waitForPeers } = this.options;
    const { domainId, rows } = zone;
    const run = new ImportRun(this.options, request, zone);
    await this.#waitForOthers(domainId);
    zone.progress.begin('records', rows.count);
    this.#domains.add(domainId);
    try {
      const replaced = await run.measureReplaced();
      const committed = await limited(run.measured(replaced), async () => {
        await run.writeParts();
        steps.setCompiled(rows.firstId, run.compiled);
        return await run.end(replaced);
      });
      await steps.whenDone(domainId);
      await waitForPeers(committed.sequence);
      return committed;
    } catch (error) {
      // Otherwise it is withdrawn later: see upkeep/abandoned-imports.ts.
      await run.withdraw().catch(() => {});
      throw error instanceof ConflictError && run.hasParts ? new WithdrawnError() : error;
    } finally {
      steps.setCompiled(rows.firstId, null);
      this.#domains.delete(domainId);
    }
  }

  /** Waits for the end of an import into the domain by another node, or by an earlier process. */
  async #waitForOthers(domainId: Id): Promise<void> {
    const { environment, steps, isClosed } = this.options;
    const table = environment.rows.get(imports.number)!;
    const key = imports.key({ domainId } as ImportRow);
    while (table.doesExist(key)) {
      if (isClosed()) throw stopping();
      await sleep(PAUSE_MS);
    }
    await steps.whenDone(domainId);
  }
}

/** One import. */
class ImportRun {
  readonly #row: ImportRow;
  readonly #key: Buffer;
  readonly #rowRange: KeyRange;
  readonly #aliasOwners = new Map<string, Name>();
  readonly #aliasTargets: Name[] = [];
  /** The reads of the import. While they do not conflict, they are moved to the current head. */
  #reads: ReadSet;
  /** Records may be written. */
  hasParts = false;

  constructor(
    private readonly options: ImporterOptions,
    private readonly request: CommitRequest,
    private readonly zone: LargeZone,
  ) {
    const { domainId, rows } = zone;
    const { apex, firstId, count } = rows;
    const { node } = options;
    this.#row = { domainId, firstId, count, apex: Buffer.from(apex).toString('hex'), node, written: 0, end: null };
    this.#key = imports.key(this.#row);
    this.#rowRange = { table: imports.number, start: this.#key, end: Buffer.concat([this.#key, Uint8Array.of(0)]) };
    this.#reads = request.reads;
  }

  get compiled(): CompiledNodes {
    const { nodes, progress } = this.zone;
    return { nodes, aliasOwners: [...this.#aliasOwners.values()], aliasTargets: this.#aliasTargets, progress };
  }

  /** The number and bytes of the records that are deleted. If one changes, the import conflicts. */
  async measureReplaced(): Promise<RecordSum> {
    const steps = new Steps();
    const replaced = { count: 0, bytes: 0 };
    for (const { table, key } of readChanges(this.zone.deletions ?? NO_CHANGES)) {
      const value = this.options.environment.records.get(key);
      if (value === undefined) throw new ConflictError();
      replaced.count++;
      replaced.bytes += rowSize(table, key, value, true);
      await steps.next();
    }
    return replaced;
  }

  /** What the account must have room for. */
  measured(replaced: RecordSum): Measured {
    const { domainId, rows } = this.zone;
    const growth = rows.count - replaced.count;
    const bytes = bytesOfRows(rows.changes, rows.count) - replaced.bytes;
    return { changes: this.request.changes, more: { domainId, records: growth, bytes } };
  }

  async writeParts(): Promise<void> {
    const { changes } = this.zone.rows;
    let written = 0;
    for (let from = 0; from < changes.length; ) {
      let to = from;
      for (; to < changes.length && to - from < PART_BYTES; written++) to = endOfChange(changes, to);
      const part = changes.subarray(from, to);
      this.#noteAliases(part);
      await this.#commit([this.#encodeRow({ ...this.#row, written }), part], from === 0 ? 'first' : 'part');
      this.zone.progress.done = written;
      from = to;
    }
  }

  #noteAliases(part: Buffer): void {
    for (const { key, value } of readChanges(part)) {
      const { nameEnd, type } = recordKeyParts(key);
      if (type !== TYPE.ALIAS || value === null) continue;
      this.#aliasOwners.set(key.toString('latin1', 8, nameEnd), nameOfKey(key, 8, nameEnd));
      this.#aliasTargets.push(Uint8Array.from(nameAt(value, RECORD_RDATA)));
    }
  }

  /** Everything else that the import changes. */
  end(replaced: RecordSum): Promise<Committed> {
    const { changes, count } = this.zone.rows;
    const row = { ...this.#row, written: count, end: { bytes: bytesOfRows(changes, count), replaced } };
    return this.#commit([this.#encodeRow(row), this.request.changes], 'end');
  }

  /** Deletes the row if it is still that of this import. */
  async withdraw(): Promise<void> {
    const { options, request } = this;
    if (!this.hasParts || this.#storedId !== this.#row.firstId || options.isClosed()) return;
    const changes = new ChangeWriter();
    changes.delete(imports.number, this.#key);
    const reads = { at: options.head(), ranges: [this.#rowRange] };
    await options.enqueue({ reads, changes: changes.content, by: request.by });
  }

  async #commit(changes: readonly Buffer[], kind: 'first' | 'part' | 'end'): Promise<Committed> {
    const { options, request } = this;
    if (options.isClosed()) throw stopping();
    if (options.hasConflict(this.#reads)) throw new ConflictError();
    // Another node may have begun to import into the domain, or have withdrawn this import.
    const expected = kind === 'first' ? undefined : this.#row.firstId;
    if (this.#storedId !== expected) throw new ConflictError();
    const at = options.head();
    // No entry up to the head conflicts with the reads. Old reads would conflict in any case.
    this.#reads = { at, ranges: this.#reads.ranges };
    const ranges = kind === 'part' ? [this.#rowRange] : [...this.#reads.ranges, this.#rowRange];
    const { by, onApplied, isUrgent, isRetry } = request;
    const more = kind === 'end' ? { onApplied, isUrgent, isRetry } : {};
    const committing = options.enqueue({ reads: { at, ranges }, changes: Buffer.concat(changes), by, ...more });
    this.hasParts = true;
    return await committing;
  }

  /** The first id of the import into the domain whose row is stored; undefined: there is none. */
  get #storedId(): Id | undefined {
    const value = this.options.environment.rows.get(imports.number)!.get(this.#key);
    return value === undefined ? undefined : imports.decode(this.#key, value).firstId;
  }

  #encodeRow(row: ImportRow): Buffer {
    const out = new ChangeWriter();
    out.put(imports.number, this.#key, imports.encode(row));
    return out.content;
  }
}

const IN_PROGRESS =
  'A zone file is being imported into the domain, so its records cannot be changed. Retry when the import has ended.';

const stopping = (): UnavailableError =>
  new UnavailableError('stopping', 'The service is stopping; nothing was imported.');
