/**
 * The stored records of a zone as one buffer, which a worker thread can compare with a file:
 *
 *   any number of { name length u16, type u16, TTL u32, rdata length u32, name, rdata }
 */

import { Steps } from '../../../../core/base/steps.ts';
import { latin1 } from '../../../../core/dns/wire/latin1.ts';
import { equalNames, type Name } from '../../../../core/dns/wire/name.ts';
import { afterPrefix, idKey, nameOfKey, recordKeyParts } from '../../../../core/store/keys.ts';
import { type Domain, RECORD_RDATA, records } from '../../../../core/store/rows.ts';
import type { Services } from '../../../change/services.ts';
import { DNSSEC_TYPES } from '../rules/dnssec.ts';

const HEADER = 12;

/** One state of the zone, without the records that an import keeps. Yields to the event loop. */
export async function encodeStored({ environment }: Pick<Services, 'environment'>, domain: Domain): Promise<Buffer> {
  const transaction = environment.root.useReadTransaction();
  try {
    const steps = new Steps();
    const start = idKey(domain.id);
    let out = Buffer.allocUnsafe(1 << 14);
    let length = 0;
    let name: Name = domain.apex;
    let nameBytes: Uint8Array = new Uint8Array(0);
    const rows = environment.rows.get(records.number)!;
    for (const { key, value } of rows.getRange({ start, end: afterPrefix(start), transaction })) {
      await steps.next();
      const { nameEnd, type } = recordKeyParts(key);
      if (DNSSEC_TYPES.has(type)) continue;
      const bytes = key.subarray(0, nameEnd);
      if (!equalNames(bytes, nameBytes)) {
        name = nameOfKey(key, 8, nameEnd);
        nameBytes = Uint8Array.from(bytes);
      }
      const rdata = value.subarray(RECORD_RDATA);
      const size = HEADER + name.length + rdata.length;
      if (length + size > out.length) {
        const larger = Buffer.allocUnsafeSlow(Math.max(out.length * 2, length + size));
        larger.set(out.subarray(0, length));
        out = larger;
      }
      out.writeUInt16BE(name.length, length);
      out.writeUInt16BE(type, length + 2);
      out.writeUInt32BE(value.readUInt32BE(0), length + 4);
      out.writeUInt32BE(rdata.length, length + 8);
      out.set(name, length + HEADER);
      out.set(rdata, length + HEADER + name.length);
      length += size;
    }
    return out.subarray(0, length);
  } finally {
    transaction.done();
  }
}

interface StoredRecord {
  /** Name, type and rdata in Latin-1. */
  readonly key: string;
  readonly name: Name;
  readonly type: number;
  readonly ttl: number;
  readonly rdata: Uint8Array;
}

export function* readStored(stored: Uint8Array): Generator<StoredRecord> {
  const bytes = Buffer.from(stored.buffer, stored.byteOffset, stored.length);
  for (let at = 0; at < bytes.length; ) {
    const nameEnd = at + HEADER + bytes.readUInt16BE(at);
    const type = bytes.readUInt16BE(at + 2);
    const ttl = bytes.readUInt32BE(at + 4);
    const end = nameEnd + bytes.readUInt32BE(at + 8);
    const name = bytes.subarray(at + HEADER, nameEnd);
    const rdata = bytes.subarray(nameEnd, end);
    const key = latin1(name) + String.fromCharCode(type >> 8, type & 255) + latin1(rdata);
    yield { key, name, type, ttl, rdata };
    at = end;
  }
}
