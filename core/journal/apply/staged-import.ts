/**
 * A large import that does not hold up other commits. Its work is done in small transactions, with
 * groups of other commits in between:
 *
 *   1. The records are written, hidden from readers (core/store/hidden-rows.ts).
 *   2. The entry of the import is applied like any other. It reveals the records and hides the old
 *      ones, so the import is stored as a whole or not at all.
 *   3. The answers are written. The index still has those of the old zone.
 *   4. The index gets the new answers.
 *   5. The old records are deleted.
 *
 * Two rows of `meta` tell the next start what a crash has left: hidden records, or a zone without
 * its answers (core/journal/upkeep/unfinished-import.ts).
 */
import { ConflictError } from '../../base/errors.ts';
import { isWithin, type Name, nameAt } from '../../dns/wire/name.ts';
import { TYPE } from '../../dns/wire/types.ts';
import { APEX_LENGTH_AT } from '../../store/answers.ts';
import type { Environment } from '../../store/environment.ts';
import { type HiddenRange, isHidden } from '../../store/hidden-rows.ts';
import type { IndexWriter } from '../../store/index/writer.ts';
import {
  afterPrefix,
  aliasOwnerKey,
  type Id,
  idAt,
  idKey,
  nameKey,
  nameOfKey,
  recordKeyParts,
} from '../../store/keys.ts';
import { rowSize } from '../../store/row-owner.ts';
import { RECORD_RDATA, records } from '../../store/rows.ts';
import { readNodes } from '../../zone/compile/bulk.ts';
import { bytesOfRows, readChanges } from '../entry-codec.ts';
import type { CompiledZone, ImportedRows, ImportProgress } from '../journal.ts';
import { hasTarget, targetOf } from '../record-targets.ts';
import type { NodeChange } from './node-writer.ts';

const EMPTY = Buffer.alloc(0);
/** Rows or nodes between two yields. */
const CHUNK = 32;

/** Bytes of values for the history of the domain; above, it has none. See domain-history.ts. */
const MAX_HISTORY = 4 << 20;

const UNSERVED = Buffer.from('unserved import');

/** The domain whose answers are not all written. Null: all are. */
export function unservedDomain({ meta }: Pick<Environment, 'meta'>): Id | null {
  const value = meta.get(UNSERVED);
  return value === undefined ? null : idAt(value);
}

/** Inside a write transaction. */
export function setUnserved({ meta }: Pick<Environment, 'meta'>, domainId: Id | null): void {
  if (domainId === null) meta.remove(UNSERVED);
  else meta.put(UNSERVED, idKey(domainId));
}

/** An imported zone with the place of its records in the changes. */
export type PlacedZone = CompiledZone & { readonly rows: ImportedRows; readonly progress: ImportProgress };

/** Compiles the apex and these other names of a zone from its rows. Undefined: it was deleted. */
type CompileNames = (domainId: Id, aliasOwners: Iterable<Name>) => readonly NodeChange[] | undefined;

export class StagedImport {
  readonly domainId: Id;
  readonly rows: ImportedRows;
  /** The bytes of the rows. */
  readonly bytes: number;
  /** The ALIAS records: owners by key of the name in Latin-1, and targets. */
  readonly aliasOwners = new Map<string, Name>();
  readonly aliasTargets: Name[] = [];
  /** The bytes of the records that are deleted. */
  deletedBytes = 0;
  /** The first of the deleted records, for the history. */
  readonly deletedRecords: { readonly key: Buffer; readonly value: Buffer }[] = [];
  isCommitted = false;
  /** All answers are written. */
  isWritten = false;
  /** The keys of the nodes before the import in Latin-1, and whether a new node has the key. */
  readonly #old = new Map<string, boolean>();
  #isOldComplete = false;
  #compiled: readonly NodeChange[] = [];
  #publishing: Generator<void> | null = null;

  constructor(
    private readonly environment: Environment,
    private readonly changes: Buffer,
    private readonly zone: PlacedZone,
  ) {
    this.domainId = zone.domainId;
    this.rows = zone.rows;
    this.bytes = bytesOfRows(zone.rows, zone.rows.count);
  }

  get deletions(): CompiledZone['deletions'] {
    return this.zone.deletions;
  }

  /** Reads the records that are deleted. If one changes before the commit, the import conflicts. */
  *readDeletions(): Generator<void> {
    const { start, end } = this.deletions ?? { start: 0, end: 0 };
    let count = 0;
    for (const { table, key } of readChanges(this.changes.subarray(start, end))) {
      const value = this.environment.records.get(key);
      if (value === undefined) throw new ConflictError();
      const size = rowSize(table, key, value, true);
      if (this.deletedBytes <= MAX_HISTORY) this.deletedRecords.push({ key, value });
      this.deletedBytes += size;
      if (recordKeyParts(key).type === TYPE.ALIAS) this.aliasTargets.push(Uint8Array.from(nameAt(value, RECORD_RDATA)));
      if (++count % CHUNK === 0) yield;
    }
  }

  get apex(): Name {
    return this.rows.apex;
  }

  /** Inside write transactions: writes the records, hidden. */
  *writeRows(): Generator<void> {
    const { environment, changes, rows, domainId } = this;
    const { progress } = this.zone;
    environment.hidden.mayExist = true;
    environment.hidden.write({ domainId, firstId: rows.firstId, count: rows.count, isRest: false });
    let count = 0;
    for (const { key, value } of readChanges(changes.subarray(rows.start, rows.end))) {
      if (value === null) throw new Error('an import deletes a record next to its new ones');
      environment.records.put(key, value);
      for (const lookup of records.lookups(key, value)) environment.lookups.put(lookup, key);
      this.#putTarget(key, value);
      progress.done = ++count;
      if (count % CHUNK === 0) yield;
    }
  }

  #putTarget(key: Buffer, value: Buffer): void {
    const { nameEnd, type } = recordKeyParts(key);
    if (type === TYPE.ALIAS) {
      const target = Uint8Array.from(nameAt(value, RECORD_RDATA));
      this.environment.aliases.put(aliasOwnerKey(target, key), EMPTY);
      this.aliasTargets.push(target);
      this.aliasOwners.set(key.toString('latin1', 8, nameEnd), nameOfKey(key, 8, nameEnd));
    } else if (hasTarget(type)) {
      const { target, entry } = targetOf(key, value);
      if (isWithin(target, this.apex)) this.environment.targets.put(entry, EMPTY);
    }
  }

  /** Inside the transaction of the entry. `hidesOld`: hides the records that are to be deleted. */
  reveal(hidesOld: boolean): void {
    const { domainId, rows } = this;
    const { firstId, count } = rows;
    this.environment.hidden.write(hidesOld ? { domainId, firstId, count, isRest: true } : null);
  }

  /** Inside write transactions, after the entry. `compile`: of names that were not compiled. */
  *writeAnswers(compile: CompileNames): Generator<void> {
    if (this.isWritten) return;
    const { nodes, progress } = this.zone;
    progress.begin('answers', nodes.length);
    yield* this.#collectOld();
    for (const key of this.#old.keys()) this.#old.set(key, false);
    const { answers } = this.environment;
    let count = 0;
    for (const { key, node } of readNodes(nodes)) {
      answers.put(key, node);
      progress.done += key.length + node.length;
      const id = key.toString('latin1');
      if (this.#old.has(id)) this.#old.set(id, true);
      if (++count % CHUNK === 0) yield;
      if (this.isWritten) return;
    }
    for (const [id, isKept] of this.#old) {
      if (!isKept) answers.remove(Buffer.from(id, 'latin1'));
      if (++count % CHUNK === 0) yield;
      if (this.isWritten) return;
    }
    this.#compiled = compile(this.domainId, this.aliasOwners.values()) ?? [];
    setUnserved(this.environment, null);
  }

  *#collectOld(): Generator<void> {
    const prefix = nameKey(this.apex);
    const end = afterPrefix(prefix);
    for (let start: Buffer | null = prefix; start !== null && !this.#isOldComplete; ) {
      let last: Buffer | null = null;
      for (const { key, value } of this.environment.answers.getRange({ start, end, limit: CHUNK })) {
        last = key as Buffer;
        if (value[APEX_LENGTH_AT] === this.apex.length) this.#old.set(last.toString('latin1'), false);
      }
      start = last && Buffer.concat([last, Uint8Array.of(0)]);
      yield;
    }
    this.#isOldComplete = true;
  }

  /** Passes the answers to the readers, once all are written. */
  publish(index: IndexWriter): Generator<void> {
    this.#publishing ??= this.#publish(index);
    return this.#publishing;
  }

  /** New names come first, then the apex, which has the serial, then deleted names. */
  *#publish(index: IndexWriter): Generator<void> {
    const { nodes, progress } = this.zone;
    progress.begin('serving', nodes.length);
    let count = 0;
    for (const { key, node } of readNodes(nodes)) {
      progress.done += key.length + node.length;
      index.put(node, this.#old.size > 0 && this.#old.has(key.toString('latin1')));
      if (++count % CHUNK === 0) yield;
    }
    for (const { name, node, wasStored } of this.#compiled)
      if (node === null) index.remove(name);
      else index.put(node, wasStored);
    for (const [id, isKept] of this.#old) {
      const key = Buffer.from(id, 'latin1');
      if (!isKept) index.remove(nameOfKey(key, 0, key.length));
      if (++count % CHUNK === 0) yield;
    }
  }
}

/** Inside write transactions: deletes hidden records. */
export function* deleteHidden(environment: Environment, range: HiddenRange): Generator<void> {
  const { records: table, lookups, aliases, targets, hidden } = environment;
  const prefix = idKey(range.domainId);
  const end = afterPrefix(prefix);
  // Shown again, so that they can be read.
  for (let start: Buffer | null = prefix; start !== null; ) {
    // A group that writes to the domain has deleted all.
    if (hidden.read() === null) return;
    let last: Buffer | null = null;
    const found: { readonly key: Buffer; readonly value: Buffer }[] = [];
    hidden.write(null);
    for (const { key, value } of table.getRange({ start, end, limit: CHUNK })) {
      last = key as Buffer;
      if (isHidden(range, last)) found.push({ key: last, value });
    }
    hidden.write(range);
    for (const { key, value } of found) {
      table.remove(key);
      for (const lookup of records.lookups(key, value)) lookups.remove(lookup);
      const { type } = recordKeyParts(key);
      if (type === TYPE.ALIAS) aliases.remove(aliasOwnerKey(nameAt(value, RECORD_RDATA), key));
      else if (hasTarget(type)) targets.remove(targetOf(key, value).entry);
    }
    start = last && Buffer.concat([last, Uint8Array.of(0)]);
    yield;
  }
  hidden.write(null);
}
