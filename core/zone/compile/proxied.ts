/**
 * A zone view with the proxy on: names of websites have the addresses of the cluster. Additional
 * records, chains and wildcards use these, since the compiler reads this view like any zone.
 */
import { isWithin, type Name } from '../../dns/wire/name.ts';
import { parseRdata } from '../../dns/wire/rdata/index.ts';
import { type RRset, TYPE } from '../../dns/wire/types.ts';
import type { Cluster } from './settings.ts';
import type { ProxyHints, ZoneRRset, ZoneView } from './view.ts';

/** Seconds. */
const TTL = 300;

/** Types of names that browsers connect to. The proxy replaces these records. */
export const WEB_TYPES: ReadonlySet<number> = new Set([TYPE.A, TYPE.AAAA, TYPE.CNAME, TYPE.ALIAS]);

export class ProxiedZone implements ZoneView {
  readonly apex: Name;
  readonly mayOcclude: boolean;
  readonly parentDs: RRset | null;
  readonly #zone: ZoneView & ProxyHints;
  readonly #addresses: readonly RRset[];

  constructor(zone: ZoneView & ProxyHints, cluster: Cluster) {
    this.#zone = zone;
    this.apex = zone.apex;
    this.mayOcclude = zone.mayOcclude;
    this.parentDs = zone.parentDs;
    this.#addresses = clusterSets(cluster);
  }

  rrsets(name: Name): readonly ZoneRRset[] {
    const sets = this.#zone.rrsets(name);
    if (!sets.some(({ type }) => WEB_TYPES.has(type)) || !isWebName(this.#zone, name)) return sets;
    const others = sets.filter(({ type, isPlaceholder }) => !WEB_TYPES.has(type) && isPlaceholder !== true);
    return [...others, ...this.#addresses].sort((a, b) => a.type - b.type);
  }

  hasBelow(name: Name): boolean {
    return this.#zone.hasBelow(name);
  }

  isNested(name: Name): boolean {
    return this.#zone.isNested(name);
  }
}

/**
 * Whether a name with records of WEB_TYPES goes through the proxy. The setting of its records
 * decides. Without one, the name is proxied unless mail or another service uses it, or a label
 * starts with an underscore, which browsers do not use (RFC 8552).
 */
export function isWebName(zone: ProxyHints & Pick<ZoneView, 'apex'>, name: Name): boolean {
  return zone.proxied(name) ?? !(hasUnderscore(name, zone.apex) || zone.isServiceTarget(name));
}

function hasUnderscore(name: Name, apex: Name): boolean {
  if (!isWithin(name, apex)) return false;
  for (let p = 0; p < name.length - apex.length; p += name[p] + 1) if (name[p + 1] === 0x5f) return true;
  return false;
}

/** Caches the records of the latest cluster, since calls usually have the same one. */
let cached: { readonly cluster: Cluster; readonly sets: readonly RRset[] } | null = null;

function clusterSets(cluster: Cluster): readonly RRset[] {
  if (cached?.cluster === cluster) return cached.sets;
  const set = (type: number, texts: readonly string[]): RRset[] =>
    texts.length === 0
      ? []
      : [{ type, ttl: TTL, rdatas: texts.map((text) => parseRdata(type, text)).sort(Buffer.compare) }];
  const sets = [...set(TYPE.A, cluster.ipv4), ...set(TYPE.AAAA, cluster.ipv6)];
  cached = { cluster, sets };
  return sets;
}
