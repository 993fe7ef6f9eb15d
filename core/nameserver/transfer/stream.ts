/**
 * Generates the messages of a full transfer (RFC 5936) or an incremental one (RFC 1995) on demand.
 */

import type { ResourceRecord } from '../../dns/wire/types.ts';
import type { ZoneDifference } from '../../journal/apply/zone-difference.ts';
import { SOA_NUMBERS } from '../../store/answers.ts';
import { type Envelope, TransferMessage } from './message.ts';
import type { ZoneSnapshot } from './snapshot.ts';

/**
 * Packs records into messages; no message is empty. `reserve`: bytes that each message leaves for a
 * signature.
 */
export function* messagesOf(records: Iterable<ResourceRecord>, envelope: Envelope, reserve: number): Generator<Buffer> {
  const message = new TransferMessage(envelope, reserve);
  for (const record of records) {
    if (message.add(record)) continue;
    yield message.take();
    if (!message.add(record)) throw new Error(`a record of type ${record.type} does not fit a DNS message`);
  }
  yield message.take();
}

/** Packs all records into one message of at most `most` bytes. Null: they do not fit. */
export function oneMessage(
  records: Iterable<ResourceRecord>,
  envelope: Envelope,
  reserve: number,
  most: number,
): Buffer | null {
  const message = new TransferMessage(envelope, reserve, most);
  for (const record of records) if (!message.add(record)) return null;
  return message.take();
}

/** The SOA, all other records, the SOA again (RFC 5936 2.2). */
export function* wholeZone(snapshot: ZoneSnapshot): Generator<ResourceRecord> {
  yield snapshot.soa;
  yield* snapshot.records();
  yield snapshot.soa;
}

/**
 * The new SOA; the old SOA and the removed records; the new SOA and the added records; the new SOA
 * (RFC 1995 section 4).
 */
export function* differing(soa: ResourceRecord, { from, removed, added }: ZoneDifference): Generator<ResourceRecord> {
  yield soa;
  yield soaOf(soa, from);
  yield* removed;
  yield soa;
  yield* added;
  yield soa;
}

/**
 * The SOA with another serial, the first of the five numbers that its rdata ends in (RFC 1035
 * 3.3.13).
 */
function soaOf(soa: ResourceRecord, serial: number): ResourceRecord {
  const rdata = Buffer.from(soa.rdata);
  rdata.writeUInt32BE(serial, rdata.length - SOA_NUMBERS);
  return { ...soa, rdata };
}
