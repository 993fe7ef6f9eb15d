/**
 * The reference resolver: the rules of docs/internals/answers.md (RFC 1034 4.3.2), read off the
 * list of records for every question again. Slow on purpose: nothing is indexed, remembered or
 * shared with what it judges.
 */
import {
  equalNames,
  isWithin,
  LOWER,
  MAX_NAME,
  type Name,
  nameAt,
  parentName,
  wildcardOf,
} from '../../core/dns/wire/name.ts';
import { CLASS_IN, HOST_TARGET, RCODE, type ResourceRecord, TYPE } from '../../core/dns/wire/types.ts';

/**
 * Every zone's records, SOA and apex NS among them, by any key. The apex of a zone is the owner of
 * its SOA.
 */
export type Zones = ReadonlyMap<string, readonly ResourceRecord[]>;

/** `name` in the case it was asked in. `edns` is left out when the query has no OPT. */
export interface Query {
  readonly name: Name;
  readonly type: number;
  readonly class: number;
  readonly edns?: { readonly version: number; readonly size: number; readonly do: boolean };
}

/**
 * The sections in the order in which they are sent, names lower-cased but for the owner asked. OPT
 * is not listed.
 */
export interface Expected {
  rcode: number;
  aa: boolean;
  answer: ResourceRecord[];
  authority: ResourceRecord[];
  additional: ResourceRecord[];
  /** A referral's additional records are glue, which may not be left out without TC (RFC 9471). */
  referral: boolean;
  /**
   * Why a chain stops short of data and of "no": its target is not in the zone, or it would go on
   * in circles or too far.
   */
  end?: 'outside' | 'loop';
}

/** A zone as one question sees it; `nested` are the apexes of other zones below its own. */
interface Zone {
  readonly apex: Name;
  readonly records: readonly ResourceRecord[];
  readonly nested: readonly Name[];
}

/**
 * What stands at a name. `source` is the owner as stored: the wildcard for a name that a wildcard
 * made.
 */
type Found =
  | { readonly kind: 'referral'; readonly cut: Name }
  | { readonly kind: 'records'; readonly records: readonly ResourceRecord[]; readonly source: Name }
  | { readonly kind: 'dname'; readonly record: ResourceRecord }
  | { readonly kind: 'nothing' };

const MAX_SOURCES = 16;

export function resolve(zones: Zones, query: Query): Expected {
  const response: Expected = { rcode: 0, aa: false, answer: [], authority: [], additional: [], referral: false };
  const { type } = query;
  const refuse = (rcode: number): Expected => ({ ...response, rcode });

  if (query.edns !== undefined && query.edns.version > 0) return refuse(RCODE.BADVERS);
  if (type === TYPE.OPT) return refuse(RCODE.FORMERR);
  if (query.class !== CLASS_IN) return refuse(RCODE.REFUSED);
  if (type === TYPE.AXFR || type === TYPE.IXFR) return refuse(RCODE.REFUSED);
  if (type >= 128 && type <= 254) return refuse(RCODE.NOTIMP);

  let name = lower(query.name);
  const zone = closestZone(zones, name, type);
  if (zone === undefined) return refuse(RCODE.REFUSED);

  response.aa = true;
  const used: Name[] = []; // the names that the chain went through
  for (;;) {
    const found = walk(zone, name, type);

    if (found.kind === 'referral') {
      response.aa = response.answer.length > 0;
      response.referral = true;
      response.authority = held(zone, found.cut, TYPE.NS);
      for (const target of targets(response.authority)) {
        add(response.additional, held(zone, target, TYPE.A));
        add(response.additional, held(zone, target, TYPE.AAAA));
      }
      return response;
    }

    if (found.kind === 'nothing') {
      response.rcode = RCODE.NXDOMAIN;
      response.authority = negativeSoa(zone);
      return response;
    }

    let alias: ResourceRecord | undefined;
    if (found.kind === 'dname') {
      const source = found.record.name;
      if (wasUsed(used, name)) return { ...response, end: 'loop' };
      add(response.answer, [found.record]);
      const target = substitute(name, source, found.record.rdata);
      if (target === undefined) {
        response.rcode = RCODE.YXDOMAIN;
        return response;
      }
      alias = { name, type: TYPE.CNAME, ttl: found.record.ttl, rdata: target };
    } else {
      alias = found.records.find((record) => record.type === TYPE.CNAME);
    }

    if (alias === undefined) {
      // Its target was not looked up, and "there are no addresses" would be kept by those who
      // ask (RFC 2308).
      if (found.kind === 'records' && isUnresolved(found.records, type))
        return { rcode: RCODE.SERVFAIL, aa: false, answer: [], authority: [], additional: [], referral: false };
      answerFrom(zone, found.kind === 'records' ? found : { records: [], source: name }, type, response);
      return response;
    }
    if (wasUsed(used, name)) return { ...response, end: 'loop' };
    response.answer.push(alias);
    if (type === TYPE.CNAME || type === TYPE.ANY) return response;
    used.push(name);
    name = alias.rdata;
    if (!isWithin(name, zone.apex) || isInNested(zone, name)) return { ...response, end: 'outside' };
  }
}

/**
 * The zone of ours that encloses the name most closely; for DS at an apex the one above it, if we
 * have one.
 */
function closestZone(zones: Zones, name: Name, type: number): Zone | undefined {
  const apexes = [...zones.values()].map((entries) => entries.find((record) => record.type === TYPE.SOA)!.name);
  const deepestFirst = apexes.filter((zone) => isWithin(name, zone)).sort((a, b) => b.length - a.length);
  let apex = deepestFirst[0];
  if (type === TYPE.DS && deepestFirst.length > 1 && equalNames(apex, name)) apex = deepestFirst[1];
  if (apex === undefined) return undefined;
  const records = [...zones.values()].find((list) =>
    list.some((record) => record.type === TYPE.SOA && equalNames(record.name, apex)),
  )!;
  return { apex, records, nested: apexes.filter((other) => isWithin(other, apex) && !equalNames(other, apex)) };
}

/** Steps 2 to 6 for one name inside the zone. The owners of what it finds are the name itself. */
function walk(zone: Zone, name: Name, type: number): Found {
  for (const above of fromApexTo(zone, name)) {
    const last = equalNames(above, name);
    if (isCut(zone, above) && !(last && type === TYPE.DS)) return { kind: 'referral', cut: above };
    const dname = held(zone, above, TYPE.DNAME)[0];
    if (dname !== undefined && !last) return { kind: 'dname', record: dname };
  }

  if (exists(zone, name)) return { kind: 'records', records: visible(zone, name), source: name };

  let encloser = parentName(name);
  while (!exists(zone, encloser)) encloser = parentName(encloser);
  const wildcard = encloser.length + 2 > MAX_NAME ? undefined : wildcardOf(encloser);
  if (wildcard === undefined || !exists(zone, wildcard)) return { kind: 'nothing' };
  const records = visible(zone, wildcard).map((record) => ({ ...record, name }));
  return { kind: 'records', records, source: wildcard };
}

/**
 * Whether an ALIAS would have to say addresses of its target that are not known: asked for them, or
 * for any type when they are of the lowest.
 */
function isUnresolved(records: readonly ResourceRecord[], type: number): boolean {
  const askedAt = type === TYPE.ANY ? Math.min(...records.map((record) => record.type)) : type;
  return records.some((record) => record.type === askedAt && isUnknown(record));
}

/** See alias.ts. */
function isUnknown({ type, rdata }: ResourceRecord): boolean {
  return (type === TYPE.A || type === TYPE.AAAA) && rdata.length === 0;
}

/** The last step: the RRset asked for with its additional addresses, or NODATA. */
function answerFrom(zone: Zone, { records, source }: Held, type: number, response: Expected): void {
  const askedAt = type === TYPE.ANY ? Math.min(...records.map((record) => record.type)) : type;
  // An ALIAS is never shown itself.
  const rrset = askedAt === TYPE.ALIAS ? [] : canonical(records.filter((record) => record.type === askedAt));
  if (rrset.length === 0) {
    response.authority = negativeSoa(zone);
    return;
  }
  add(response.answer, rrset);
  if (type === TYPE.ANY) return;
  if (askedAt === TYPE.SVCB || askedAt === TYPE.HTTPS) {
    addServices(zone, rrset, source, response);
    return;
  }
  for (const target of targets(rrset)) {
    if (!isWithin(target, zone.apex) || isInNested(zone, target)) continue;
    const found = walk(zone, target, TYPE.A);
    if (found.kind !== 'records') continue;
    for (const address of [TYPE.A, TYPE.AAAA]) {
      add(
        response.additional,
        canonical(found.records.filter((record) => record.type === address && !isUnknown(record))),
      );
    }
  }
}

/**
 * RFC 9460 4.1: what SVCB and HTTPS lead to. Their targets may be aliases; one of a record in
 * AliasMode may have the type itself, which goes along once however it is come to. `source`: where
 * the RRset is stored.
 */
function addServices(zone: Zone, rrset: readonly ResourceRecord[], source: Name, response: Expected): void {
  const passed = [source];
  const waiting = rrset.map((record) => ({ record, depth: 1 }));
  for (let next = waiting.shift(); next !== undefined; next = waiting.shift()) {
    const { record, depth } = next;
    const isAlias = record.rdata[0] === 0 && record.rdata[1] === 0;
    let name = record.rdata[2] === 0 ? record.name : nameAt(record.rdata, 2);
    if (isAlias && record.rdata[2] === 0) continue;
    let level = at(zone, name);
    for (let i = 0; i < MAX_SOURCES; i++) {
      const cname = level.records.find(({ type }) => type === TYPE.CNAME);
      if (cname === undefined) break;
      if (!response.answer.some((other) => other.type === TYPE.CNAME && equalNames(other.name, name)))
        add(response.additional, [cname]);
      name = cname.rdata;
      level = at(zone, name);
    }
    const services = isAlias ? canonical(level.records.filter(({ type }) => type === record.type)) : [];
    if (services.length > 0 && !wasUsed(passed, level.source)) {
      passed.push(level.source);
      add(response.additional, services);
      if (depth < MAX_SOURCES) waiting.push(...services.map((service) => ({ record: service, depth: depth + 1 })));
    }
    for (const address of [TYPE.A, TYPE.AAAA])
      add(response.additional, canonical(level.records.filter((other) => other.type === address && !isUnknown(other))));
  }
}

/** Records that stand at a name, and the owner as stored. */
interface Held {
  readonly records: readonly ResourceRecord[];
  readonly source: Name;
}

/** What the zone answers from at a target. */
function at(zone: Zone, name: Name): Held {
  const found =
    isWithin(name, zone.apex) && !isInNested(zone, name) ? walk(zone, name, TYPE.A) : { kind: 'nothing' as const };
  return found.kind === 'records' ? found : { records: [], source: name };
}

/**
 * A name exists when it, or a name below it, owns a record that is not occluded or is a nested
 * zone's apex.
 */
function exists(zone: Zone, name: Name): boolean {
  return (
    zone.records.some((record) => isWithin(record.name, name) && !isOccluded(zone, record.name)) ||
    zone.nested.some((apex) => isWithin(apex, name) && !isOccluded(zone, apex))
  );
}

/**
 * What the zone answers from at a name: all that it holds there, but only DS where another zone of
 * ours begins.
 */
function visible(zone: Zone, name: Name): ResourceRecord[] {
  if (isOccluded(zone, name)) return [];
  const records = zone.records.filter((record) => equalNames(record.name, name));
  return isInNested(zone, name) ? records.filter((record) => record.type === TYPE.DS) : records;
}

/** Below a delegation, below a DNAME, or below the apex of another zone of ours. */
function isOccluded(zone: Zone, name: Name): boolean {
  if (zone.nested.some((apex) => isWithin(name, apex) && !equalNames(name, apex))) return true;
  return zone.records.some(
    (record) =>
      isWithin(name, record.name) &&
      !equalNames(name, record.name) &&
      (record.type === TYPE.DNAME || (record.type === TYPE.NS && !equalNames(record.name, zone.apex))),
  );
}

function isInNested(zone: Zone, name: Name): boolean {
  return zone.nested.some((apex) => isWithin(name, apex));
}

function isCut(zone: Zone, name: Name): boolean {
  return !equalNames(name, zone.apex) && held(zone, name, TYPE.NS).length > 0;
}

/** The apex, and every name from there down to `name` itself. */
function fromApexTo(zone: Zone, name: Name): Name[] {
  const names = [name];
  while (!equalNames(names[0], zone.apex)) names.unshift(parentName(names[0]));
  return names;
}

/** An RRset as the zone holds it, occluded or not. */
function held(zone: Zone, name: Name, type: number): ResourceRecord[] {
  return canonical(
    zone.records.filter((record) => record.type === type && equalNames(record.name, name) && !isUnknown(record)),
  );
}

/** RFC 4034 6.3: the RRs of an RRset ordered by their rdata. */
function canonical(rrset: readonly ResourceRecord[]): ResourceRecord[] {
  return [...rrset].sort((a, b) => Buffer.compare(a.rdata, b.rdata));
}

function targets(rrset: readonly ResourceRecord[]): Name[] {
  const offset = rrset.length === 0 ? undefined : HOST_TARGET.get(rrset[0].type);
  return offset === undefined ? [] : rrset.map((record) => nameAt(record.rdata, offset));
}

/**
 * An RRset comes into a section once: two servers may have one address, a chain may end at a DNAME
 * that it went through.
 */
function add(section: ResourceRecord[], rrset: readonly ResourceRecord[]): void {
  const isKnown = section.some((record) => record.type === rrset[0]?.type && equalNames(record.name, rrset[0].name));
  if (!isKnown) section.push(...rrset);
}

/**
 * RFC 2308 section 3: the SOA with the time for which the answer "no" may be kept. MINIMUM is its
 * last 4 bytes.
 */
function negativeSoa(zone: Zone): ResourceRecord[] {
  const soa = zone.records.find((record) => record.type === TYPE.SOA)!;
  const minimum = Buffer.from(soa.rdata).readUInt32BE(soa.rdata.length - 4);
  return [{ ...soa, ttl: Math.min(soa.ttl, minimum) }];
}

/**
 * RFC 6672 2.2: the name with `target` in the place of its suffix `owner`; undefined when that is
 * over 255 bytes.
 */
function substitute(name: Name, owner: Name, target: Name): Name | undefined {
  const labels = name.subarray(0, name.length - owner.length);
  return labels.length + target.length > MAX_NAME ? undefined : Buffer.concat([labels, target]);
}

function wasUsed(used: readonly Name[], name: Name): boolean {
  return used.length === MAX_SOURCES || used.some((other) => equalNames(other, name));
}

function lower(name: Name): Name {
  return name.map((byte) => LOWER[byte]);
}
