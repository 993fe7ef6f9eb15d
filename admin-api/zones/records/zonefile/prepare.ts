/**
 * Prepares a zone file for a commit: its changes, and the nodes of all its names. Pure, so that it
 * can run in a worker thread. Takes about 3 µs per record.
 */

import { WaypostError } from '../../../../core/base/errors.ts';
import {
  type MasterError,
  type MasterRecord,
  type MasterResult,
  type MasterWarning,
  parseMaster,
} from '../../../../core/dns/wire/master/index.ts';
import { typeName } from '../../../../core/dns/wire/mnemonics.ts';
import { equalNames, formatName, type Name, nameAt } from '../../../../core/dns/wire/name.ts';
import { LEADING_TYPES, type RRset, TYPE } from '../../../../core/dns/wire/types.ts';
import { SECOND_SOA, SOA_BELOW_APEX } from '../../../../core/dns/wire/zone-content.ts';
import type { Id } from '../../../../core/store/keys.ts';
import { type ApexSettings, type Domain, PRIMARY } from '../../../../core/store/rows.ts';
import { apexSets } from '../../../../core/zone/compile/apex.ts';
import { compileZone } from '../../../../core/zone/compile/bulk.ts';
import { HintedZone } from '../../../../core/zone/compile/hinted.ts';
import type { ZoneSettings } from '../../../../core/zone/compile/settings.ts';
import { NO_RRSETS, type ZoneView } from '../../../../core/zone/compile/view.ts';
import { DEFAULT_TTL } from '../content.ts';
import { DROPPED_TYPES } from '../rules/dnssec.ts';
import { checkStorable } from '../rules/record.ts';
import { checkZone } from './check.ts';
import { encodeRecords } from './encode.ts';
import { mayOcclude, type OwnedSet, Owners, setOf } from './owners.ts';
import { collectWarnings, warnOfDropped } from './warnings.ts';

/**
 * Compiles the nodes of an imported zone.
 *
 * Compiles the nodes of all names except the apex, for a zone without nested zones. `owners` must
 * be sorted. The nodes do not contain the serial, so a dummy serial is used.
 */
function compileOwners(domain: Domain, owners: Owners, defaults: ZoneSettings): Uint8Array {
  const zone = new OwnersZone(domain, owners, defaults);
  return compileZone(zone, new HintedZone(zone));
}

/** Adapts the owners for the compiler, which then needs no table of its own. */
class OwnersZone implements ZoneView {
  readonly apex: Name;
  readonly mayOcclude: boolean;
  readonly parentDs = null;
  readonly #atApex: readonly RRset[];

  constructor(
    domain: Domain,
    private readonly owners: Owners,
    defaults: ZoneSettings,
  ) {
    this.apex = domain.apex;
    this.#atApex = apexSets(owners.get(domain.apex)?.sets ?? NO_RRSETS, domain, defaults, 0);
    this.mayOcclude = mayOcclude(domain.apex, owners);
  }

  rrsets(name: Name): readonly RRset[] {
    if (name.length === this.apex.length && equalNames(name, this.apex)) return this.#atApex;
    return this.owners.get(name)?.sets ?? NO_RRSETS;
  }

  hasBelow(name: Name): boolean {
    return this.owners.get(name)?.below ?? false;
  }

  isNested(): boolean {
    return false;
  }

  *names(): Iterable<Name> {
    for (const { name } of this.owners) yield name;
  }
}

export interface PrepareInput {
  readonly bytes: Uint8Array;
  readonly domainId: Id;
  readonly apex: Name;
  /** Whether to use the SOA timers and apex NS of the file. */
  readonly keepApex: boolean;
  /** Whether warnings are errors. */
  readonly strict: boolean;
  /** Whether faults are warnings, and what has them is left out. Not with `strict`. */
  readonly skipsFaults?: boolean;
  readonly zoneSettings: ZoneSettings;
  /** Creation time of the rows, in seconds since 1970. */
  readonly now: number;
  /** See MasterOptions. */
  readonly maxGenerated?: number;
}

export interface PreparedZone {
  readonly ok: true;
  /** Puts of records and spellings. */
  readonly changes: Uint8Array;
  /** Offset of the end of the puts of records. */
  readonly recordsEnd: number;
  /** See core/zone/compile/bulk.ts. */
  readonly nodes: Uint8Array;
  readonly count: number;
  /** Whether the file has records of LEADING_TYPES. */
  readonly leads: boolean;
  readonly kept: ApexSettings | null;
  /** The targets of NS records at the apex. */
  readonly nameservers: readonly Name[];
  readonly warnings: readonly MasterWarning[];
}

interface BadFile {
  readonly ok: false;
  readonly errors: readonly MasterError[];
  /** The records of all `$GENERATE`, if they are too many. */
  readonly excess: number | null;
}

export type Prepared = PreparedZone | BadFile;

/** Maximum number of reported errors: enough for every bad line of a file that can be repaired. */
const MAX_ERRORS = 100_000;

export function prepareZone(input: PrepareInput): Prepared {
  const { apex, domainId, now } = input;
  const { owners, spellings, kept, errors, warnings, excess } = readZone(input);
  if (errors.length > 0) return { ok: false, errors, excess };
  const domain: Domain = { id: domainId, accountId: 0, apex, createdAt: now, kept, ...PRIMARY };
  owners.sort();
  const { changes, count, recordsEnd } = encodeRecords(domainId, owners, spellings, now);
  const leads = [...owners].some(({ sets }) => sets.some(({ type }) => LEADING_TYPES.includes(type)));
  const nodes = compileOwners(domain, owners, input.zoneSettings);
  const nameservers = (setOf(owners.get(apex), TYPE.NS)?.rdatas ?? []).map((rdata) => nameAt(rdata, 0));
  return { ok: true, changes, recordsEnd, count, leads, nodes, kept, nameservers, warnings };
}

export type ReadInput = Pick<PrepareInput, 'bytes' | 'apex' | 'keepApex' | 'strict' | 'skipsFaults' | 'maxGenerated'>;

interface ReadZone {
  readonly owners: Owners;
  /** See MasterResult. */
  readonly spellings: ReadonlyMap<string, Name>;
  readonly kept: ApexSettings | null;
  readonly errors: readonly (MasterError & { readonly code?: string })[];
  readonly warnings: readonly MasterWarning[];
  /** See MasterResult. */
  readonly excess: number | null;
}

/**
 * Parses and checks a file. Errors and warnings are sorted by line. Only a file without errors has
 * warnings: a record missing because of an error, such as the address of a nameserver, would cause
 * false warnings. `strict`: warnings are errors.
 */
export function readZone({ bytes, apex, keepApex, strict, maxGenerated, skipsFaults = false }: ReadInput): ReadZone {
  const parsed = parseMaster(bytes, {
    origin: apex,
    defaultTtl: DEFAULT_TTL,
    maxErrors: MAX_ERRORS,
    drops: DROPPED_TYPES,
    maxGenerated,
  });
  const { errors, warnings, spellings, excess } = parsed;
  const isLenient = skipsFaults && !strict && excess === null && isReadable(parsed);
  if (isLenient) for (const error of errors.splice(0)) warnings.push(leftOut(error, 'The line is left out.'));
  const fail = (error: MasterError) => {
    if (isLenient) warnings.push(leftOut(error, 'The record is left out.'));
    else if (errors.length < MAX_ERRORS) errors.push(error);
  };
  const records = isLenient ? withApexAlias(apex, parsed.records, warnings) : parsed.records;
  const soa = findSoa(apex, records, warnings);
  if (keepApex && soa === undefined) {
    if (isLenient) warnings.push(SERVICE_APEX);
    else fail(NO_SOA);
  }
  const keepsApex = keepApex && (soa !== undefined || !isLenient);
  let kept: MasterRecord[] = [];
  for (const record of records) {
    const isService = record.type === TYPE.NS && record.name.length === apex.length && !keepsApex;
    if (record.type === TYPE.SOA || isService) continue;
    const fault = findStorageError(apex, record, keepsApex);
    if (fault === undefined) kept.push(record);
    else fail({ line: record.line, message: fault });
  }
  let owners = ownersOf(apex, kept);
  let checked = checkZone(apex, owners, MAX_ERRORS);
  while (isLenient && checked.errors.length > 0) {
    const bad = new Set(checked.errors.map(({ set }) => set));
    for (const error of checked.errors) warnings.push(leftOut(error, consequence(error.set)));
    kept = kept.filter((record) => {
      const set = setOf(owners.get(record.name), record.type)!;
      return !bad.has(set) || (isReducible(set) && equalNames(record.rdata, set.rdatas[0]));
    });
    owners = ownersOf(apex, kept);
    checked = checkZone(apex, owners, MAX_ERRORS);
  }
  for (const error of checked.errors) fail(error);
  const settings = keepsApex && soa !== undefined ? readApexSettings(soa) : null;
  const zone = { owners, spellings, kept: settings, excess };
  if (errors.length > 0) return { ...zone, errors: firstOfEachLine(errors), warnings: [] };
  const allWarnings = [...warnings, ...warnOfDropped(parsed.dropped), ...checked.doubtful];
  for (const warning of collectWarnings(apex, kept, owners, MAX_ERRORS)) allWarnings.push(warning);
  // The sort is stable: the first warning of a line stays first.
  allWarnings.sort((a, b) => a.line - b.line);
  return strict
    ? { ...zone, errors: firstOfEachLine(allWarnings), warnings: [] }
    : { ...zone, errors: [], warnings: allWarnings };
}

/** Whether the faults are few enough, and of a kind, that the records are those of the file. */
const isReadable = ({ records, errors }: MasterResult): boolean =>
  errors.length === 0 || (records.length > 0 && errors.length < MAX_ERRORS && !errors.some((e) => e.isDecisive));

const leftOut = ({ line, message }: MasterError, then: string): MasterWarning => ({
  line,
  code: 'left_out',
  message: `${message} ${then}`,
});

/** Whether one record of the set is allowed, but several are not. */
const isReducible = ({ type, rdatas }: OwnedSet): boolean =>
  rdatas.length > 1 && (type === TYPE.CNAME || type === TYPE.ALIAS || type === TYPE.DNAME);

const consequence = (set: OwnedSet): string =>
  isReducible(set) ? 'Only the first is imported.' : `The ${typeName(set.type)} is left out.`;

/** A CNAME at the apex, which some providers flatten, becomes an ALIAS. */
function withApexAlias(apex: Name, records: readonly MasterRecord[], warnings: MasterWarning[]): MasterRecord[] {
  return records.map((record) => {
    if (record.type !== TYPE.CNAME || record.name.length !== apex.length) return record;
    const message = 'The apex of a zone cannot have a CNAME; it becomes an ALIAS.';
    warnings.push({ line: record.line, code: 'apex_cname', message });
    return { ...record, type: TYPE.ALIAS };
  });
}

function ownersOf(apex: Name, records: readonly MasterRecord[]): Owners {
  const owners = new Owners(apex);
  for (const record of records) owners.add(record);
  return owners;
}

/** The first error of each line, sorted by line. */
function firstOfEachLine(errors: readonly MasterError[]): MasterError[] {
  const first = new Map<number, MasterError>();
  for (const { line, message, ...rest } of errors)
    if (!first.has(line)) first.set(line, { line, message, ...('code' in rest && { code: rest.code }) });
  return [...first.values()].sort((a, b) => a.line - b.line);
}

function findStorageError(apex: Name, record: MasterRecord, keepApex: boolean): string | undefined {
  try {
    checkStorable(apex, record.name, record.type, record.rdata, keepApex);
    return undefined;
  } catch (error) {
    if (error instanceof WaypostError) return error.message;
    throw error;
  }
}

const NO_SOA: MasterError = {
  line: 1,
  message: 'The file has no SOA record, so its timers cannot be kept; add one, or import without apex=keep.',
};

const SERVICE_APEX: MasterWarning = {
  line: 1,
  code: 'no_soa',
  message: 'The file has no SOA record; the zone gets the timers and the nameservers of the service.',
};

/**
 * Returns the SOA of the zone: the first at the apex. It may be repeated, as in the output of a
 * zone transfer. Warns of others, which Knot ignores too.
 */
function findSoa(apex: Name, records: readonly MasterRecord[], warnings: MasterWarning[]): MasterRecord | undefined {
  const soas = records.filter(({ type }) => type === TYPE.SOA);
  const soa = soas.find(({ name }) => name.length === apex.length);
  for (const { line, name, rdata } of soas) {
    if (name.length !== apex.length) warnings.push({ line, ...SOA_BELOW_APEX });
    else if (!equalNames(rdata, soa!.rdata)) warnings.push({ line, ...SECOND_SOA });
  }
  return soa;
}

function readApexSettings(soa: MasterRecord): ApexSettings {
  const mname = nameAt(soa.rdata, 0);
  const rname = nameAt(soa.rdata, mname.length);
  const numbers = Buffer.from(soa.rdata.subarray(mname.length + rname.length));
  return {
    serial: numbers.readUInt32BE(0),
    mname: formatName(mname),
    rname: formatName(rname),
    refresh: numbers.readUInt32BE(4),
    retry: numbers.readUInt32BE(8),
    expire: numbers.readUInt32BE(12),
    minimum: numbers.readUInt32BE(16),
    ttl: soa.ttl,
  };
}
