/**
 * Which origin serves a proxied name, read off the lists of records for every name again. Slow on
 * purpose: chains are those of the reference resolver, with each ALIAS taken for a CNAME.
 */

import { equalNames, formatHost, isWithin, type Name, nameId, parseName } from '../../core/dns/wire/name.ts';
import { CLASS_IN, type ResourceRecord, TYPE } from '../../core/dns/wire/types.ts';
import { type Exemptions, formatAddress, mayConnect, parseAddress, readHost } from '../../core/net/address/index.ts';
import type { World } from './generate.ts';
import { resolve, type Zones } from './resolver.ts';

/** `own`: addresses of the name's records, sorted. `none`: no server can be reached. */
export type ExpectedOrigin =
  | { readonly kind: 'own'; readonly addresses: readonly string[] }
  | { readonly kind: 'host'; readonly host: string }
  | { readonly kind: 'none' };

interface Way {
  readonly names: readonly Name[];
  readonly addresses: readonly string[];
  /** The name that other nameservers answer. */
  readonly outside: Name | null;
}

/** All zones belong to one account. `name`: goes through the proxy of the zone `apex`. */
export function expectedOrigin(world: World, apex: Name, name: Name, exemptions: Exemptions): ExpectedOrigin {
  const configured = originOf(world, apex);
  const way = follow(world, name);
  const end = serverAt(world, way, exemptions);
  if (configured === undefined) return end;
  const main: ExpectedOrigin = { kind: 'host', host: configured };
  if (equalNames(name, apex) || end.kind === 'none') return main;
  const origin = parseAddress(configured) === undefined ? follow(world, parseName(configured)) : null;
  const others = [follow(world, apex), ...(origin === null ? [] : [origin])];
  const servers = [configured, ...others.flatMap(({ addresses }) => addresses)];
  const isSame =
    others.some(({ names }) => names.some((other) => way.names.some((passed) => equalNames(passed, other)))) ||
    (end.kind === 'own' && end.addresses.some((address) => servers.includes(address)));
  return isSame ? main : end;
}

const originOf = (world: World, apex: Name): string | undefined => world.proxies?.get(nameId(apex))?.origin;

function serverAt(world: World, { names, addresses, outside }: Way, exemptions: Exemptions): ExpectedOrigin {
  if (outside !== null) {
    try {
      return { kind: 'host', host: formatHost(parseName(readHostName(outside, exemptions))) };
    } catch {
      return { kind: 'none' };
    }
  }
  const usable = addresses.filter((text) => mayConnect(parseAddress(text)!, exemptions).public);
  if (usable.length > 0) return { kind: 'own', addresses: usable.toSorted() };
  const last = names[names.length - 1];
  const isApex = [...world.zones.values()].some(([{ name: apex }]) => equalNames(apex, last));
  const host = addresses.length === 0 && isApex ? originOf(world, last) : undefined;
  return host === undefined ? { kind: 'none' } : { kind: 'host', host };
}

function readHostName(name: Name, exemptions: Exemptions): string {
  const host = readHost(formatHost(name), exemptions);
  if (host.kind !== 'name') throw new Error('an address');
  return host.name;
}

/** Follows names. A circle ends without addresses, at a name that is no apex. */
function follow(world: World, start: Name): Way {
  const zones = withoutAlias(world.zones);
  const names = [start];
  for (let hops = 0; hops < 16; hops++) {
    const name = names[names.length - 1];
    const isOurs = [...world.zones.values()].some(([{ name: apex }]) => isWithin(name, apex));
    if (!isOurs) return { names, addresses: [], outside: name };
    const [a, aaaa] = [TYPE.A, TYPE.AAAA].map((type) => resolve(zones, { name, type, class: CLASS_IN }));
    const targets = a.answer.filter(({ type }) => type === TYPE.CNAME).map(({ rdata }) => rdata);
    const isCircle = a.end === 'loop' || targets.some((target) => names.some((other) => equalNames(target, other)));
    names.push(...targets);
    if (isCircle) return { names: [...names, NOWHERE], addresses: [], outside: null };
    if (a.referral) return { names, addresses: [], outside: names[names.length - 1] };
    if (a.rcode !== 0) return { names: [...names, NOWHERE], addresses: [], outside: null };
    if (a.end === 'outside' && targets.length > 0) continue;
    const addresses = [...a.answer, ...aaaa.answer].filter(({ type }) => type === TYPE.A || type === TYPE.AAAA);
    return { names, addresses: addresses.map(({ rdata }) => formatAddress(rdata)), outside: null };
  }
  return { names: [...names, NOWHERE], addresses: [], outside: null };
}

/** In no world. */
const NOWHERE = parseName('nowhere.invalid');

function withoutAlias(zones: Zones): Zones {
  const asCname = (record: ResourceRecord): ResourceRecord =>
    record.type === TYPE.ALIAS ? { ...record, type: TYPE.CNAME } : record;
  return new Map([...zones].map(([key, records]) => [key, records.map(asCname)]));
}
