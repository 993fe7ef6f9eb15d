/**
 * Caches the addresses of origin names for their TTL, from 1 to 60 seconds. A customer who moves an
 * origin waits a minute at most, and a TTL of 0 does not cost a query for each connection. The book
 * does not check whether an address is permitted: `dial.ts` does at each connection.
 */

import { setTimeout as sleep } from 'node:timers/promises';
import { RecentMap } from '../../core/base/recent-map.ts';
import { type Name, parseName } from '../../core/dns/wire/name.ts';
import { TYPE } from '../../core/dns/wire/types.ts';
import { isLocalhost, parseAddress } from '../../core/net/address/index.ts';
import type { Outcome } from '../../core/net/resolver/message.ts';
import type { Lookup } from '../../core/net/resolver/resolver.ts';
import { OriginError } from './origin.ts';

const MIN_TTL_MS = 1000;
const MAX_TTL_MS = 60_000;
/**
 * Milliseconds for which "no such name" and failures are cached: briefly, but long enough that a
 * flood of requests causes no flood of queries.
 */
const FAULT_TTL_MS = 1000;
/**
 * The Resolution Delay of RFC 8305 section 3, in milliseconds: the first address family waits for
 * the other.
 */
const RESOLUTION_DELAY = 50;
/**
 * Milliseconds for which an expired answer is still used when the resolvers fail (RFC 8767 section
 * 5 allows days).
 */
const STALE_MS = 3_600_000;
const MAX_NAMES = 10_000;
const MAX_ADDRESSES = 16;

interface Entry {
  /** In the order of attempts; empty: `fault` is the reason. */
  readonly addresses: readonly Uint8Array[];
  readonly fault: string;
  /**
   * When the entry expires, and until when it is used if the resolvers fail. Milliseconds of the
   * clock.
   */
  readonly until: number;
  readonly staleUntil: number;
}

interface Family {
  readonly isFailed: boolean;
  /** Each of 4 or 16 bytes. */
  readonly addresses: readonly Uint8Array[];
  /** Milliseconds. */
  readonly ttl: number;
  readonly fault: string;
}

const PENDING: Family = { isFailed: true, addresses: [], ttl: 0, fault: 'the resolvers do not answer' };
const LOOPBACK: readonly Uint8Array[] = [Uint8Array.of(127, 0, 0, 1), parseAddress('::1')!];

export class AddressBook {
  readonly #lookup: Lookup;
  readonly #now: () => number;
  readonly #entries = new RecentMap<Entry>(MAX_NAMES);
  readonly #pendingLookups = new Map<string, Promise<Entry>>();
  /** The address of the latest connection in text, by host. */
  readonly #served = new RecentMap<string>(MAX_NAMES);

  /** `now`: milliseconds of a monotonic clock. */
  constructor(lookup: Lookup, now: () => number = () => performance.now()) {
    this.#lookup = lookup;
    this.#now = now;
  }

  /**
   * Resolves to the addresses of a host, at least one: IPv6 and IPv4 alternate. Rejects with
   * OriginError `unresolved`.
   */
  async addressesOf(host: string): Promise<readonly Uint8Array[]> {
    const literal = parseAddress(host);
    if (literal !== undefined) return [literal];
    // RFC 6761 section 6.3: no query is sent.
    if (isLocalhost(host)) return LOOPBACK;
    const { addresses, fault } = await this.#entryOf(host);
    if (addresses.length === 0) throw new OriginError('unresolved', `${host}: ${fault}`);
    return addresses;
  }

  /**
   * The address of the latest connection, in text; empty: none. It is tried first, so an
   * unreachable address costs its connection attempt delay only once.
   */
  lastServed(host: string): string {
    return this.#served.get(host) ?? '';
  }

  /** Records the address of a new connection. */
  hasServed(host: string, address: string): void {
    this.#served.set(host, address);
  }

  async #entryOf(host: string): Promise<Entry> {
    const entry = this.#entries.get(host);
    if (entry !== undefined && entry.until > this.#now()) return entry;
    let pending = this.#pendingLookups.get(host);
    if (pending === undefined) {
      pending = this.#resolve(host, entry).finally(() => this.#pendingLookups.delete(host));
      this.#pendingLookups.set(host, pending);
    }
    return pending;
  }

  async #resolve(host: string, before: Entry | undefined): Promise<Entry> {
    const entry = this.#entry(await this.#families(parseName(host)), before);
    this.#entries.set(host, entry);
    return entry;
  }

  #entry(families: readonly Family[], entry: Entry | undefined): Entry {
    const now = this.#now();
    const found = families.filter(({ addresses }) => addresses.length > 0);
    if (found.length > 0) {
      const ttl = Math.min(...found.map((family) => family.ttl));
      const addresses = interleaved(families.map((family) => family.addresses)).slice(0, MAX_ADDRESSES);
      const until = now + Math.max(MIN_TTL_MS, Math.min(MAX_TTL_MS, ttl));
      return { addresses, fault: '', until, staleUntil: until + STALE_MS };
    }
    const until = now + FAULT_TTL_MS;
    const failed = families.find(({ isFailed }) => isFailed);
    if (failed !== undefined && entry !== undefined && entry.staleUntil > now) return { ...entry, until };
    return { addresses: [], fault: (failed ?? families[1]).fault, until, staleUntil: 0 };
  }

  /**
   * Looks up both families, IPv6 first in the result. A slow family is not waited for once the
   * other has addresses: some nameservers never answer AAAA queries.
   */
  async #families(name: Name): Promise<readonly Family[]> {
    const families: Family[] = [PENDING, PENDING];
    const answers = [TYPE.AAAA, TYPE.A].map(async (type, at) => {
      families[at] = familyOf(await this.#lookup(name, type));
      return families[at].addresses.length > 0;
    });
    const all = Promise.all(answers);
    const first = Promise.any(answers.map(async (answer) => (await answer) || Promise.reject(new Error('no address'))));
    await Promise.race([
      all,
      first.then(
        () => sleep(RESOLUTION_DELAY),
        () => all,
      ),
    ]);
    return families;
  }
}

function familyOf(outcome: Outcome): Family {
  if (outcome.kind === 'failed') return { ...PENDING, fault: outcome.error };
  const ttl = outcome.ttl * 1000;
  if (outcome.kind === 'addresses') return { isFailed: false, addresses: outcome.addresses, ttl, fault: '' };
  return { isFailed: false, addresses: [], ttl, fault: outcome.missing ? 'no such name' : 'the name has no address' };
}

/** RFC 8305 section 4: interleaves the families, each in the order of its answer. */
function interleaved(families: readonly (readonly Uint8Array[])[]): Uint8Array[] {
  const longest = Math.max(...families.map((family) => family.length));
  return Array.from({ length: longest }, (_, i) =>
    families.flatMap((family) => (i < family.length ? [family[i]] : [])),
  ).flat();
}
