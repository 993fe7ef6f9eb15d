/** The form of an update message (RFC 2136 section 2). */

import { InvalidError } from '../../base/errors.ts';
import { HEADER_LENGTH } from './header.ts';
import { MessageReader, type MessageRecord } from './message-reader.ts';
import { isDataType } from './mnemonics.ts';
import type { Name } from './name.ts';
import { canonicalRdata } from './rdata/index.ts';
import { TYPE } from './types.ts';

/**
 * Classes that select the operation of a record (RFC 2136 2.4 and 2.5), in addition to the zone's
 * class.
 */
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

/**
 * The zone section of an update message. The caller checks that the zone is ours before the records
 * are parsed (RFC 2136 3.1). Throws InvalidError (FORMERR) unless there is exactly one zone, of
 * type SOA (3.1.1).
 */
export function parseUpdateZone(message: Uint8Array): Zone {
  const header = new MessageReader(message);
  header.u32();
  const zones = header.u16();
  if (zones !== 1) throw new InvalidError('malformed_message', `An update must have exactly one zone, not ${zones}.`);
  return readZone(new MessageReader(message, HEADER_LENGTH));
}

function readZone(reader: MessageReader): Zone {
  const zone: Zone = { name: reader.name(), type: reader.u16(), class: reader.u16() };
  if (zone.type !== TYPE.SOA) throw new InvalidError('malformed_message', 'The zone section must have the type SOA.');
  return zone;
}

/**
 * Parses an update message without its TSIG record. Rdata is converted to its stored form. Throws
 * InvalidError (FORMERR) if the message is malformed, does not have exactly one zone of type SOA
 * (3.1.1), has malformed rdata, more than one OPT, or an OPT whose owner is not the root.
 */
export function parseUpdate(message: Uint8Array): UpdateMessage {
  const header = new MessageReader(message);
  header.u32();
  const [zones, prerequisites, updates, additional] = [header.u16(), header.u16(), header.u16(), header.u16()];
  if (zones !== 1) throw new InvalidError('malformed_message', `An update must have exactly one zone, not ${zones}.`);
  const reader = new MessageReader(message, HEADER_LENGTH);
  const zone = readZone(reader);
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
      throw new InvalidError(
        'malformed_message',
        'The message has several OPT records, or one whose owner name is not the root.',
      );
    version = (ttl >>> 16) & 0xff;
  }
  reader.end();
  return { zone, prerequisites: compared, updates: changed, version };
}

/**
 * Converts rdata to its stored form. Records of class ANY are unchanged: rdata is an error there
 * (2.4, 2.5).
 */
function canonical(record: MessageRecord): MessageRecord {
  if (record.class === CLASS_ANY || !isDataType(record.type)) return record;
  // Class NONE without rdata is a prerequisite that an RRset or name does not exist (2.4.3, 2.4.5).
  if (record.class === CLASS_NONE && record.rdata.length === 0) return record;
  return { ...record, rdata: canonicalRdata(record.type, record.rdata) };
}
