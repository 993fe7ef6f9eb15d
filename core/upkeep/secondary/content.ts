/**
 * Reads the messages of a transfer: the rows of a whole zone, or the difference to the previous
 * version. Pure, so that large zones can be read in a thread.
 */
import { InvalidError, WaypostError } from '../../base/errors.ts';
import { costInIterations } from '../../dns/dnssec/nsec3.ts';
import { HEADER_LENGTH } from '../../dns/wire/header.ts';
import { latin1 } from '../../dns/wire/latin1.ts';
import { MessageReader } from '../../dns/wire/message-reader.ts';
import { formatName, isWithin, type Name, nameId } from '../../dns/wire/name.ts';
import { checkRdata } from '../../dns/wire/rdata/index.ts';
import { CLASS_IN, type ResourceRecord, TYPE } from '../../dns/wire/types.ts';
import { ChangeWriter } from '../../journal/entry-codec.ts';
import type { Id } from '../../store/keys.ts';
import { newRecord, records } from '../../store/rows.ts';
import { compileZone } from '../../zone/compile/bulk.ts';
import { MemoryZone } from '../../zone/compile/memory.ts';
import { parametersOf } from '../../zone/compile/presigned.ts';
import { malformed } from './transfer-stream.ts';

/** Types of signed zones, which are compiled with their denial proofs during apply. */
const SIGNED: ReadonlySet<number> = new Set([TYPE.RRSIG, TYPE.NSEC, TYPE.NSEC3, TYPE.NSEC3PARAM, TYPE.DNSKEY]);
/** OPT, meta-types and query types, which zones cannot contain (RFC 6895 section 3.1). */
const isMeta = (type: number): boolean => type === 0 || type === TYPE.OPT || (type >= 128 && type <= 255);

/** All records of the answer sections, in their order. Throws InvalidError. */
function* answersOf(messages: readonly Uint8Array[], apex: Name): Generator<ResourceRecord> {
  for (const message of messages) {
    const count = (at: number): number => (message[at] << 8) | message[at + 1];
    const reader = new MessageReader(message, HEADER_LENGTH);
    for (let i = count(4); i > 0; i--) {
      reader.name();
      reader.u32();
    }
    for (let i = count(6); i > 0; i--) {
      const { name, type, class: qclass, ttl, rdata } = reader.record();
      if (qclass !== CLASS_IN) throw malformed(`a record has the class ${qclass}`);
      if (isMeta(type)) throw malformed(`a record has the type ${type}, which no zone has`);
      if (!isWithin(name, apex)) throw malformed(`${formatName(name)} is outside of the zone`);
      check(name, type, rdata);
      // RFC 2181 section 8.
      yield { name, type, ttl: ttl > 0x7fffffff ? 0 : ttl, rdata };
    }
  }
}

function check(name: Name, type: number, rdata: Uint8Array): void {
  try {
    checkRdata(type, rdata);
  } catch (error) {
    if (!(error instanceof WaypostError)) throw error;
    throw malformed(`a record of ${formatName(name)} has invalid data: ${error.message.replace(/\.$/, '')}`);
  }
}

/**
 * Rejects a zone with too expensive NSEC3 hashing (RFC 9276 section 3.2): the primary chooses the
 * parameters, but our threads do the hashing. `parameters`: rdata of its NSEC3PARAM records. Throws
 * InvalidError.
 */
export function requireCheapHashing(parameters: Iterable<Uint8Array>, maxIterations: number): void {
  for (const rdata of parameters) {
    const hashing = parametersOf(rdata);
    // Records with unknown flags or algorithms are ignored (RFC 5155 section 4.1.2).
    if (hashing === null || rdata[1] !== 0 || costInIterations(hashing) <= maxIterations) continue;
    const { iterations, salt } = hashing;
    const equivalent = costInIterations(hashing);
    const withSalt =
      equivalent === iterations
        ? ''
        : ` and a salt of ${salt.length} bytes, which cost as much as ${equivalent} iterations`;
    throw new InvalidError(
      'nsec3_iterations',
      `NSEC3PARAM has ${iterations} additional iterations${withSalt}; the limit is ${maxIterations} ` +
        '(secondary.max_nsec3_iterations); sign the zone at its primary with fewer, best 0, and no salt',
    );
  }
}

export interface ZoneInput {
  readonly messages: readonly Uint8Array[];
  readonly domainId: Id;
  readonly apex: Name;
  /** See `requireCheapHashing`. */
  readonly maxIterations: number;
  /** Creation time of the rows, in seconds since 1970. */
  readonly now: number;
}

export interface WholeZone {
  /** Encoded puts of records, without ids: see `assignIds`. */
  readonly changes: Uint8Array;
  /** See core/zone/compile/bulk.ts; null: the zone is signed. */
  readonly nodes: Uint8Array | null;
  readonly count: number;
  /** Rdata of the SOA. */
  readonly soa: Uint8Array;
}

/** Reads the messages of an AXFR. Throws InvalidError. */
export function readWholeZone({ messages, domainId, apex, maxIterations, now }: ZoneInput): WholeZone {
  const zone = recordsOfZone(messages, apex, maxIterations);
  const out = new ChangeWriter();
  for (const record of zone) {
    const row = newRecord(0, domainId, record, now);
    out.put(records.number, records.key(row), records.encode(row));
  }
  const isSigned = zone.some(({ type }) => SIGNED.has(type));
  const nodes = isSigned ? null : compileZone(new MemoryZone(apex, zone));
  const soa = zone.find(({ type }) => type === TYPE.SOA)!.rdata;
  return { changes: out.content, nodes, count: zone.length, soa };
}

/**
 * The records of a whole zone without duplicates, with one TTL per RRset. `maxIterations`: see
 * `requireCheapHashing`. Throws InvalidError.
 */
export function recordsOfZone(messages: readonly Uint8Array[], apex: Name, maxIterations: number): ResourceRecord[] {
  const sets = new Map<string, { ttl: number; readonly found: Map<string, ResourceRecord> }>();
  for (const record of answersOf(messages, apex)) {
    const { name, type, ttl, rdata } = record;
    const id = `${type} ${nameId(name)}`;
    const set = sets.get(id);
    if (set === undefined) sets.set(id, { ttl, found: new Map([[latin1(rdata), record]]) });
    else {
      // A transfer contains its SOA twice (RFC 5936 section 2.2).
      set.ttl = Math.min(set.ttl, ttl);
      set.found.set(latin1(rdata), record);
    }
  }
  const zone: ResourceRecord[] = [];
  let [soas, nameservers] = [0, 0];
  for (const { ttl, found } of sets.values())
    for (const record of found.values()) {
      // An RRSIG keeps its TTL, which is that of its covered RRset (RFC 4034 section 3).
      zone.push(record.type === TYPE.RRSIG ? record : { ...record, ttl });
      if (record.type === TYPE.SOA) soas++;
      if (record.type === TYPE.NS && record.name.length === apex.length) nameservers++;
    }
  if (soas !== 1) throw malformed('the SOA records at its begin and end are not the same');
  if (nameservers === 0) throw malformed('the zone has no NS records at its apex');
  requireCheapHashing(parametersAt(apex, zone), maxIterations);
  return zone;
}

/** Rdata of the NSEC3PARAM records at an apex. */
export function parametersAt(apex: Name, zone: readonly ResourceRecord[]): Uint8Array[] {
  return zone
    .filter(({ name, type }) => type === TYPE.NSEC3PARAM && name.length === apex.length)
    .map(({ rdata }) => rdata);
}

export interface Difference {
  readonly removed: readonly ResourceRecord[];
  readonly added: readonly ResourceRecord[];
  /** Rdata of the new SOA. */
  readonly soa: Uint8Array;
}

/**
 * Merges the differences of an IXFR into one (RFC 1995 section 4). Records that were added and
 * removed again are in neither list. The SOA records are included. Throws InvalidError.
 */
export function readDifference(messages: readonly Uint8Array[], apex: Name): Difference {
  const removed = new Map<string, ResourceRecord>();
  const added = new Map<string, ResourceRecord>();
  let soa: Uint8Array | null = null;
  let isAdding = true;
  const all = [...answersOf(messages, apex)];
  // Without the first and the last SOA.
  for (const record of all.slice(1, -1)) {
    if (record.type === TYPE.SOA) isAdding = !isAdding;
    if (isAdding && record.type === TYPE.SOA) soa = record.rdata;
    const id = `${record.type} ${record.ttl} ${latin1(record.name)} ${latin1(record.rdata)}`;
    const [to, other] = isAdding ? [added, removed] : [removed, added];
    if (!other.delete(id)) to.set(id, record);
  }
  if (soa === null) throw malformed('it has no difference');
  return { removed: [...removed.values()], added: [...added.values()], soa };
}
