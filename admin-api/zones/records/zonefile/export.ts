/** Exports a domain as a zone file. A slow client still receives one consistent state. */
import { setImmediate } from 'node:timers/promises';
import { formatMaster } from '../../../../core/dns/wire/master/index.ts';
import { equalNames, type Name } from '../../../../core/dns/wire/name.ts';
import { type ResourceRecord, type RRset, TYPE } from '../../../../core/dns/wire/types.ts';
import { afterPrefix, idKey, nameOfKey, recordKeyParts } from '../../../../core/store/keys.ts';
import { type Domain, RECORD_RDATA, records } from '../../../../core/store/rows.ts';
import { spelledOwners } from '../../../../core/store/spelled-owners.ts';
import { apexSets } from '../../../../core/zone/compile/apex.ts';
import { readRRsets } from '../../../../core/zone/compile/stored.ts';
import { findType } from '../../../../core/zone/compile/view.ts';
import type { Services } from '../../../change/services.ts';
import type { StreamSource } from '../../../http/stream-slots.ts';
import { DNSSEC_TYPES } from '../rules/dnssec.ts';

/** Chunks of 16 KB before a yield to the event loop, which a large zone must not block for long. */
const CHUNKS_PER_TURN = 8;

interface Export extends StreamSource {
  readonly revision: number;
}

/**
 * Opens an export: SOA and NS first, then the records in canonical order. Owners have the case of
 * their zone file.
 */
export function openExport({ environment, reader, zoneSettings }: Services, domain: Domain): Export {
  // Kept open until the end, so that LMDB does not reuse the pages of this state.
  const transaction = environment.root.useReadTransaction();
  const { serial, revision } = reader.zoneState(domain.id);
  const atApex = apexSets(readRRsets(environment, domain.id, domain.apex), domain, zoneSettings, serial);
  const start = idKey(domain.id);
  const rows = environment.rows.get(records.number)!.getRange({ start, end: afterPrefix(start), transaction });
  const spelled = spelledOwners(environment, domain.id, transaction);
  const texts = formatMaster(domain.apex, orderRecords(domain, atApex, rows, spelled));
  return { revision, chunks: inPieces(texts), close: () => transaction.done() };
}

/** Yields to the event loop. */
async function* inPieces(texts: Iterable<string>): AsyncGenerator<string, void, undefined> {
  let chunks = 0;
  for (const text of texts) {
    yield text;
    if (++chunks % CHUNKS_PER_TURN === 0) await setImmediate();
  }
}

function* orderRecords(
  domain: Domain,
  atApex: readonly RRset[],
  rows: Iterable<{ key: Uint8Array; value: Buffer }>,
  spelled: (name: Name) => Name,
): Generator<ResourceRecord> {
  const { apex } = domain;
  for (const type of [TYPE.SOA, TYPE.NS]) {
    const set = findType(atApex, type);
    if (set !== undefined) for (const rdata of set.rdatas) yield { name: apex, type, ttl: set.ttl, rdata };
  }
  // Reuses the object of a repeated name: formatMaster compares the objects to omit the owner.
  let name = apex;
  let nameBytes: Uint8Array = new Uint8Array(0);
  for (const { key, value } of rows) {
    const { nameEnd, type } = recordKeyParts(key);
    const bytes = key.subarray(0, nameEnd);
    if (!equalNames(bytes, nameBytes)) {
      name = spelled(nameOfKey(key, 8, nameEnd));
      nameBytes = bytes;
    }
    const isService = DNSSEC_TYPES.has(type) || (type === TYPE.NS && name.length === apex.length);
    if (!isService) yield { name, type, ttl: value.readUInt32BE(0), rdata: value.subarray(RECORD_RDATA) };
  }
}
