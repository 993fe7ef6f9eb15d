/** Encodes the rows of a whole zone without an object for each row. */
import { randomBytes } from 'node:crypto';
import { ChangeWriter } from '../../../core/journal/entry-codec.ts';
import { idKey, writeNameKey } from '../../../core/store/keys.ts';
import { RECORD_RDATA, records, spellings } from '../../../core/store/rows.ts';
import { type Name, nameId } from '../../../core/wire/name.ts';
import type { Owners } from './owners.ts';

/**
 * Encodes a put for every record, and for the spelling of every owner in `spelled` (by nameId). A
 * test compares the layout with rows.ts and keys.ts.
 *
 * The ids of one file are consecutive, from a random start in the upper half of their range. The
 * ids of rows.ts are in the lower half until the year 2248. A worker thread can therefore assign
 * ids without coordination, and neighbours in the file are neighbours in the table of ids.
 */
export function encodeRecords(
  domainId: string,
  owners: Owners,
  spelled: ReadonlyMap<string, Name>,
  now: number,
): { changes: Uint8Array; count: number } {
  const out = new ChangeWriter();
  const key = Buffer.alloc(1024);
  key.set(idKey(domainId));
  let value = Buffer.alloc(RECORD_RDATA + 1024);
  let id = randomBytes(8).readBigUInt64BE() | (1n << 63n);
  // Leaves room at the end of the range for the ids of any file.
  if (id > 0xffff_ff00_0000_0000n) id -= 1n << 40n;
  let high = Number(id >> 32n);
  let low = Number(id & 0xffff_ffffn);
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
        key.writeUInt32BE(high, typeAt + 2);
        key.writeUInt32BE(low, typeAt + 6);
        if (++low > 0xffff_ffff) {
          low = 0;
          high++;
        }
        if (RECORD_RDATA + rdata.length > value.length) value = Buffer.concat([value], RECORD_RDATA + rdata.length);
        value.set(rdata, RECORD_RDATA);
        out.put(records.number, key.subarray(0, typeAt + 10), value.subarray(0, RECORD_RDATA + rdata.length));
      }
    }
  }
  const { count } = out;
  if (spelled.size > 0)
    for (const { name, sets } of owners) {
      const spelling = sets.length > 0 ? spelled.get(nameId(name)) : undefined;
      if (spelling === undefined) continue;
      const nameEnd = writeNameKey(name, 0, key, 8);
      out.put(spellings.number, key.subarray(0, nameEnd), spelling);
    }
  return { changes: out.content, count };
}
