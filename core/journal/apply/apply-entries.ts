/**
 * Applies journal entries: rows, lookups, derived zone state and answers, in one transaction. It is
 * deterministic: the same entries on the same rows produce the same bytes on every node. Changes to
 * the shared index are collected, and published once the transaction is on disk.
 */

import { isWithin, nameAt } from '../../dns/wire/name.ts';
import { HOST_TARGET, TYPE } from '../../dns/wire/types.ts';
import type { Binary, Environment } from '../../store/environment.ts';
import { encodeRecordBefore } from '../../store/history.ts';
import { afterPrefix, type Id, idAt, idKey, recordKeyParts, writeId } from '../../store/keys.ts';
import { raiseStoreLevel } from '../../store/level.ts';
import { rowOwner } from '../../store/row-owner.ts';
import {
  audits,
  comments,
  disabledRecords,
  type ImportRow,
  imports,
  keptPtrs,
  RECORD_RDATA,
  records,
  STAMP,
  TABLES,
} from '../../store/rows.ts';
import { type Change, type Entry, readChanges } from '../entry-codec.ts';
import type { CompiledZone } from '../journal.ts';
import { hasTarget, ownerEntry, targetOf } from '../record-targets.ts';
import { DomainHistory } from './domain-history.ts';
import { applyPart, importOf, showRecords } from './import-entries.ts';
import type { ZoneUpdates } from './zone-updates.ts';

export interface Applied {
  readonly entry: Entry;
  readonly compiled?: CompiledZone;
}

/**
 * Inside a write transaction. Throws if an entry cannot be applied; then the transaction must be
 * aborted.
 */
export function applyEntries(environment: Environment, updates: ZoneUpdates, entries: readonly Applied[]): void {
  applyRows(environment, updates, entries);
  updates.compile();
}

type ReadReplaced = (environment: Environment, domainId: Id) => readonly Buffer[];

interface ApplyOptions {
  readonly isRehearsal?: boolean;
  /** Returns the records that an import replaces, for the history. */
  readonly readReplaced?: ReadReplaced;
}

/**
 * Like `applyEntries`, but compiles nothing. In a rehearsal, hidden records are left as they are:
 * no answer depends on them.
 */
export function applyRows(
  environment: Environment,
  updates: ZoneUpdates,
  entries: readonly Applied[],
  { isRehearsal = false, readReplaced = encodeReplaced }: ApplyOptions = {},
): void {
  for (const { entry, compiled } of entries) {
    const { changes, sequence } = entry;
    const imported = importOf(changes);
    if (imported?.end === null) {
      if (!isRehearsal) applyPart(environment, changes, imported);
      continue;
    }
    if (!isRehearsal) showRecords(environment, changes);
    const history = new DomainHistory(environment, entry);
    updates.begin(entry, compiled);
    const orphans = [comments, keptPtrs].map(({ number }) => new OrphanedRows(environment, number));
    for (const change of readChanges(changes)) {
      if (change.table === imports.number) {
        if (!isRehearsal) endImport(environment, change);
        continue;
      }
      history.note(change);
      for (const rows of orphans) rows.note(change);
      writeRow(environment, updates, change, sequence);
    }
    if (imported !== null) reveal(environment, updates, { row: imported, history, orphans, readReplaced });
    for (const rows of orphans) rows.delete(history, updates);
    updates.endEntry();
    history.store();
  }
}

/** The row of an import is deleted: the import ends here, or it is withdrawn. */
function endImport({ rows, hidden }: Environment, { key, value }: Change): void {
  if (value !== null) return;
  rows.get(imports.number)!.remove(key);
  const range = hidden.find(idAt(key), 'imported');
  if (range !== undefined) hidden.put({ ...range, state: 'withdrawn' });
}

/** The visible records of a domain, for the history of the domain. */
export function encodeReplaced({ records: table }: Environment, domainId: Id): readonly Buffer[] {
  const start = idKey(domainId);
  return Array.from(table.getRange({ start, end: afterPrefix(start) }), ({ key, value }) =>
    encodeRecordBefore(idAt(key, key.length - 8), { key: key as Buffer, value }),
  );
}

interface Revealed {
  readonly row: ImportRow;
  readonly history: DomainHistory;
  readonly orphans: readonly OrphanedRows[];
  readonly readReplaced: ReadReplaced;
}

/** Reveals the records of an import and hides those of before, after the other changes. */
function reveal(
  environment: Environment,
  updates: ZoneUpdates,
  { row, history, orphans, readReplaced }: Revealed,
): void {
  const { domainId, firstId, end } = row;
  const { replaced } = end!;
  const { hidden, rows } = environment;
  const range = hidden.find(domainId, 'imported');
  if (range?.firstId !== firstId)
    throw new Error(`the end of an import into the domain ${domainId} without its records`);
  history.noteImport(row, () => readReplaced(environment, domainId));
  rows.get(imports.number)!.remove(imports.key(row));
  if (replaced.count === 0) hidden.remove(range);
  else {
    // It hides what earlier ranges hide, too.
    for (const other of hidden.read()) if (other.domainId === domainId) hidden.remove(other);
    hidden.put({ ...range, state: 'replaced' });
  }
  updates.reveal(row);
  if (replaced.count > 0) for (const orphaned of orphans) orphaned.noteAll(domainId);
}

/**
 * Deletes the rows that belong to RRsets whose last record an entry deletes. Disabled records keep
 * their comments.
 */
class OrphanedRows {
  /** Whether a domain has such rows. */
  readonly #domains = new Map<Id, boolean>();
  /** Keys of the rows, in Latin-1. */
  readonly #touched = new Set<string>();

  constructor(
    private readonly environment: Environment,
    private readonly table: number,
  ) {}

  note({ table, key, value }: Change): void {
    if (table !== records.number || value !== null || !this.hasRows(idAt(key))) return;
    this.#touched.add(key.toString('latin1', 0, key.length - RECORD_ID));
  }

  /** All records of before are deleted. */
  noteAll(domainId: Id): void {
    const start = idKey(domainId);
    for (const key of this.environment.rows.get(this.table)!.getKeys({ start, end: afterPrefix(start) }))
      this.#touched.add((key as Buffer).toString('latin1'));
  }

  delete(history: DomainHistory, updates: ZoneUpdates): void {
    const { rows } = this.environment;
    const table = rows.get(this.table)!;
    for (const text of this.#touched) {
      const key = Buffer.from(text, 'latin1');
      const range = { start: key, end: afterPrefix(key), limit: 1 };
      const old = table.get(key);
      if (old === undefined || !isEmpty(rows.get(records.number)!.getKeys(range))) continue;
      if (this.table === comments.number && rows.get(disabledRecords.number)!.doesExist(key)) continue;
      const change = { table: this.table, key, value: null };
      history.note(change);
      updates.beforeWrite(change, old);
      table.remove(key);
    }
  }

  hasRows(domainId: Id): boolean {
    let has = this.#domains.get(domainId);
    if (has === undefined) {
      const start = idKey(domainId);
      const range = { start, end: afterPrefix(start), limit: 1 };
      has = !isEmpty(this.environment.rows.get(this.table)!.getKeys(range));
      this.#domains.set(domainId, has);
    }
    return has;
  }
}

/** Bytes of the id at the end of the key of a record. */
const RECORD_ID = 8;

function isEmpty(keys: Iterable<unknown>): boolean {
  for (const _ of keys) return false;
  return true;
}

function writeRow(environment: Environment, updates: ZoneUpdates, change: Change, sequence: number): void {
  const table = TABLES.get(change.table);
  const rows = environment.rows.get(change.table);
  if (table === undefined || rows === undefined) throw new Error(`journal entry for the unknown table ${change.table}`);
  const mayReplace = !table.lookupsFromKey || (rowOwner(change.table) !== 'none' && !isNew(change));
  const old = mayReplace ? rows.get(change.key) : undefined;
  updates.beforeWrite(change, old);
  if (change.table === records.number) writeTarget(environment, updates, change);
  const before = table.lookupsFromKey ? (change.value === null ? EMPTY : undefined) : old;
  if (before !== undefined) for (const lookup of table.lookups(change.key, before)) environment.lookups.remove(lookup);
  if (change.value === null) {
    rows.remove(change.key);
    return;
  }
  raiseStoreLevel(environment.meta, table, change.key, change.value);
  const key = table.numbered ? addNumber(change.key, sequence) : change.key;
  rows.put(key, table.stamped ? addStamp(change.value, sequence) : change.value);
  for (const lookup of table.lookups(key, change.value)) environment.lookups.put(lookup, key);
}

const EMPTY = Buffer.alloc(0);

function addStamp(value: Buffer, sequence: number): Buffer {
  const bytes = Buffer.allocUnsafe(value.length + STAMP);
  bytes.set(value);
  bytes.writeUIntBE(sequence, value.length, STAMP);
  return bytes;
}

/** Keys of records and audit entries have new ids. */
const isNew = ({ table, value }: Change): boolean =>
  value !== null && (table === records.number || table === audits.number);

/** Completes the key of a numbered row, which has zeros in place of its id in the entry. */
function addNumber(key: Buffer, sequence: number): Buffer {
  const at = key.length - 8;
  if (idAt(key, at) !== 0) return key;
  const numbered = Buffer.from(key);
  writeId(sequence, numbered, at);
  return numbered;
}

/** Updates the table of targets, or that of the owners of ALIAS records by target. */
function writeTarget(environment: Environment, updates: ZoneUpdates, { key, value }: Change): void {
  const { type } = recordKeyParts(key);
  const isAlias = type === TYPE.ALIAS;
  if (!isAlias && !hasTarget(type)) return;
  const row = value ?? environment.records.get(key);
  if (row === undefined) return;
  const domainId = idAt(key);
  if (updates.isInBin(domainId)) {
    // The deletion of the domain may have left the entry for later steps.
    if (value === null) write(isAlias ? environment.aliases : environment.targets, ownerEntry(key, row));
    return;
  }
  if (isAlias) {
    const target = nameAt(row, RECORD_RDATA);
    write(environment.aliases, ownerEntry(key, row));
    updates.notices.addAliasOwner(Uint8Array.from(target), domainId);
    return;
  }
  const { target, entry } = targetOf(key, row);
  const zone = updates.zone(domainId);
  if (!isWithin(target, zone.apex)) return;
  if (HOST_TARGET.has(type)) zone.markTarget(target);
  write(environment.targets, entry);

  function write(table: Binary, entryKey: Buffer): void {
    if (value === null) table.remove(entryKey);
    else table.put(entryKey, EMPTY);
  }
}
