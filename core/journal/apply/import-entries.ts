/**
 * A large import as many small entries, so that it holds up no other commit on any node:
 *
 *   1. Parts: about 64 KB of puts of records each, with consecutive ids. Applying them writes the
 *      records with their lookups and targets, but hidden (core/store/hidden-rows.ts).
 *   2. The last entry has everything else that an import changes. It reveals the records and hides
 *      those of before, so the import is stored as a whole or not at all.
 *
 * Every part and the last entry start with the row of the import (core/store/rows/imports.ts). What
 * follows is done by each node for itself: import-steps.ts. commit/importer.ts makes the entries.
 */
import { nameAt } from '../../dns/wire/name.ts';
import { TYPE } from '../../dns/wire/types.ts';
import type { Environment } from '../../store/environment.ts';
import { type HiddenRange, isHidden, withShown } from '../../store/hidden-rows.ts';
import { afterPrefix, aliasOwnerKey, type Id, idAt, idKey, recordKeyParts } from '../../store/keys.ts';
import { raiseStoreLevel } from '../../store/level.ts';
import { deletedDomains, type ImportRow, imports, RECORD_RDATA, records } from '../../store/rows.ts';
import { readChanges, readFirstChanges } from '../entry-codec.ts';
import { hasTarget, moveOwner, targetOf } from '../record-targets.ts';

/** Records between two yields. */
const CHUNK = 32;

/** The import that an entry belongs to; null: none. */
export function importOf(changes: Buffer): ImportRow | null {
  if (changes[0] !== imports.number) return null;
  for (const { key, value } of readChanges(changes)) return value && imports.decode(key, value);
  return null;
}

/** Whether an entry only writes hidden records, which no answer and no read depends on. */
export const isImportPart = (changes: Buffer): boolean => importOf(changes)?.end === null;

/** Whether an entry reveals the records of an import. It gets a transaction of its own. */
export function isImportEnd(changes: Buffer): boolean {
  const row = importOf(changes);
  return row !== null && row.end !== null;
}

/** Whether an entry restores a deleted domain, or deletes one for good. */
export function restoresDomain(changes: Buffer): boolean {
  for (const { table, value } of readFirstChanges(changes, records.number))
    if (table === deletedDomains.number && value === null) return true;
  return false;
}

/** Inside a write transaction: writes the hidden records of a part. */
export function applyPart(environment: Environment, changes: Buffer, row: ImportRow): void {
  const { domainId, firstId, count } = row;
  const { records: table, lookups, hidden, meta } = environment;
  const apex = Buffer.from(row.apex, 'hex');
  const open = hidden.find(domainId, 'imported');
  if (open === undefined) {
    showWritten(environment, domainId, { firstId, count });
    hidden.put({ domainId, firstId, count, state: 'imported', shown: [] });
  }
  // Importers check this before they commit; a node must not stop for ever if one had not.
  else if (open.firstId !== firstId) return;
  for (const { table: number, key, value } of readChanges(changes)) {
    if (value === null) throw new Error('a part of an import deletes a row');
    if (number === imports.number) {
      raiseStoreLevel(meta, imports, key, value);
      environment.rows.get(number)!.put(key, value);
      continue;
    }
    const id = idAt(key, key.length - 8);
    if (number !== records.number || idAt(key) !== domainId || id < firstId || id >= firstId + count)
      throw new Error(`a part of the import into the domain ${domainId} writes another row`);
    table.put(key, value);
    for (const lookup of records.lookups(key, value)) lookups.put(lookup, key);
    moveOwner(environment, { apex }, { key, value }, true);
  }
}

/**
 * Inside a write transaction, before an entry writes records: those of a domain are not hidden with
 * the records that an import has replaced, and that are not all deleted.
 */
export function showRecords(environment: Environment, changes: Buffer): void {
  if (!environment.hidden.read().some(({ state }) => state === 'replaced')) return;
  for (const { table, key, value } of readChanges(changes))
    if (table === records.number && value !== null)
      showWritten(environment, idAt(key), { firstId: idAt(key, key.length - 8), count: 1 });
}

function showWritten(environment: Environment, domainId: Id, block: { firstId: Id; count: number }): void {
  const { hidden } = environment;
  const range = hidden.find(domainId, 'replaced');
  if (range === undefined) return;
  // Of a record that is written again, the id is shown already.
  const more = withShown(range, block);
  if (more !== null) hidden.put(more);
  else for (const _ of deleteHidden(environment, range));
}

/** Inside write transactions: deletes hidden records, and shows the others. */
export function* deleteHidden(environment: Environment, range: HiddenRange): Generator<void> {
  const { records: table, lookups, aliases, targets, hidden } = environment;
  const prefix = idKey(range.domainId);
  const end = afterPrefix(prefix);
  for (let start: Buffer | null = prefix; start !== null; ) {
    // Another import may have replaced the range, or a group deleted all.
    const current = hidden.find(range.domainId, range.state);
    if (current?.firstId !== range.firstId) return;
    let last: Buffer | null = null;
    const found: { readonly key: Buffer; readonly value: Buffer }[] = [];
    for (const { key, value } of environment.allRecords({ start, end, limit: CHUNK })) {
      last = key as Buffer;
      if (isHidden(current, last)) found.push({ key: last, value });
    }
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
  hidden.remove(range);
}
