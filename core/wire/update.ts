/** The form of an update message and of its response (RFC 2136 sections 2 and 3.8). */
import { InvalidError } from '../errors.ts';
import { OPT_LENGTH, PLAIN_OPT } from './edns.ts';
import { MessageReader, type MessageRecord } from './message-reader.ts';
import { isDataType } from './mnemonics.ts';
import type { Name } from './name.ts';
import { canonicalRdata } from './rdata/index.ts';
import { OPCODE, TYPE } from './types.ts';

/** Classes that say what to do with a record (RFC 2136 2.4 and 2.5), beside the zone's own. */
export const CLASS_NONE = 254;
export const CLASS_ANY = 255;

export interface Zone {
  readonly name: Name;
  readonly type: number;
  readonly class: number;
}

export interface UpdateMessage {
  readonly zone: Zone;
  readonly prerequisites: readonly MessageRecord[];
  readonly updates: readonly MessageRecord[];
  /** EDNS version of the OPT record; null: there is none. */
  readonly version: number | null;
}

const HEADER = 12;

/**
 * Takes an update message without its TSIG record apart. Rdata of records that are added, deleted or compared is as we store it. Throws InvalidError, which is
 * answered FORMERR: the bytes are no message, not exactly one zone of type SOA is named (3.1.1), rdata is not well-formed, there is more than one OPT.
 */
export function parseUpdate(message: Uint8Array): UpdateMessage {
  const header = new MessageReader(message);
  header.u32();
  const [zones, prerequisites, updates, additional] = [header.u16(), header.u16(), header.u16(), header.u16()];
  if (zones !== 1) throw new InvalidError('malformed_message', `An update names one zone, not ${zones}.`);
  const reader = new MessageReader(message, HEADER);
  const zone: Zone = { name: reader.name(), type: reader.u16(), class: reader.u16() };
  if (zone.type !== TYPE.SOA) throw new InvalidError('malformed_message', 'The zone section must have the type SOA.');
  const section = (count: number): MessageRecord[] => {
    const records: MessageRecord[] = [];
    for (let i = 0; i < count; i++) records.push(canonical(reader.record()));
    return records;
  };
  const compared = section(prerequisites);
  const changed = section(updates);
  let version: number | null = null;
  for (let i = 0; i < additional; i++) {
    const { name, type, ttl } = reader.record();
    if (type !== TYPE.OPT) continue;
    if (version !== null || name.length !== 1)
      throw new InvalidError('malformed_message', 'There is more than one OPT record, or it has a name.');
    version = (ttl >>> 16) & 0xff;
  }
  reader.end();
  return { zone, prerequisites: compared, updates: changed, version };
}

/** What has rdata is a record of a zone, but for class ANY, where rdata is a fault of its own (2.4, 2.5). */
function canonical(record: MessageRecord): MessageRecord {
  if (record.class === CLASS_ANY || !isDataType(record.type)) return record;
  // Without rdata, class NONE is a question for an RRset or name (2.4.3, 2.4.5).
  if (record.class === CLASS_NONE && record.rdata.length === 0) return record;
  return { ...record, rdata: canonicalRdata(record.type, record.rdata) };
}

const EXTENDED_RCODE = 5;

/**
 * The response: id and opcode of the request, the zone section when it can be read, which tells clients what was answered, and an OPT record with `edns` (RFC
 * 6891 6.1.1). `rcode` may have more than four bits only then. `message` has at least a header.
 */
export function updateResponse(message: Uint8Array, rcode: number, edns = false): Uint8Array {
  const zoneEnd = endOfZone(message);
  const response = Buffer.alloc(zoneEnd + (edns ? OPT_LENGTH : 0));
  response.set(message.subarray(0, zoneEnd));
  response.writeUInt16BE(0x8000 | (OPCODE.UPDATE << 11) | (rcode & 15), 2);
  response.fill(0, 4, HEADER);
  response.writeUInt16BE(zoneEnd > HEADER ? 1 : 0, 4);
  if (!edns) return response;
  response.writeUInt16BE(1, 10);
  response.set(PLAIN_OPT, zoneEnd);
  response[zoneEnd + EXTENDED_RCODE] = rcode >>> 4;
  return response;
}

/** Offset after the only zone, or after the header when there is not one that can be read. */
function endOfZone(message: Uint8Array): number {
  if (message[4] !== 0 || message[5] !== 1) return HEADER;
  const reader = new MessageReader(message, HEADER);
  try {
    reader.name();
    reader.u32();
    return reader.offset;
  } catch (error) {
    if (error instanceof InvalidError) return HEADER;
    throw error;
  }
}
