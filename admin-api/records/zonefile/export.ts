/** A domain as a zone file, of one moment, however long the client takes to read it. */
import { setImmediate } from 'node:timers/promises';
import { afterPrefix, idKey, nameOfKey, recordKeyParts } from '../../../core/store/keys.ts';
import { type Domain, RECORD_RDATA, records } from '../../../core/store/rows.ts';
import { SnapshotDeadline } from '../../../core/store/snapshot-deadline.ts';
import { spelledOwners } from '../../../core/store/spelled-owners.ts';
import { formatMaster } from '../../../core/wire/master/index.ts';
import { equalNames, type Name } from '../../../core/wire/name.ts';
import { type ResourceRecord, type RRset, TYPE } from '../../../core/wire/types.ts';
import { apexSets } from '../../../core/zone/apex.ts';
import { readRRsets } from '../../../core/zone/stored.ts';
import { findType } from '../../../core/zone/view.ts';
import type { Services } from '../../change/services.ts';
import { HttpError } from '../../http/errors.ts';

/** Chunks of 16 KB between two turns of the event loop: a large zone must not hold up the rest for long. */
const TURN = 8;

/** Of a client of an export. */
export class Deadline extends SnapshotDeadline {
  /** Throws when the client, which has now taken `bytes` more, should have been further. */
  taken(bytes: number): void {
    if (this.isPast(bytes)) throw new HttpError(408, 'too_slow', 'The client read the zone too slowly.');
  }
}

/** SOA and NS first, then the records in canonical order, owners in the case that a zone file gave them. */
export async function* exportZone(services: Services, domain: Domain): AsyncGenerator<string, void, undefined> {
  const { environment, reader, zoneSettings } = services;
  // Held until the end, so that no page of this state is written over.
  const transaction = environment.root.useReadTransaction();
  const deadline = new Deadline();
  try {
    const atApex = apexSets(
      readRRsets(environment, domain.id, domain.apex),
      domain,
      zoneSettings,
      reader.zoneState(domain.id).serial,
    );
    const start = idKey(domain.id);
    const rows = environment.rows.get(records.number)!.getRange({ start, end: afterPrefix(start), transaction });
    let chunks = 0;
    const spelled = spelledOwners(environment, domain.id, transaction);
    for (const text of formatMaster(domain.apex, inOrder(domain, atApex, rows, spelled))) {
      yield text;
      deadline.taken(text.length);
      if (++chunks % TURN === 0) await setImmediate();
    }
  } finally {
    transaction.done();
  }
}

function* inOrder(
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
  // Only what a line needs is decoded; a name that goes on is the same object, which the writer of lines looks at.
  let name = apex;
  let nameBytes: Uint8Array = new Uint8Array(0);
  for (const { key, value } of rows) {
    const { nameEnd, type } = recordKeyParts(key);
    const bytes = key.subarray(0, nameEnd);
    if (!equalNames(bytes, nameBytes)) {
      name = spelled(nameOfKey(key, 8, nameEnd));
      nameBytes = bytes;
    }
    if (type !== TYPE.NS || name.length !== apex.length)
      yield { name, type, ttl: value.readUInt32BE(0), rdata: value.subarray(RECORD_RDATA) };
  }
}
