/**
 * Applies journal entries: rows, lookups, derived zone state and answers, in one transaction. It is
 * deterministic: the same entries on the same rows produce the same bytes on every node. Changes to
 * the shared index are collected, and published once the transaction is on disk.
 */

import { isWithin, nameAt } from '../../dns/wire/name.ts';
import { HOST_TARGET, TYPE } from '../../dns/wire/types.ts';
import { SOA_NUMBERS } from '../../store/answers.ts';
import type { Environment } from '../../store/environment.ts';
import { afterPrefix, aliasOwnerKey, type Id, idAt, idKey, recordKeyParts, writeId } from '../../store/keys.ts';
import { rowOwner } from '../../store/row-owner.ts';
import {
  accounts,
  acmeChallenges,
  aliasTargets,
  apps,
  audits,
  comments,
  dnssec,
  domains,
  proxies,
  RECORD_RDATA,
  records,
  renumberings,
  STAMP,
  secondaries,
  TABLES,
  tokens,
} from '../../store/rows.ts';
import { type Change, type Entry, readChanges } from '../entry-codec.ts';
import type { CompiledZone } from '../journal.ts';
import { hasTarget, targetOf } from '../record-targets.ts';
import type { ZoneUpdates } from './apply-zones.ts';
import { DomainHistory } from './domain-history.ts';

export interface Applied {
  readonly entry: Entry;
  readonly compiled?: CompiledZone;
}

/**
 * Inside a write transaction. Throws if an entry cannot be applied; then the transaction must be
 * aborted. `rehearsed`: see ZoneUpdates.compile.
 */
export function applyEntries(
  environment: Environment,
  updates: ZoneUpdates,
  entries: readonly Applied[],
  rehearsed?: ZoneUpdates,
): void {
  applyRows(environment, updates, entries);
  updates.compile(rehearsed);
}

/** Like `applyEntries`, but compiles nothing. */
export function applyRows(environment: Environment, updates: ZoneUpdates, entries: readonly Applied[]): void {
  for (const { entry, compiled } of entries) {
    const history = new DomainHistory(environment, entry);
    updates.begin(entry, compiled);
    const orphans = new OrphanedComments(environment);
    for (const change of readChanges(entry.changes)) {
      history.note(change);
      orphans.note(change);
      applyChange(environment, updates, change, entry.sequence);
    }
    orphans.delete(history, updates);
    updates.endEntry();
    history.store();
  }
}

/** Deletes the comments of RRsets whose last record an entry deletes. */
class OrphanedComments {
  readonly #environment: Environment;
  /** Whether a domain has comments. */
  readonly #domains = new Map<Id, boolean>();
  /** Keys of comments, in Latin-1. */
  readonly #touched = new Set<string>();

  constructor(environment: Environment) {
    this.#environment = environment;
  }

  note({ table, key, value }: Change): void {
    if (table !== records.number || value !== null || !this.#hasComments(idAt(key))) return;
    this.#touched.add(key.toString('latin1', 0, key.length - RECORD_ID));
  }

  delete(history: DomainHistory, updates: ZoneUpdates): void {
    const { rows } = this.#environment;
    const table = rows.get(comments.number)!;
    for (const text of this.#touched) {
      const key = Buffer.from(text, 'latin1');
      const range = { start: key, end: afterPrefix(key), limit: 1 };
      const old = table.get(key);
      if (old === undefined || !isEmpty(rows.get(records.number)!.getKeys(range))) continue;
      const change = { table: comments.number, key, value: null };
      history.note(change);
      updates.noteRow(change, old);
      table.remove(key);
    }
  }

  #hasComments(domainId: Id): boolean {
    let has = this.#domains.get(domainId);
    if (has === undefined) {
      const start = idKey(domainId);
      const range = { start, end: afterPrefix(start), limit: 1 };
      has = !isEmpty(this.#environment.rows.get(comments.number)!.getKeys(range));
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

function applyChange(environment: Environment, updates: ZoneUpdates, change: Change, sequence: number): void {
  const table = TABLES.get(change.table);
  const rows = environment.rows.get(change.table);
  if (table === undefined || rows === undefined) throw new Error(`journal entry for the unknown table ${change.table}`);
  const mayReplace = !table.lookupsFromKey || (rowOwner(change.table) !== 'none' && !isNew(change));
  const old = mayReplace ? rows.get(change.key) : undefined;
  updates.noteRow(change, old);
  if (!table.lookupsFromKey) {
    if (change.table === domains.number)
      updates.noteMember(idAt(change.key), old === undefined ? null : domains.decode(change.key, old));
    if (old !== undefined) {
      for (const lookup of table.lookups(change.key, old)) environment.lookups.remove(lookup);
      if (change.table === domains.number && change.value === null)
        updates.noteDeletedDomain(domains.decode(change.key, old));
    }
  }
  if (change.table === accounts.number || change.table === tokens.number) updates.credentialsChanged = true;
  if (change.table === secondaries.number) updates.secondaries.add(idAt(change.key));
  if (change.table === apps.number) updates.apps.add(Buffer.from(change.key).toString());
  if (change.table === records.number) noteRecord(environment, updates, change);
  else updates.edge.note(change);
  if (change.table === proxies.number) {
    updates.noteProxyWrite(idAt(change.key), old !== undefined && proxies.decode(change.key, old).enabled);
  }
  // The revision and the serial increase, since clients read comments together with records.
  if (change.table === comments.number) updates.zone(idAt(change.key));
  if (change.table === aliasTargets.number) updates.noteAliasTarget(change.key);
  if (change.table === acmeChallenges.number) noteChallenge(updates, change, rows.get(change.key));
  if (change.table === dnssec.number) {
    const previous = rows.get(change.key);
    updates.noteDnssec(idAt(change.key), previous === undefined ? null : dnssec.decode(change.key, previous));
  }
  if (change.table === domains.number || change.table === proxies.number || change.table === dnssec.number)
    updates.invalidateFacts();
  if (change.value === null) {
    rows.remove(change.key);
    if (table.lookupsFromKey) for (const lookup of table.lookups(change.key, EMPTY)) environment.lookups.remove(lookup);
    return;
  }
  const key = table.numbered ? addNumber(change.key, sequence) : change.key;
  rows.put(key, table.stamped ? addStamp(change.value, sequence) : change.value);
  for (const lookup of table.lookups(key, change.value)) environment.lookups.put(lookup, key);
  if (change.table === renumberings.number) updates.renumber(renumberings.decode(change.key, change.value).domainIds);
  if (change.table === domains.number) updates.noteDomain(domains.decode(change.key, change.value));
  if (change.table === aliasTargets.number) updates.noteAliasAddresses(aliasTargets.decode(change.key, change.value));
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

/** `old`: the row before the change. */
function noteChallenge(updates: ZoneUpdates, { key, value }: Change, old: Buffer | undefined): void {
  const row = value ?? old;
  if (row === undefined || acmeChallenges.decode(key, row).type !== 'dns-01') return;
  updates.noteChallenge(idAt(key), value === null ? -1 : 1);
}

/** Counts the record, marks its name as changed, and updates the table of targets. */
function noteRecord(environment: Environment, updates: ZoneUpdates, change: Change): void {
  const { key, value } = change;
  const domainId = idAt(key);
  const { nameEnd, type } = recordKeyParts(key);
  const zone = updates.zone(domainId);
  zone.noteRecord(key, nameEnd, type, value === null ? -1 : 1);
  if (type === TYPE.SOA && value !== null) zone.soaSerial = value.readUInt32BE(value.length - SOA_NUMBERS);
  const isWithTarget = hasTarget(type);
  const atApex = nameEnd === zone.apexEnd;
  updates.noteRecord(domainId, atApex, isWithTarget);
  if (type === TYPE.A || type === TYPE.AAAA || (atApex && type === TYPE.NS)) updates.noteDelegation(domainId, key);
  if (type === TYPE.ALIAS) noteAlias(environment, updates, change);
  if (!isWithTarget) return;
  const row = value ?? environment.records.get(key);
  if (row === undefined) return;
  const { target, entry } = targetOf(key, row);
  if (!isWithin(target, zone.apex)) return;
  if (HOST_TARGET.has(type)) zone.noteTarget(target);
  if (value === null) environment.targets.remove(entry);
  else environment.targets.put(entry, EMPTY);
}

/** Updates the table of the owners of ALIAS records by target. */
function noteAlias({ records: rows, aliases }: Environment, updates: ZoneUpdates, { key, value }: Change): void {
  const row = value ?? rows.get(key);
  if (row === undefined) return;
  const target = nameAt(row, RECORD_RDATA);
  const entry = aliasOwnerKey(target, key);
  if (value === null) aliases.remove(entry);
  else aliases.put(entry, EMPTY);
  updates.noteAliasOwner(Uint8Array.from(target), idAt(key));
}
