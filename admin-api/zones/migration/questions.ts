/** Builds queries that show whether two servers answer a zone alike. */
import {
  equalNames,
  isWildcard,
  isWithin,
  MAX_NAME,
  type Name,
  nameId,
  parentName,
  parseName,
} from '../../../core/dns/wire/name.ts';
import { TYPE } from '../../../core/dns/wire/types.ts';
import { DROPPED_TYPES } from '../records/rules/dnssec.ts';

export interface Question {
  /** In lower case. */
  readonly name: Name;
  readonly type: number;
  /** Why the answers may differ; undefined: they must not. */
  readonly mayDiffer?: Reason;
}

/** Expected differences between two correct servers of one zone. */
export type Reason = 'soa' | 'apex_ns' | 'dnssec' | 'alias' | 'proxied' | 'chain';

export interface ZoneContent {
  readonly apex: Name;
  /** Names in lower case. */
  readonly records: Iterable<{ readonly name: Name; readonly type: number }>;
  /** Whether a name may have the addresses of the proxy. */
  isProxied?(name: Name): boolean;
  /** Whether a name is the apex of a zone that is compared by itself. */
  isApex?(name: Name): boolean;
}

/** Types that servers send only in the answers for other types. */
const UNQUERIED: ReadonlySet<number> = new Set([TYPE.RRSIG, TYPE.NSEC3]);
/** The first of these types that a name lacks is queried, for a NODATA response. */
const PROBES = [TYPE.A, TYPE.TXT, TYPE.AAAA, TYPE.MX, TYPE.SRV];
const WEB_TYPES: ReadonlySet<number> = new Set([TYPE.A, TYPE.AAAA, TYPE.CNAME]);

/**
 * Each question once. Queries for every name and type, for a missing type of each name, and for
 * empty non-terminals. Also for a nonexistent name below the apex and each wildcard, delegation
 * and DNAME; `label` is the first label of such names.
 */
export function questionsOf(content: ZoneContent, label: string): Question[] {
  const { apex, isProxied } = content;
  const owners = ownersOf(content);
  const questions = new Map<string, Question>();
  const ask = (name: Name | undefined, type: number, types: ReadonlySet<number>): void => {
    if (name === undefined || isElsewhere(content, name, type)) return;
    const key = `${type} ${nameId(name)}`;
    if (!questions.has(key))
      questions.set(key, { name, type, mayDiffer: reasonOf(apex, name, type, types, isProxied) });
  };
  const askAll = (name: Name | undefined, types: ReadonlySet<number>): void => {
    const asked = askedTypes(types);
    for (const type of asked) ask(name, type, types);
    ask(name, PROBES.find((type) => !asked.has(type) && !types.has(type)) ?? TYPE.HINFO, types);
  };
  const missing = (above: Name): Name | undefined =>
    above.length + label.length < MAX_NAME ? parseName(label, above) : undefined;
  for (const { name, types } of owners.values()) {
    askAll(name, types);
    if (isWildcard(name)) askAll(missing(parentName(name)), types);
    const isCut = types.has(TYPE.NS) && !equalNames(name, apex);
    if (isCut || types.has(TYPE.DNAME)) ask(missing(name), TYPE.A, NO_TYPES);
  }
  ask(missing(apex), TYPE.A, owners.get(nameId(parseName('*', apex)))?.types ?? NO_TYPES);
  return [...questions.values()];
}

/** Whether another zone below this one has the name. A DS is at the upper side of the cut. */
function isElsewhere({ apex, isApex }: ZoneContent, name: Name, type: number): boolean {
  if (isApex === undefined) return false;
  for (let at = type === TYPE.DS ? parentName(name) : name; at.length > apex.length; at = parentName(at))
    if (isApex(at)) return true;
  return false;
}

const NO_TYPES: ReadonlySet<number> = new Set();

/** Names with their types. Empty non-terminals have no types. */
function ownersOf({ apex, records }: ZoneContent): Map<string, { readonly name: Name; readonly types: Set<number> }> {
  const owners = new Map<string, { readonly name: Name; readonly types: Set<number> }>();
  for (const { name, type } of records) {
    const id = nameId(name);
    const owner = owners.get(id);
    if (owner !== undefined) {
      owner.types.add(type);
      continue;
    }
    // Zone files may have names outside of the zone.
    if (!isWithin(name, apex)) continue;
    owners.set(id, { name, types: new Set([type]) });
    for (let above = name; above.length > apex.length; ) {
      above = parentName(above);
      if (!owners.has(nameId(above))) owners.set(nameId(above), { name: above, types: new Set() });
    }
  }
  return owners;
}

/** An ALIAS is answered with addresses, and a CNAME also answers other types. */
function askedTypes(types: ReadonlySet<number>): ReadonlySet<number> {
  const wanted = new Set([...types].filter((type) => type !== TYPE.ALIAS && !UNQUERIED.has(type)));
  if (types.has(TYPE.CNAME)) wanted.add(TYPE.A);
  if (types.has(TYPE.ALIAS)) {
    wanted.add(TYPE.A);
    wanted.add(TYPE.AAAA);
  }
  return wanted;
}

function reasonOf(
  apex: Name,
  name: Name,
  type: number,
  types: ReadonlySet<number>,
  isProxied: ((name: Name) => boolean) | undefined,
): Reason | undefined {
  const isApex = equalNames(name, apex);
  if (isApex && type === TYPE.SOA) return 'soa';
  if (isApex && type === TYPE.NS) return 'apex_ns';
  if (DROPPED_TYPES.has(type)) return 'dnssec';
  // Without those records, the name does not exist.
  if (types.size > 0 && [...types].every((held) => DROPPED_TYPES.has(held))) return 'dnssec';
  if (!WEB_TYPES.has(type)) return undefined;
  if (types.has(TYPE.ALIAS)) return 'alias';
  return isProxied?.(name) === true ? 'proxied' : undefined;
}
