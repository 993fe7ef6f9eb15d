/**
 * What was purged, by domain: an entry is void when a purge that fits it came after its mark. Bounded: a domain with too much detail has the older half of it
 * stand as one purge of all that is older, and beyond the bound in all so do domains; more is forgotten then than was asked, never less.
 */
import { siteHost } from '../../http/exchange/authority.ts';
import type { CachePurge } from './cache-store.ts';

/** Bytes of detail of one domain and of all; what a domain without detail takes counts, too. */
const DOMAIN_BYTES = 256 * 1024;
const ALL_BYTES = 16 * 1024 * 1024;
/** A string in a Map, roughly. */
const ITEM = 64;

interface DomainPurges {
  /** All of the domain before this sequence is gone. */
  floor: number;
  /** What to the sequence of its last purge. */
  readonly urls: Map<string, number>;
  readonly prefixes: Map<string, number>;
  readonly tags: Map<string, number>;
  /** Lengths of prefixes, each once. */
  readonly lengths: Set<number>;
  bytes: number;
}

/** A line of the log: a domain's purges as they are kept. */
export interface DomainState {
  readonly domainId: string;
  readonly floor: number;
  readonly urls: readonly (readonly [string, number])[];
  readonly prefixes: readonly (readonly [string, number])[];
  readonly tags: readonly (readonly [string, number])[];
}

export class Purges {
  /** Goes up with each purge: what was checked at this version need not be checked again. */
  version = 0;
  /** Everything before it is gone. */
  #floor = 0;
  #bytes = 0;
  readonly #domains = new Map<string, DomainPurges>();

  get floor(): number {
    return this.#floor;
  }

  add(purge: CachePurge, sequence: number): void {
    const domain = this.#domain(purge.domainId);
    this.version++;
    if (purge.urls.length + purge.prefixes.length + purge.tags.length === 0) this.#clear(domain, sequence);
    for (const url of purge.urls) this.#note(domain, domain.urls, url, sequence);
    for (const prefix of purge.prefixes) this.#note(domain, domain.prefixes, prefix, sequence);
    for (const tag of purge.tags) this.#note(domain, domain.tags, tag, sequence);
    for (const prefix of purge.prefixes) domain.lengths.add(prefix.length);
    if (domain.bytes > DOMAIN_BYTES) this.#condense(domain);
    if (this.#bytes > ALL_BYTES) this.#condenseAll();
  }

  /** Everything with a smaller mark is gone. */
  raiseFloor(sequence: number): void {
    this.version++;
    this.#floor = Math.max(this.#floor, sequence);
  }

  /** Whether an entry is void. */
  covers(domainId: string, key: string, tags: readonly string[], mark: number): boolean {
    if (mark < this.#floor) return true;
    const domain = this.#domains.get(domainId);
    if (domain === undefined) return false;
    if (mark < domain.floor || isNamed(domain, key, mark)) return true;
    for (const tag of tags) if (mark < (domain.tags.get(tag) ?? 0)) return true;
    const plain = plainKey(key);
    return plain !== key && isNamed(domain, plain, mark);
  }

  restore(state: DomainState): void {
    const domain = this.#domain(state.domainId);
    domain.floor = Math.max(domain.floor, state.floor);
    for (const [url, sequence] of state.urls) this.#note(domain, domain.urls, url, sequence);
    for (const [prefix, sequence] of state.prefixes) {
      this.#note(domain, domain.prefixes, prefix, sequence);
      domain.lengths.add(prefix.length);
    }
    for (const [tag, sequence] of state.tags) this.#note(domain, domain.tags, tag, sequence);
    this.version++;
  }

  *states(): Generator<DomainState> {
    for (const [domainId, { floor, urls, prefixes, tags }] of this.#domains)
      yield { domainId, floor, urls: [...urls], prefixes: [...prefixes], tags: [...tags] };
  }

  /** The domain's purges, behind all others in order. */
  #domain(id: string): DomainPurges {
    let domain = this.#domains.get(id);
    if (domain === undefined) {
      domain = {
        floor: 0,
        urls: new Map(),
        prefixes: new Map(),
        tags: new Map(),
        lengths: new Set(),
        bytes: ITEM * 8,
      };
      this.#bytes += domain.bytes;
    }
    this.#domains.delete(id);
    this.#domains.set(id, domain);
    return domain;
  }

  #note(domain: DomainPurges, map: Map<string, number>, what: string, sequence: number): void {
    if (!map.has(what)) {
      domain.bytes += what.length + ITEM;
      this.#bytes += what.length + ITEM;
    }
    map.set(what, Math.max(sequence, map.get(what) ?? 0));
  }

  #clear(domain: DomainPurges, floor: number): void {
    domain.floor = Math.max(domain.floor, floor);
    for (const map of [domain.urls, domain.prefixes, domain.tags]) map.clear();
    domain.lengths.clear();
    this.#bytes -= domain.bytes - ITEM * 8;
    domain.bytes = ITEM * 8;
  }

  #condense(domain: DomainPurges): void {
    const maps = [domain.urls, domain.prefixes, domain.tags];
    const sequences = maps.flatMap((map) => [...map.values()]).sort((x, y) => x - y);
    domain.floor = Math.max(domain.floor, sequences[sequences.length >> 1]);
    for (const map of maps)
      for (const [what, sequence] of map) {
        if (sequence > domain.floor) continue;
        map.delete(what);
        domain.bytes -= what.length + ITEM;
        this.#bytes -= what.length + ITEM;
      }
    domain.lengths.clear();
    for (const prefix of domain.prefixes.keys()) domain.lengths.add(prefix.length);
  }

  /** Domains that were not purged for longest go first: their detail becomes a floor, or, where there is none, they become part of everybody's. */
  #condenseAll(): void {
    for (const [id, domain] of this.#domains) {
      if (this.#bytes <= ALL_BYTES / 2) return;
      let last = domain.floor;
      for (const map of [domain.urls, domain.prefixes, domain.tags])
        for (const sequence of map.values()) last = Math.max(last, sequence);
      if (domain.bytes > ITEM * 8) this.#clear(domain, last);
      else {
        this.#floor = Math.max(this.#floor, last);
        this.#bytes -= domain.bytes;
        this.#domains.delete(id);
      }
    }
  }
}

/**
 * A key as a purge names it: without a port, and the last dot of the host. Both are part of a key, since an origin is told them and may answer by them; who purges a page means it
 * by whichever port it was asked for.
 */
function plainKey(key: string): string {
  const from = key.indexOf('://') + 3;
  const end = key.indexOf('/', from);
  const host = siteHost(key.slice(from, end));
  return host.length === end - from ? key : key.slice(0, from) + host + key.slice(end);
}

function isNamed(domain: DomainPurges, key: string, mark: number): boolean {
  return mark < (domain.urls.get(key) ?? 0) || (domain.prefixes.size > 0 && hasPrefix(domain, key, mark));
}

/** Prefixes have no scheme, and hold for both: one look for each length that any has. */
function hasPrefix({ prefixes, lengths }: DomainPurges, key: string, mark: number): boolean {
  const from = key.indexOf('://') + 3;
  for (const length of lengths)
    if (from + length <= key.length && mark < (prefixes.get(key.slice(from, from + length)) ?? 0)) return true;
  return false;
}
