/**
 * Reads the messages of a transfer: the rows of a whole zone, or the difference to the previous
 * version. Pure, so that large zones can be read in a thread.
 */
import { InvalidError } from '../../base/errors.ts';
import { costInIterations } from '../../dns/dnssec/nsec3.ts';
import { HEADER_LENGTH } from '../../dns/wire/header.ts';
import { latin1 } from '../../dns/wire/latin1.ts';
import { MessageReader } from '../../dns/wire/message-reader.ts';
import { isDataType, typeName } from '../../dns/wire/mnemonics.ts';
import { equalNames, formatName, isWithin, type Name, nameId } from '../../dns/wire/name.ts';
import { findFault, mayBeMalformed } from '../../dns/wire/rdata/index.ts';
import { MAX_TTL } from '../../dns/wire/ttl.ts';
import { CLASS_IN, type ResourceRecord, TYPE } from '../../dns/wire/types.ts';
import {
  aliasWithoutTarget,
  type ContentWarning,
  malformedContent,
  NO_NAMESERVERS,
  ofOtherClass,
  ofQueryType,
  outsideOfZone,
  SECOND_SOA,
  SOA_BELOW_APEX,
} from '../../dns/wire/zone-content.ts';
import { ChangeWriter } from '../../journal/entry-codec.ts';
import type { Id } from '../../store/keys.ts';
import { NO_WARNINGS, newRecord, records, type StoredWarnings } from '../../store/rows.ts';
import { compileZone } from '../../zone/compile/bulk.ts';
import { MemoryZone } from '../../zone/compile/memory.ts';
import { parametersOf } from '../../zone/compile/presigned.ts';
import { malformed } from './transfer-stream.ts';

/** Types of signed zones, which are compiled with their denial proofs during apply. */
export const SIGNED: ReadonlySet<number> = new Set([TYPE.RRSIG, TYPE.NSEC, TYPE.NSEC3, TYPE.NSEC3PARAM, TYPE.DNSKEY]);
/** Maximum of warnings that are kept of a transfer. */
const MAX_WARNINGS = 20;

type Warned = Pick<ResourceRecord, 'name' | 'type'>;
type Warn = (record: Warned, warning: ContentWarning) => void;
type Received =
  | { readonly record: ResourceRecord; readonly warning: null }
  | { readonly record: Warned; readonly warning: ContentWarning };

const messageOf = ({ name, type }: Warned, message: string): string =>
  `${formatName(name)} ${typeName(type)}: ${message}`;

/** The warnings of a transfer: the first, and the number of others. */
export class TransferWarnings {
  readonly #first = new Map<string, ContentWarning>();
  #omitted = 0;

  constructor({ first, omitted }: StoredWarnings = NO_WARNINGS) {
    for (const warning of first) this.#first.set(warning.message, warning);
    this.#omitted = omitted;
  }

  add(record: Warned, { code, message: what }: ContentWarning): void {
    const message = messageOf(record, what);
    if (this.#first.size < MAX_WARNINGS || this.#first.has(message)) this.#first.set(message, { code, message });
    else this.#omitted++;
  }

  /** Removes the warning of a record that a difference removes. */
  remove(record: Warned, { message }: ContentWarning): void {
    if (!this.#first.delete(messageOf(record, message))) this.#omitted = Math.max(0, this.#omitted - 1);
  }

  get stored(): StoredWarnings {
    return { first: [...this.#first.values()], omitted: this.#omitted };
  }
}

/**
 * The records of the answer sections that a zone can hold, in their order: see
 * core/dns/wire/zone-content.ts. `warn` is called before the next record is returned. Throws
 * InvalidError.
 */
function* answersOf(messages: readonly Uint8Array[], apex: Name, warn: Warn): Generator<ResourceRecord> {
  for (const message of messages) {
    const count = (at: number): number => (message[at] << 8) | message[at + 1];
    const reader = new MessageReader(message, HEADER_LENGTH);
    for (let i = count(4); i > 0; i--) {
      reader.name();
      reader.u32();
    }
    for (let i = count(6); i > 0; i--) {
      const { name, type, class: qclass, ttl, rdata } = reader.record();
      const fault = findFault(type, rdata);
      const reason = reasonToDrop(apex, name, type, qclass, fault);
      if (reason !== undefined) {
        warn({ name, type }, reason);
        continue;
      }
      if (fault !== undefined) {
        if (!mayBeMalformed(type, rdata))
          throw malformed(`a record of ${formatName(name)} has invalid data: ${fault.message.replace(/\.$/, '')}`);
        warn({ name, type }, malformedContent(fault.message));
      }
      // RFC 2181 section 8.
      yield { name, type, ttl: ttl > MAX_TTL ? 0 : ttl, rdata };
    }
  }
}

/** Why a record is dropped, and the rest of the zone is loaded; undefined: it is not. */
function reasonToDrop(
  apex: Name,
  name: Name,
  type: number,
  qclass: number,
  fault: InvalidError | undefined,
): ContentWarning | undefined {
  if (!isWithin(name, apex)) return outsideOfZone(formatName(name));
  if (!isDataType(type)) return ofQueryType(type);
  if (qclass !== CLASS_IN) return ofOtherClass(qclass);
  if (type === TYPE.SOA && name.length !== apex.length) return SOA_BELOW_APEX;
  return type === TYPE.ALIAS && fault !== undefined ? aliasWithoutTarget(fault.message) : undefined;
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
  /** Encoded puts of records, without ids: see core/journal/draft/assign-ids.ts. */
  readonly changes: Uint8Array;
  /** See core/zone/compile/bulk.ts; null: the zone is signed. */
  readonly nodes: Uint8Array | null;
  readonly count: number;
  /** Rdata of the SOA. */
  readonly soa: Uint8Array;
  readonly warnings: StoredWarnings;
}

/** Reads the messages of an AXFR. Throws InvalidError. */
export function readWholeZone({ messages, domainId, apex, maxIterations, now }: ZoneInput): WholeZone {
  const warnings = new TransferWarnings();
  const zone = recordsOfZone(messages, apex, maxIterations, warnings);
  const out = new ChangeWriter();
  for (const record of zone) {
    const row = newRecord(0, domainId, record, now);
    out.put(records.number, records.key(row), records.encode(row));
  }
  const isSigned = zone.some(({ type }) => SIGNED.has(type));
  const nodes = isSigned ? null : compileZone(new MemoryZone(apex, zone));
  const soa = zone.find(({ type }) => type === TYPE.SOA)!.rdata;
  return { changes: out.content, nodes, count: zone.length, soa, warnings: warnings.stored };
}

/**
 * The records of a whole zone without duplicates, with one TTL per RRset. `maxIterations`: see
 * `requireCheapHashing`. Throws InvalidError.
 */
export function recordsOfZone(
  messages: readonly Uint8Array[],
  apex: Name,
  maxIterations: number,
  warnings: TransferWarnings,
): ResourceRecord[] {
  const sets = new Map<string, { ttl: number; readonly found: Map<string, ResourceRecord> }>();
  let soa: Uint8Array | null = null;
  for (const record of answersOf(messages, apex, (at, warning) => warnings.add(at, warning))) {
    const { name, type, ttl, rdata } = record;
    if (type === TYPE.SOA) {
      soa ??= rdata;
      if (!equalNames(rdata, soa)) {
        warnings.add(record, SECOND_SOA);
        continue;
      }
    }
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
  let nameservers = 0;
  for (const { ttl, found } of sets.values())
    for (const record of found.values()) {
      // An RRSIG keeps its TTL, which is that of its covered RRset (RFC 4034 section 3).
      zone.push(record.type === TYPE.RRSIG ? record : { ...record, ttl });
      if (record.type === TYPE.NS && record.name.length === apex.length) nameservers++;
    }
  if (nameservers === 0) warnings.add({ name: apex, type: TYPE.NS }, NO_NAMESERVERS);
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
  readonly warnings: StoredWarnings;
}

/**
 * Merges the differences of an IXFR into one (RFC 1995 section 4). Records that were added and
 * removed again are in neither list. The SOA records are included. `before`: the warnings of the
 * content that it changes. Throws InvalidError.
 */
export function readDifference(
  messages: readonly Uint8Array[],
  apex: Name,
  before: StoredWarnings = NO_WARNINGS,
): Difference {
  const removed = new Map<string, ResourceRecord>();
  const added = new Map<string, ResourceRecord>();
  let soa: Uint8Array | null = null;
  let isAdding = true;
  const warnings = new TransferWarnings(before);
  const all: Received[] = [];
  const warn: Warn = (record, warning) => void all.push({ record, warning });
  for (const record of answersOf(messages, apex, warn)) all.push({ record, warning: null });
  // Without the first and the last SOA.
  for (const { record, warning } of all.slice(1, -1)) {
    if (warning !== null) {
      if (isAdding) warnings.add(record, warning);
      else warnings.remove(record, warning);
      continue;
    }
    if (record.type === TYPE.SOA) isAdding = !isAdding;
    if (isAdding && record.type === TYPE.SOA) soa = record.rdata;
    const id = `${record.type} ${record.ttl} ${latin1(record.name)} ${latin1(record.rdata)}`;
    const [to, other] = isAdding ? [added, removed] : [removed, added];
    if (!other.delete(id)) to.set(id, record);
  }
  if (soa === null) throw malformed('it has no difference');
  return { removed: [...removed.values()], added: [...added.values()], soa, warnings: warnings.stored };
}
