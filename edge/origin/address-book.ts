/**
 * Addresses of origins' names. Kept as long as their TTL says, within bounds: a customer who moves
 * an origin waits no longer than a minute, and a TTL of 0 costs no query for each connection.
 * Nothing here says that an address may be used: that is asked when it is (`guard.ts`).
 */
import { setTimeout as sleep } from 'node:timers/promises';
import { type Name, parseName } from '../../core/dns/wire/name.ts';
import { TYPE } from '../../core/dns/wire/types.ts';
import { isLocalhost, parseAddress } from '../../core/net/address/index.ts';
import type { Outcome } from '../../core/net/resolver/message.ts';
import type { Lookup } from '../../core/net/resolver/resolver.ts';
import { OriginError } from './origin.ts';

const LEAST_TTL_MS = 1000;
const MOST_TTL_MS = 60_000;
/**
 * "No such name" and failures: they are over soon, and a flood of requests must not be one of
 * queries.
 */
const FAULT_TTL_MS = 1000;
/**
 * Milliseconds that the first family waits for the other: the Resolution Delay of RFC 8305 section
 * 3.
 */
const RESOLUTION_DELAY = 50;
/**
 * For so long after its end an answer is still used when the resolvers fail (RFC 8767 section 5
 * allows days).
 */
const STALE_MS = 3_600_000;
const MOST_NAMES = 10_000;
const MOST_ADDRESSES = 16;

interface Entry {
  /** In the order in which they are tried; empty: `fault` says why. */
  readonly addresses: readonly Uint8Array[];
  readonly fault: string;
  /** Milliseconds of the clock; and until when it may stand in for an answer that does not come. */
  readonly until: number;
  readonly staleUntil: number;
}

interface Family {
  readonly isFailed: boolean;
  /** Of 4 or 16 bytes. */
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
  readonly #entries = new Map<string, Entry>();
  readonly #underWay = new Map<string, Promise<Entry>>();
  /** In text, by host. */
  readonly #served = new Map<string, string>();

  /** `now`: milliseconds of a clock that never goes back. */
  constructor(lookup: Lookup, now: () => number = () => performance.now()) {
    this.#lookup = lookup;
    this.#now = now;
  }

  /**
   * Addresses of a host, at least one: IPv6 and IPv4 by turns. Rejects with OriginError
   * `unresolved`.
   */
  async addressesOf(host: string): Promise<readonly Uint8Array[]> {
    const literal = parseAddress(host);
    if (literal !== undefined) return [literal];
    // RFC 6761 section 6.3: nobody is asked.
    if (isLocalhost(host)) return LOOPBACK;
    const { addresses, fault } = await this.#entryOf(host);
    if (addresses.length === 0) throw new OriginError('unresolved', `${host}: ${fault}`);
    return addresses;
  }

  /**
   * The address that served last, in text; empty when none has. It is worth trying first, so that
   * one which is dead costs its head start once.
   */
  lastServed(host: string): string {
    return this.#served.get(host) ?? '';
  }

  /** A connection stands. */
  hasServed(host: string, address: string): void {
    this.#served.delete(host);
    this.#served.set(host, address);
    if (this.#served.size > MOST_NAMES) this.#served.delete(this.#served.keys().next().value!);
  }

  async #entryOf(host: string): Promise<Entry> {
    const entry = this.#entries.get(host);
    if (entry !== undefined && entry.until > this.#now()) return entry;
    let pending = this.#underWay.get(host);
    if (pending === undefined) {
      pending = this.#ask(host, entry).finally(() => this.#underWay.delete(host));
      this.#underWay.set(host, pending);
    }
    return pending;
  }

  async #ask(host: string, before: Entry | undefined): Promise<Entry> {
    const entry = this.#entry(await this.#families(parseName(host)), before);
    this.#entries.delete(host);
    this.#entries.set(host, entry);
    // The one that was asked for longest ago.
    if (this.#entries.size > MOST_NAMES) this.#entries.delete(this.#entries.keys().next().value!);
    return entry;
  }

  #entry(families: readonly Family[], entry: Entry | undefined): Entry {
    const now = this.#now();
    const found = families.filter(({ addresses }) => addresses.length > 0);
    if (found.length > 0) {
      const ttl = Math.min(...found.map((family) => family.ttl));
      const addresses = byTurns(families.map((family) => family.addresses)).slice(0, MOST_ADDRESSES);
      const until = now + Math.max(LEAST_TTL_MS, Math.min(MOST_TTL_MS, ttl));
      return { addresses, fault: '', until, staleUntil: until + STALE_MS };
    }
    const until = now + FAULT_TTL_MS;
    const failed = families.find(({ isFailed }) => isFailed);
    if (failed !== undefined && entry !== undefined && entry.staleUntil > now) return { ...entry, until };
    return { addresses: [], fault: (failed ?? families[1]).fault, until, staleUntil: 0 };
  }

  /**
   * IPv6 first. One family is enough when the other takes long: servers that never answer to AAAA
   * are common.
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

/** RFC 8305 section 4: the families by turns, each in the order of its answer. */
function byTurns(families: readonly (readonly Uint8Array[])[]): Uint8Array[] {
  const most = Math.max(...families.map((family) => family.length));
  return Array.from({ length: most }, (_, i) =>
    families.flatMap((family) => (i < family.length ? [family[i]] : [])),
  ).flat();
}
