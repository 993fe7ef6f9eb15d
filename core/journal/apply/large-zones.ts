/** Which groups of entries compile a large signed zone. */
import type { Environment } from '../../store/environment.ts';
import { type Id, idAt, idKey } from '../../store/keys.ts';
import { decodeZoneState } from '../../store/reader.ts';
import { dnssec, domains, proxies, records } from '../../store/rows.ts';
import { readChanges } from '../entry-codec.ts';
import type { Applied } from './apply-entries.ts';

/** Records of a zone for which all signatures take more than 100 ms. */
const LARGE = 2000;
/** Bytes of the changes of an entry that may change so many records that all names are compiled. */
const LARGE_ENTRY = 32 << 10;

/**
 * Whether applying the entries may sign all names of a zone with many records: after an import, or
 * when its proxy is turned on or off. Changes of how a zone is signed come in pieces.
 */
export function signsLargeZone(environment: Environment, entries: readonly Applied[]): boolean {
  const signed = environment.rows.get(dnssec.number)!;
  if ([...signed.getKeys({ limit: 1 })].length === 0) return false;
  const ids = new Set<Id>();
  for (const { entry, compiled } of entries) {
    if (compiled !== undefined) ids.add(compiled.domainId);
    const isLarge = entry.changes.length > LARGE_ENTRY;
    for (const { table, key } of readChanges(entry.changes))
      if (table === proxies.number || table === domains.number || (isLarge && table === records.number))
        ids.add(idAt(key));
  }
  for (const id of ids) {
    const key = idKey(id);
    if (signed.doesExist(key) && decodeZoneState(environment.zones.get(key)).recordCount > LARGE) return true;
  }
  return false;
}
