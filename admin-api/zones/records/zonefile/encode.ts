/** Encodes the rows of a whole zone without an object for each row. */

import { type Name, nameId } from '../../../../core/dns/wire/name.ts';
import { ChangeWriter } from '../../../../core/journal/entry-codec.ts';
import { type Id, idKey, writeNameKey } from '../../../../core/store/keys.ts';
import { RECORD_RDATA, records, spellings } from '../../../../core/store/rows.ts';
import type { Owners } from './owners.ts';

/**
 * Encodes a put for every record, and for the spelling of every owner in `spelled` (by nameId). A
 * test compares the layout with rows.ts and keys.ts.
 *
 * The ids of the records are left out, and the domain may be: see `assignIds`. The puts of records
 * come first, up to `recordsEnd`.
 */
export function encodeRecords(
  domainId: Id,
  owners: Owners,
  spelled: ReadonlyMap<string, Name>,
  now: number,
): { changes: Uint8Array; count: number; recordsEnd: number } {
  const out = new ChangeWriter();
  const key = Buffer.alloc(1024);
  key.set(idKey(domainId));
  let value = Buffer.alloc(RECORD_RDATA + 1024);
  for (const { name, sets } of owners) {
    const nameEnd = writeNameKey(name, 0, key, 8);
    key[nameEnd] = 0;
    const typeAt = nameEnd + 1;
    for (const { type, ttl, rdatas } of sets) {
      key.writeUInt16BE(type, typeAt);
      value.writeUInt32BE(ttl, 0);
      value.writeUIntBE(now, 4, 5);
      value.writeUIntBE(now, 9, 5);
      value[14] = 0;
      for (const rdata of rdatas) {
        key.fill(0, typeAt + 2, typeAt + 10);
        if (RECORD_RDATA + rdata.length > value.length) value = Buffer.concat([value], RECORD_RDATA + rdata.length);
        value.set(rdata, RECORD_RDATA);
        out.put(records.number, key.subarray(0, typeAt + 10), value.subarray(0, RECORD_RDATA + rdata.length));
      }
    }
  }
  const { count } = out;
  const recordsEnd = out.content.length;
  if (spelled.size > 0)
    for (const { name, sets } of owners) {
      const spelling = sets.length > 0 ? spelled.get(nameId(name)) : undefined;
      if (spelling === undefined) continue;
      const nameEnd = writeNameKey(name, 0, key, 8);
      out.put(spellings.number, key.subarray(0, nameEnd), spelling);
    }
  return { changes: out.content, count, recordsEnd };
}
