/**
 * Entries in the table of targets: target name to record (see core/store/keys.ts). When a name
 * changes, the table lists the records whose answers include that name; these answers are compiled
 * again. The entries are also conflict keys: recent-writes.ts compares them with the reads of
 * drafts.
 */

import { isWithin, type Name, nameAt } from '../dns/wire/name.ts';
import { HOST_TARGET, isServiceBinding, SERVICE_TARGET, TYPE } from '../dns/wire/types.ts';
import type { Environment } from '../store/environment.ts';
import { type HiddenRange, isHidden } from '../store/hidden-rows.ts';
import { afterPrefix, aliasOwnerKey, type Id, idKey, recordKeyParts, targetKey } from '../store/keys.ts';
import { type Domain, RECORD_RDATA } from '../store/rows.ts';

/**
 * Whether the rdata of this type has a target, which an answer follows or adds to the additional
 * section.
 */
export function hasTarget(type: number): boolean {
  return targetOffset(type) >= 0;
}

/**
 * The target and its entry, from the key and the encoded value of a record. The type must have a
 * target.
 */
export function targetOf(key: Uint8Array, value: Uint8Array): { target: Name; entry: Buffer } {
  const target = nameAt(value, RECORD_RDATA + targetOffset(recordKeyParts(key).type));
  return { target, entry: targetKey(target, key) };
}

/** The entry of an ALIAS record in the table of owners, or of another record with a target. */
export function ownerEntry(key: Uint8Array, value: Uint8Array): Buffer {
  const isAlias = recordKeyParts(key).type === TYPE.ALIAS;
  return isAlias ? aliasOwnerKey(nameAt(value, RECORD_RDATA), key) : targetOf(key, value).entry;
}

/** Writes or deletes the entry of a record in the current transaction, if it has a target. */
export function moveOwner(
  { aliases, targets }: Pick<Environment, 'aliases' | 'targets'>,
  { apex }: Pick<Domain, 'apex'>,
  { key, value }: { readonly key: Uint8Array; readonly value: Uint8Array },
  isWritten: boolean,
): void {
  const { type } = recordKeyParts(key);
  if (type === TYPE.ALIAS) move(aliases, aliasOwnerKey(nameAt(value, RECORD_RDATA), key));
  else if (hasTarget(type)) {
    const { target, entry } = targetOf(key, value);
    if (isWithin(target, apex)) move(targets, entry);
  }

  function move(table: Pick<Environment['targets'], 'put' | 'remove'>, entry: Buffer): void {
    if (isWritten) table.put(entry, EMPTY);
    else table.remove(entry);
  }
}

/**
 * Writes the entries of all records of a domain, in the current transaction. Also of hidden ones,
 * which are revealed without another look at them.
 */
export function writeTargets({ allRecords, targets }: Environment, { id, apex }: Pick<Domain, 'id' | 'apex'>): void {
  const start = idKey(id);
  for (const { key, value } of allRecords({ start, end: afterPrefix(start) })) {
    if (!hasTarget(recordKeyParts(key).type)) continue;
    const { target, entry } = targetOf(key, value);
    if (isWithin(target, apex)) targets.put(entry, EMPTY);
  }
}

/** Writes the aliases of hidden ALIAS records, in the current transaction. */
export function writeHiddenAliases({ allRecords, aliases }: Environment, range: HiddenRange): void {
  const start = idKey(range.domainId);
  for (const { key, value } of allRecords({ start, end: afterPrefix(start) }))
    if (recordKeyParts(key).type === TYPE.ALIAS && isHidden(range, key))
      aliases.put(aliasOwnerKey(nameAt(value, RECORD_RDATA), key), EMPTY);
}

/** Deletes the entries of all records of a domain, in the current transaction. */
export function deleteTargets({ targets }: Environment, domainId: Id): void {
  const start = idKey(domainId);
  for (const key of [...targets.getKeys({ start, end: afterPrefix(start) })]) targets.remove(key);
}

/** The targets of the ALIAS records of a domain, with the keys of their entries. */
export function aliasOwnersOf({ records }: Environment, domainId: Id): { target: Name; key: Buffer }[] {
  const start = idKey(domainId);
  const found: { target: Name; key: Buffer }[] = [];
  for (const key of records.getKeys({ start, end: afterPrefix(start) }) as Iterable<Buffer>) {
    if (recordKeyParts(key).type !== TYPE.ALIAS) continue;
    const target = Uint8Array.from(nameAt(records.get(key)!, RECORD_RDATA));
    found.push({ target, key: aliasOwnerKey(target, key) });
  }
  return found;
}

const EMPTY = Buffer.alloc(0);

function targetOffset(type: number): number {
  if (type === TYPE.CNAME || type === TYPE.DNAME) return 0;
  return isServiceBinding(type) ? SERVICE_TARGET : (HOST_TARGET.get(type) ?? -1);
}
