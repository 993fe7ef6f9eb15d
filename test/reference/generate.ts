/**
 * Worlds of zones and questions about them, for fast-check. The alphabet is tiny so that names
 * collide: chains, loops, cuts, wildcards and occluded records come about automatically. A draft is
 * a list of wishes, which shrinks well; `buildWorld` grants those that the hard constraints of a
 * zone allow, first come first served.
 */

import {
  equalNames,
  formatName,
  isWildcard,
  isWithin,
  MAX_NAME,
  type Name,
  nameAt,
  nameId,
} from '../../core/dns/wire/name.ts';
import { type ResourceRecord, TYPE } from '../../core/dns/wire/types.ts';
import fc from '../support/fc.ts';
import { nameOf } from '../support/names.ts';
import { type Aliases, type AliasState, aliasNumber, aliasState } from './alias.ts';
import { automatic } from './hints.ts';
import { isWeb, type Proxies, withOrigin } from './proxy.ts';
import type { Query } from './resolver.ts';

export interface World {
  /** Every zone of the world is below it; names next to them, too. */
  readonly origin: Name;
  /** nameId of an apex to its zone's records. */
  readonly zones: ReadonlyMap<string, readonly ResourceRecord[]>;
  /** Left out: no zone has one. */
  readonly proxies?: Proxies;
  /** Left out: no target of an ALIAS is known. */
  readonly aliases?: Aliases;
}

/**
 * A name: labels below a zone, below a name already in use, or below the origin (outside every
 * zone).
 */
export interface NameDraft {
  readonly labels: readonly string[];
  readonly under: 'zone' | 'owner' | 'target' | 'origin';
  /** Which zone, owner or target, modulo their number. */
  readonly pick: number;
}

export interface RecordDraft {
  /**
   * Picks among the zones that the owner is in: the deepest as a rule, else the one with the
   * shortest apex.
   */
  readonly zone: number;
  readonly owner: NameDraft;
  readonly type: number;
  readonly target: NameDraft;
  /** Seeds the TTL and the rdata that is not a name. */
  readonly value: number;
}

export interface WorldDraft {
  /** Picks what is known of the targets of ALIAS records; left out: nothing is. */
  readonly aliasSeed?: number;
  /** Labels of each apex below the origin; a second zone may extend the first's. */
  readonly apexes: readonly ApexDraft[];
  readonly records: readonly RecordDraft[];
  /** Left out: no name says anything of the proxy. The first word on a name counts. */
  readonly flags?: readonly FlagDraft[];
}

export interface ApexDraft {
  readonly labels: readonly string[];
  readonly nested: boolean;
  /** Whether the proxy is on; left out: it is not. */
  readonly proxied?: boolean;
  /** Picks the origin: an address, or a name in use; left out: there is none. */
  readonly origin?: number;
}

/**
 * What a name says of the proxy: that of a record that makes it a web name, modulo their number.
 */
export interface FlagDraft {
  readonly pick: number;
  readonly proxied: boolean;
}

export interface QuestionDraft {
  readonly name: NameDraft;
  /** How many labels to take off the name's front. */
  readonly up: number;
  /** `own`: that of the record picked for the name. */
  readonly type: number | 'own';
  /** One bit a byte of the name: upper case. */
  readonly caseBits: number;
  readonly class: number;
  readonly edns?: { readonly version: number; readonly size: number; readonly do: boolean };
}

const UNKNOWN_TYPE = 65_280;
const LONG_LABEL = 'l'.repeat(60);

const pick = fc.nat(1000);
const weighted = <T>(...choices: (readonly [number, T])[]): fc.Arbitrary<T> =>
  fc.oneof(...choices.map(([weight, value]) => ({ weight, arbitrary: fc.constant(value) })));

const plainLabel = weighted([8, 'a'], [6, 'b'], [3, 'c'], [2, 'ns'], [2, 'www'], [1, '_s'], [1, LONG_LABEL]);
const wildLabel = weighted([5, 'a'], [4, 'b'], [2, 'c'], [1, 'ns'], [1, 'www'], [6, '*']);

/** Up to `deepest` labels, now and then with `*` first, rarely with one inside. */
const labels = (deepest: number): fc.Arbitrary<string[]> =>
  fc.oneof(
    { weight: 8, arbitrary: fc.array(plainLabel, { maxLength: deepest }) },
    { weight: 3, arbitrary: fc.array(plainLabel, { maxLength: deepest - 1 }).map((rest) => ['*', ...rest]) },
    { weight: 1, arbitrary: fc.array(wildLabel, { minLength: 1, maxLength: deepest }) },
  );

const position = (deepest: number, under: NameDraft['under']): fc.Arbitrary<NameDraft> =>
  fc.record({ labels: deepest === 0 ? fc.constant([]) : labels(deepest), under: fc.constant(under), pick });

const ownerName = fc.oneof(
  { weight: 3, arbitrary: position(1, 'zone') },
  { weight: 4, arbitrary: position(2, 'zone') },
  { weight: 2, arbitrary: position(4, 'zone') },
  { weight: 2, arbitrary: position(0, 'owner') },
  { weight: 2, arbitrary: position(1, 'owner') },
  { weight: 6, arbitrary: position(0, 'target') },
  { weight: 1, arbitrary: position(1, 'target') },
);

const targetName = fc.oneof(
  { weight: 4, arbitrary: position(2, 'zone') },
  { weight: 1, arbitrary: position(4, 'zone') },
  { weight: 8, arbitrary: position(0, 'owner') },
  { weight: 3, arbitrary: position(1, 'owner') },
  { weight: 1, arbitrary: position(0, 'target') },
  { weight: 1, arbitrary: position(2, 'origin') },
  // Long enough for a DNAME to overflow 255 bytes with one or two long labels in front.
  {
    weight: 1,
    arbitrary: fc.record({ labels: fc.constant(Array(3).fill(LONG_LABEL)), under: fc.constant('zone' as const), pick }),
  },
);

/** What every nameserver takes. */
const standardTypes: readonly (readonly [number, number])[] = [
  [10, TYPE.A],
  [5, TYPE.AAAA],
  [4, TYPE.MX],
  [2, TYPE.SRV],
  [1, TYPE.SVCB],
  [3, TYPE.HTTPS],
  [6, TYPE.NS],
  [9, TYPE.CNAME],
  [4, TYPE.DNAME],
  [3, TYPE.TXT],
  [2, TYPE.DS],
  [1, TYPE.CAA],
  [1, UNKNOWN_TYPE],
];
const recordType = weighted(...standardTypes);
const ourType = weighted(...standardTypes, [3, TYPE.ALIAS]);

/**
 * Aliases above all, so that chains grow long enough to loop, to be cut off and to end in a
 * referral.
 */
const chainTypes: readonly (readonly [number, number])[] = [
  [12, TYPE.CNAME],
  [4, TYPE.DNAME],
  [3, TYPE.A],
  [2, TYPE.MX],
  [2, TYPE.HTTPS],
  [1, TYPE.NS],
];

const apexDraft = fc.record({ labels: fc.array(plainLabel, { minLength: 1, maxLength: 2 }), nested: fc.boolean() });

/**
 * Few names, and targets at and below owners, so that a chain comes to one DNAME or wildcard
 * several times: with another name, or in a loop.
 */
const repeatDraft: fc.Arbitrary<RecordDraft> = fc.record({
  zone: pick,
  owner: fc.oneof({ weight: 3, arbitrary: position(1, 'zone') }, { weight: 1, arbitrary: position(1, 'target') }),
  type: weighted([5, TYPE.DNAME], [4, TYPE.CNAME], [3, TYPE.A]),
  target: fc.oneof(position(0, 'owner'), position(1, 'owner'), position(2, 'owner'), position(0, 'zone')),
  value: fc.nat(0xffff),
});

const repeatWorld: fc.Arbitrary<WorldDraft> = fc.record({
  apexes: fc.array(apexDraft, { minLength: 1, maxLength: 1 }),
  records: fc.array(repeatDraft, { minLength: 2, maxLength: 12, size: 'max' }),
});

const recordDraft = (type: fc.Arbitrary<number>): fc.Arbitrary<RecordDraft> =>
  fc.record({ zone: pick, owner: ownerName, type, target: targetName, value: fc.nat(0xffff) });

const recordDrafts = (type: fc.Arbitrary<number>) => fc.array(recordDraft(type), { maxLength: 50, size: 'max' });

const worldOf = (type: fc.Arbitrary<number>, zones: number): fc.Arbitrary<WorldDraft> =>
  fc.record({
    apexes: fc.array(apexDraft, { minLength: 1, maxLength: zones }),
    records: recordDrafts(type),
  });

/** Without what is ours alone. */
export const worldDraft: fc.Arbitrary<WorldDraft> = fc.oneof(
  { weight: 3, arbitrary: worldOf(recordType, 4) },
  { weight: 1, arbitrary: worldOf(weighted(...chainTypes), 2) },
  { weight: 1, arbitrary: repeatWorld },
);

const proxiedApex: fc.Arbitrary<ApexDraft> = fc
  .tuple(apexDraft, weighted([2, true], [1, false]), fc.option(fc.nat(0xffff), { nil: undefined }))
  .map(([apex, proxied, origin]) => ({ ...apex, proxied, origin }));

const ourWorldOf = (type: fc.Arbitrary<number>, zones: number): fc.Arbitrary<WorldDraft> =>
  fc.record({
    apexes: fc.array(proxiedApex, { minLength: 1, maxLength: zones }),
    records: recordDrafts(type),
    flags: fc.array(fc.record({ pick, proxied: fc.boolean() }), { maxLength: 12, size: 'max' }),
    aliasSeed: fc.nat(1000),
  });

/** With ALIAS and the proxy, too. */
export const ourWorldDraft: fc.Arbitrary<WorldDraft> = fc.oneof(
  { weight: 2, arbitrary: worldDraft },
  { weight: 3, arbitrary: ourWorldOf(ourType, 4) },
  { weight: 1, arbitrary: ourWorldOf(weighted(...chainTypes, [2, TYPE.ALIAS]), 2) },
);

const queryType = weighted(
  [14, TYPE.A],
  [6, TYPE.AAAA],
  [5, TYPE.MX],
  [3, TYPE.SRV],
  [1, TYPE.SVCB],
  [4, TYPE.HTTPS],
  [5, TYPE.NS],
  [4, TYPE.CNAME],
  [3, TYPE.DNAME],
  [3, TYPE.TXT],
  [5, TYPE.DS],
  [2, TYPE.SOA],
  [4, TYPE.ANY],
  [1, TYPE.CAA],
  [1, UNKNOWN_TYPE],
  [1, 46], // RRSIG, which no zone here holds
  [1, TYPE.ALIAS],
);

/** Types, classes and EDNS versions that no walk begins for. */
const oddType = weighted([1, TYPE.OPT], [1, TYPE.AXFR], [1, TYPE.IXFR], [1, 128], [1, 250], [1, 254], [1, 0]);

const edns = fc.oneof(
  { weight: 4, arbitrary: fc.constant(undefined) },
  {
    weight: 6,
    arbitrary: fc.record({
      version: weighted([100, 0], [1, 1], [1, 255]),
      size: weighted([1, 0], [2, 511], [4, 512], [2, 600], [8, 1232], [3, 4096], [1, 65_535]),
      do: fc.boolean(),
    }),
  },
);

export const questionDraft: fc.Arbitrary<QuestionDraft> = fc.record({
  name: fc.oneof(
    { weight: 10, arbitrary: position(0, 'owner') },
    { weight: 3, arbitrary: position(0, 'target') },
    { weight: 5, arbitrary: position(1, 'owner') },
    { weight: 2, arbitrary: position(2, 'owner') },
    { weight: 4, arbitrary: position(4, 'zone') },
    { weight: 1, arbitrary: position(3, 'origin') },
  ),
  up: weighted([10, 0], [2, 1], [1, 2]),
  type: fc.oneof(
    { weight: 60, arbitrary: fc.oneof(queryType, fc.constant('own' as const)) },
    { weight: 1, arbitrary: oddType },
  ),
  caseBits: fc.oneof(fc.constant(0), fc.nat(0x7fffffff)),
  class: weighted([100, 1], [1, 3], [1, 255]),
  edns,
});

/** Zones that keep the constraints every server holds us to; what breaks one is left out. */
export function buildWorld(draft: WorldDraft, origin: Name): World {
  const apexes: Name[] = [];
  const enabled: boolean[] = [];
  const origins: (number | undefined)[] = [];
  for (const { labels: parts, nested, proxied, origin: picked } of draft.apexes) {
    const apex = nameOf(parts, nested && apexes.length > 0 ? apexes[apexes.length - 1] : nameOf(['z'], origin));
    if (apex.length >= 200 || apexes.some((other) => equalNames(apex, other))) continue;
    apexes.push(apex);
    enabled.push(proxied ?? false);
    origins.push(picked);
  }
  if (apexes.length === 0) return { origin, zones: new Map() };
  const zones = apexes.map((apex, index) => apexRecords(apex, index));
  const names = { origin, apexes, owners: [...apexes], targets: [...apexes] };
  for (const wish of draft.records) {
    const name = resolveName(wish.owner, names);
    const target = resolveName(wish.target, names);
    if (name === undefined || target === undefined) continue;
    const at = zoneFor(name, apexes, wish.zone % 5 === 0);
    if (at < 0 || (wish.type === TYPE.DNAME && equalNames(name, apexes[at]) && wish.value % 8 > 0)) continue;
    const ttl = zones[at].find((entry) => entry.type === wish.type && equalNames(entry.name, name))?.ttl;
    const record = {
      name,
      type: wish.type,
      ttl: ttl ?? 30 + (wish.value % 5) * 60,
      rdata: rdataOf(wish, target, draft.aliasSeed !== undefined),
    };
    if (!isAllowed(record, zones[at], apexes[at])) continue;
    zones[at].push(record);
    names.owners.push(name);
    names.targets.push(target);
  }
  const flags = zones.map(() => new Map<string, boolean>());
  const web = zones.flatMap((records, at) => records.filter(isWeb).map((record) => ({ at, id: nameId(record.name) })));
  for (const flag of web.length === 0 ? [] : (draft.flags ?? [])) {
    const { at, id } = web[flag.pick % web.length];
    if (!flags[at].has(id)) flags[at].set(id, flag.proxied);
  }
  const proxies = apexes.map((_, at) => ({
    enabled: enabled[at],
    origin: originHost(origins[at], names.targets),
    flags: flags[at],
  }));
  const answered = zones.flatMap((records, at) => withOrigin(records, proxies[at].origin));
  return {
    origin,
    zones: new Map(zones.map((records, at) => [nameId(apexes[at]), records])),
    aliases: knownAliases(answered, draft.aliasSeed),
    proxies: new Map(apexes.map((apex, at) => [nameId(apex), proxies[at]])),
  };
}

/** An address of a family, or a name of the world. */
function originHost(picked: number | undefined, targets: readonly Name[]): string | undefined {
  if (picked === undefined) return undefined;
  const target = targets[(picked >> 2) % targets.length];
  return ['192.0.2.1', '2001:db8::1'][picked % 4] ?? formatName(target).slice(0, -1).toLowerCase();
}

function knownAliases(records: readonly ResourceRecord[], seed: number | undefined): Aliases {
  const cached = new Map<string, AliasState>();
  if (seed === undefined) return cached;
  for (const { type, rdata } of records) {
    const state = type === TYPE.ALIAS ? aliasState(aliasNumber(rdata, seed)) : undefined;
    if (state !== undefined) cached.set(nameId(rdata), state);
  }
  return cached;
}

/** The query that a draft stands for in this world; undefined when its name is too long. */
export function buildQuestion(draft: QuestionDraft, world: World): Query | undefined {
  const zones = [...world.zones.values()];
  const records = zones.flat();
  const apexes = zones.map((zone) => zone[0].name);
  const targets = records.map(targetOf).filter((label) => label !== undefined);
  let name = resolveName(draft.name, { origin: world.origin, apexes, owners: records.map((r) => r.name), targets });
  if (name === undefined) return undefined;
  for (let i = 0; i < draft.up && name.length > world.origin.length; i++) name = name.subarray(name[0] + 1);
  const type = draft.type === 'own' ? records[draft.name.pick % records.length].type : draft.type;
  return { name: withCase(name, draft.caseBits), type, class: draft.class, edns: draft.edns };
}

/**
 * Index of the apex; -1 when the name is in none. What is written into the outer zone is occluded
 * by the inner.
 */
function zoneFor(name: Name, apexes: readonly Name[], outer: boolean): number {
  const holders = apexes.filter((apex) => isWithin(name, apex)).sort((a, b) => b.length - a.length);
  return apexes.indexOf(holders[outer ? holders.length - 1 : 0]);
}

function apexRecords(apex: Name, index: number): ResourceRecord[] {
  const numbers = Buffer.alloc(20);
  [2026010100 + index, 3600, 600, 86_400, 60 + 120 * index].forEach((n, i) => void numbers.writeUInt32BE(n, 4 * i));
  const soa = Buffer.concat([nameOf(['ns'], apex), nameOf(['hostmaster'], apex), numbers]);
  return [
    { name: apex, type: TYPE.SOA, ttl: 240, rdata: new Uint8Array(soa) },
    { name: apex, type: TYPE.NS, ttl: 300, rdata: nameOf(['ns'], apex) },
  ];
}

/**
 * No data next to a CNAME, one ALIAS in the place of addresses, no CNAME or NS next to a DNAME but
 * at the apex, no delegation at a wildcard, nothing twice.
 */
function isAllowed(record: ResourceRecord, zone: readonly ResourceRecord[], apex: Name): boolean {
  const neighbours = zone.filter((other) => equalNames(other.name, record.name));
  const holds = (type: number): boolean => neighbours.some((other) => other.type === type);
  const atApex = equalNames(record.name, apex);
  if (holds(TYPE.CNAME)) return false;
  if (neighbours.some((other) => other.type === record.type && Buffer.compare(other.rdata, record.rdata) === 0))
    return false;
  switch (record.type) {
    case TYPE.CNAME:
      return neighbours.length === 0;
    case TYPE.A:
    case TYPE.AAAA:
      return !holds(TYPE.ALIAS);
    case TYPE.ALIAS:
      return !holds(TYPE.ALIAS) && !holds(TYPE.A) && !holds(TYPE.AAAA);
    case TYPE.DNAME:
      return !holds(TYPE.DNAME) && (atApex || !holds(TYPE.NS));
    case TYPE.NS:
      return !isWildcard(record.name) && (atApex || !holds(TYPE.DNAME));
    case TYPE.DS:
      return !atApex;
    default:
      return true;
  }
}

/** `isOurs`: with what other nameservers do not have. */
function rdataOf(wish: RecordDraft, target: Name, isOurs: boolean): Uint8Array {
  const v = wish.value;
  switch (wish.type) {
    case TYPE.A:
      return Uint8Array.of(192, 0, 2, v & 3);
    case TYPE.AAAA:
      return Uint8Array.from([0x20, 1, 0xd, 0xb8, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, v & 3]);
    case TYPE.MX:
      return Uint8Array.from([0, 10 * (v & 1), ...target]);
    case TYPE.SRV:
      return Uint8Array.from([0, v & 1, 0, 5, 0x13, 0xc4, ...target]);
    case TYPE.SVCB:
    case TYPE.HTTPS:
      if (isOurs && v % 3 > 0) return automatic(v & 1, v % 5 === 0 ? Uint8Array.of(0) : target);
      // AliasMode, ServiceMode, and now and then the owner itself or no service at all.
      return Uint8Array.from([0, v & 1, ...(v % 5 === 0 ? [0] : target)]);
    case TYPE.NS:
    case TYPE.CNAME:
    case TYPE.DNAME:
    case TYPE.ALIAS:
      return target;
    case TYPE.TXT: {
      // Now and then so long that an answer does not fit.
      const length = v % 7 === 0 ? 200 : v & 7;
      return Uint8Array.from([length, ...new Array(length).fill(0x61 + (v & 3))]);
    }
    case TYPE.DS:
      return Uint8Array.from([0, v & 3, 13, 2, ...new Array(32).fill(v & 0xff)]);
    case TYPE.CAA:
      return Uint8Array.from([0, 5, ...Buffer.from('issueca.example')]);
    default:
      return Uint8Array.from([v >> 8, v & 0xff]);
  }
}

/** The name that a record leads on to. */
function targetOf(record: ResourceRecord): Name | undefined {
  switch (record.type) {
    case TYPE.NS:
    case TYPE.CNAME:
    case TYPE.DNAME:
      return record.rdata;
    case TYPE.MX:
      return record.rdata.subarray(2);
    case TYPE.SVCB:
    case TYPE.HTTPS:
      return record.rdata[2] === 0 ? undefined : nameAt(record.rdata, 2);
    case TYPE.SRV:
      return record.rdata.subarray(6);
    default:
      return undefined;
  }
}

interface Names {
  readonly origin: Name;
  readonly apexes: readonly Name[];
  readonly owners: readonly Name[];
  readonly targets: readonly Name[];
}

function resolveName(draft: NameDraft, names: Names): Name | undefined {
  const bases = { zone: names.apexes, owner: names.owners, target: names.targets, origin: [names.origin] }[draft.under];
  const base = bases.length === 0 ? names.apexes[0] : bases[draft.pick % bases.length];
  const name = nameOf(draft.labels, base);
  return name.length > MAX_NAME ? undefined : name;
}

/**
 * Letters in upper case where a bit is set. No length byte is taken for a letter: they end at 63.
 */
function withCase(name: Name, bits: number): Name {
  let letter = 0;
  return name.map((byte) => (byte >= 0x61 && byte <= 0x7a && (bits >> (letter++ % 31)) & 1 ? byte - 32 : byte));
}
