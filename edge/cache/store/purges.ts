/**
 * The purges by domain. An entry is void if a matching purge has a greater sequence than its mark.
 * The memory is bounded. When a domain has too many items, its older half is replaced by a floor,
 * which voids all older entries of the domain. When the total is too large, domains are condensed
 * in the same way. So a purge may remove more than requested, but never less.
 */
import { siteHost } from '../../http/exchange/authority.ts';
import type { CachePurge } from './cache-store.ts';

/** Limits in bytes for the items of a domain, and of all domains. Each domain has a fixed cost. */
const MAX_DOMAIN_BYTES = 256 * 1024;
const MAX_TOTAL_BYTES = 16 * 1024 * 1024;
/** Approximate overhead of a string in a Map. */
const ITEM_BYTES = 64;

interface DomainPurges {
  /** Entries of the domain with a smaller mark are void. */
  floor: number;
  /** URL, prefix or tag ─► sequence of its last purge. */
  readonly urls: Map<string, number>;
  readonly prefixes: Map<string, number>;
  readonly tags: Map<string, number>;
  /** The lengths of the prefixes. */
  readonly lengths: Set<number>;
  bytes: number;
}

/** The purges of a domain, as a line of the log. */
export interface DomainState {
  readonly domainId: string;
  readonly floor: number;
  readonly urls: readonly (readonly [string, number])[];
  readonly prefixes: readonly (readonly [string, number])[];
  readonly tags: readonly (readonly [string, number])[];
}

export class Purges {
  /** Increases with each purge. An entry that was checked at this version needs no new check. */
  version = 0;
  /** Entries of any domain with a smaller mark are void. */
  #floor = 0;
  #bytes = 0;
  readonly #domains = new Map<string, DomainPurges>();

  get floor(): number {
    return this.#floor;
  }

  add(purge: CachePurge, sequence: number): void {
    const domain = this.#touchDomain(purge.domainId);
    this.version++;
    if (purge.urls.length + purge.prefixes.length + purge.tags.length === 0) this.#clear(domain, sequence);
    for (const url of purge.urls) this.#addItem(domain, domain.urls, url, sequence);
    for (const prefix of purge.prefixes) this.#addItem(domain, domain.prefixes, prefix, sequence);
    for (const tag of purge.tags) this.#addItem(domain, domain.tags, tag, sequence);
    for (const prefix of purge.prefixes) domain.lengths.add(prefix.length);
    if (domain.bytes > MAX_DOMAIN_BYTES) this.#condense(domain);
    if (this.#bytes > MAX_TOTAL_BYTES) this.#condenseAll();
  }

  /** Makes all entries with a smaller mark void. */
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
    const domain = this.#touchDomain(state.domainId);
    domain.floor = Math.max(domain.floor, state.floor);
    for (const [url, sequence] of state.urls) this.#addItem(domain, domain.urls, url, sequence);
    for (const [prefix, sequence] of state.prefixes) {
      this.#addItem(domain, domain.prefixes, prefix, sequence);
      domain.lengths.add(prefix.length);
    }
    for (const [tag, sequence] of state.tags) this.#addItem(domain, domain.tags, tag, sequence);
    this.version++;
  }

  *states(): Generator<DomainState> {
    for (const [domainId, { floor, urls, prefixes, tags }] of this.#domains)
      yield { domainId, floor, urls: [...urls], prefixes: [...prefixes], tags: [...tags] };
  }

  /** Returns the purges of a domain, and moves it to the end of the order. */
  #touchDomain(id: string): DomainPurges {
    let domain = this.#domains.get(id);
    if (domain === undefined) {
      domain = {
        floor: 0,
        urls: new Map(),
        prefixes: new Map(),
        tags: new Map(),
        lengths: new Set(),
        bytes: ITEM_BYTES * 8,
      };
      this.#bytes += domain.bytes;
    }
    this.#domains.delete(id);
    this.#domains.set(id, domain);
    return domain;
  }

  #addItem(domain: DomainPurges, map: Map<string, number>, item: string, sequence: number): void {
    if (!map.has(item)) {
      domain.bytes += item.length + ITEM_BYTES;
      this.#bytes += item.length + ITEM_BYTES;
    }
    map.set(item, Math.max(sequence, map.get(item) ?? 0));
  }

  #clear(domain: DomainPurges, floor: number): void {
    domain.floor = Math.max(domain.floor, floor);
    for (const map of [domain.urls, domain.prefixes, domain.tags]) map.clear();
    domain.lengths.clear();
    this.#bytes -= domain.bytes - ITEM_BYTES * 8;
    domain.bytes = ITEM_BYTES * 8;
  }

  #condense(domain: DomainPurges): void {
    const maps = [domain.urls, domain.prefixes, domain.tags];
    const sequences = maps.flatMap((map) => [...map.values()]).sort((x, y) => x - y);
    domain.floor = Math.max(domain.floor, sequences[sequences.length >> 1]);
    for (const map of maps)
      for (const [item, sequence] of map) {
        if (sequence > domain.floor) continue;
        map.delete(item);
        domain.bytes -= item.length + ITEM_BYTES;
        this.#bytes -= item.length + ITEM_BYTES;
      }
    domain.lengths.clear();
    for (const prefix of domain.prefixes.keys()) domain.lengths.add(prefix.length);
  }

  /**
   * Condenses the least recently purged domains first. The items of a domain become its floor; a
   * domain that has only a floor becomes part of the common floor.
   */
  #condenseAll(): void {
    for (const [id, domain] of this.#domains) {
      if (this.#bytes <= MAX_TOTAL_BYTES / 2) return;
      let last = domain.floor;
      for (const map of [domain.urls, domain.prefixes, domain.tags])
        for (const sequence of map.values()) last = Math.max(last, sequence);
      if (domain.bytes > ITEM_BYTES * 8) this.#clear(domain, last);
      else {
        this.#floor = Math.max(this.#floor, last);
        this.#bytes -= domain.bytes;
        this.#domains.delete(id);
      }
    }
  }
}

/**
 * The key in the form of a purge: without port, without the final dot of the host, and without the
 * suffix that rules add after a line feed. They are part of a key, because a response may depend on
 * them. But a purge of a page applies to all ports and all visitors.
 */
function plainKey(whole: string): string {
  const added = whole.indexOf('\n');
  const key = added < 0 ? whole : whole.slice(0, added);
  const from = key.indexOf('://') + 3;
  const end = key.indexOf('/', from);
  const host = siteHost(key.slice(from, end));
  return host.length === end - from ? key : key.slice(0, from) + host + key.slice(end);
}

function isNamed(domain: DomainPurges, key: string, mark: number): boolean {
  return mark < (domain.urls.get(key) ?? 0) || (domain.prefixes.size > 0 && hasPrefix(domain, key, mark));
}

/** Prefixes have no scheme and apply to both schemes. One lookup for each prefix length. */
function hasPrefix({ prefixes, lengths }: DomainPurges, key: string, mark: number): boolean {
  const from = key.indexOf('://') + 3;
  for (const length of lengths)
    if (from + length <= key.length && mark < (prefixes.get(key.slice(from, from + length)) ?? 0)) return true;
  return false;
}
