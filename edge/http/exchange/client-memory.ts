/**
 * The memory that clients make a thread hold: parts of responses that wait for a slow reader, of
 * requests that wait for an origin, output buffers. It is charged before it is filled, to the
 * client's network (an IPv4 address, a /64 of IPv6) and to the thread, whose limit holds for all
 * networks together.
 *
 * A network gets no more than what is left over for the others (a dynamic threshold, Choudhury and
 * Hahne 1998): alone it may hold half of the limit, two may hold a third each. So no network,
 * however many connections and streams it has, takes the memory that the next one needs.
 *
 * What the visitors of one site hold is bounded the same way: alone it may hold three quarters of
 * the limit, so a site that is flooded from many networks leaves memory for the others. Connections
 * whose site is not known count for their network alone.
 */
import { clientNetwork } from '../../../core/net/address/ipv6.ts';

/** Waits for memory. */
export interface MemoryWaiter {
  /**
   * There may be room: to be asked for again, and waited for again if there is none. Must not
   * throw.
   */
  onMemory(): void;
}

/**
 * Bytes that are fetched at a time at least: whole pieces of what is on disk
 * (edge/cache/store/entry.ts).
 */
export const LEAST_FETCH = 65_536;
/** A fetch of more than that takes one such part of what is left. */
const FETCH_PART = 8;

/** A site may hold this many times what is left over. */
const SITE_WEIGHT = 3;

/** What a network, or the visitors of a site, hold together. */
class Account {
  held = 0;
  /** Of its ClientMemory. */
  users = 0;
}

class Accounts {
  readonly #accounts = new Map<string, Account>();

  get(name: string): Account | undefined {
    return this.#accounts.get(name);
  }

  enter(name: string): Account {
    let account = this.#accounts.get(name);
    if (account === undefined) {
      account = new Account();
      this.#accounts.set(name, account);
    }
    account.users++;
    return account;
  }

  leave(name: string, account: Account): void {
    if (--account.users === 0) this.#accounts.delete(name);
  }
}

export class MemoryBudget {
  /** Bytes for all networks. */
  readonly limit: number;
  /** Bytes that are charged; past the limit where `hold` had no choice. */
  held = 0;
  /** Waiters of all networks. */
  waiting = 0;
  /** By site and network. */
  readonly #clients = new Map<string, ClientMemory>();
  readonly #networks = new Accounts();
  readonly #sites = new Accounts();
  #isWakeDue = false;

  constructor(limit: number) {
    this.limit = limit;
  }

  /**
   * The account of the network of `address` as a visitor of `site`; empty: of none in particular.
   * To be left once for each time that it is entered.
   */
  enter(address: string, site = ''): ClientMemory {
    const network = clientNetwork(address);
    const key = site === '' ? network : `${network} ${site}`;
    let memory = this.#clients.get(key);
    if (memory === undefined) {
      const accounts = { network: this.#networks.enter(network), site: site === '' ? null : this.#sites.enter(site) };
      memory = new ClientMemory(this, network, site, accounts);
      this.#clients.set(key, memory);
    }
    memory.users++;
    return memory;
  }

  /** Whether the network of `address` holds less than its share. */
  hasRoomFor(address: string): boolean {
    const held = this.#networks.get(clientNetwork(address))?.held ?? 0;
    return held === 0 ? this.held < this.limit : this.limit - this.held - held >= 2;
  }

  leave(memory: ClientMemory): void {
    memory.users--;
    this.#dropUnused(memory);
  }

  /**
   * A waiter may outlive the connections of its network, such as a lookup in the cache: it still
   * gets its turn.
   */
  #dropUnused(memory: ClientMemory): void {
    if (memory.users > 0 || memory.hasWaiters) return;
    const { network, site, accounts } = memory;
    if (!this.#clients.delete(site === '' ? network : `${network} ${site}`)) return;
    this.#networks.leave(network, accounts.network);
    if (accounts.site !== null) this.#sites.leave(site, accounts.site);
  }

  /** Something was released. Waiters hear of it after this turn of the loop. */
  freed(): void {
    if (this.waiting === 0 || this.#isWakeDue) return;
    this.#isWakeDue = true;
    setImmediate(() => {
      this.#isWakeDue = false;
      for (const memory of this.#clients.values()) {
        memory.wake();
        this.#dropUnused(memory);
      }
    });
  }
}

export class ClientMemory {
  /** Bytes that are charged. */
  held = 0;
  /** Connections that share it. */
  users = 0;
  readonly network: string;
  readonly site: string;
  readonly accounts: { readonly network: Account; readonly site: Account | null };
  readonly #budget: MemoryBudget;
  /** In the order in which they came. */
  readonly #waiting = new Set<MemoryWaiter>();

  constructor(budget: MemoryBudget, network: string, site: string, accounts: ClientMemory['accounts']) {
    this.#budget = budget;
    this.network = network;
    this.site = site;
    this.accounts = accounts;
  }

  get hasWaiters(): boolean {
    return this.#waiting.size > 0;
  }

  /** Bytes that `take` grants if nobody holds anything. */
  get most(): number {
    return Math.floor(this.#budget.limit / 2);
  }

  /** Bytes that `take` would grant. */
  get room(): number {
    const { limit, held } = this.#budget;
    const { network, site } = this.accounts;
    // What is taken counts twice: it is held, and it is no longer left over for others.
    const ofNetwork = Math.max(0, Math.floor((limit - held - network.held) / 2));
    if (site === null) return ofNetwork;
    const ofSite = Math.floor((SITE_WEIGHT * (limit - held) - site.held) / (SITE_WEIGHT + 1));
    return Math.max(0, Math.min(ofNetwork, ofSite));
  }

  /**
   * Charges what is about to be held. False: the network has its share, and `waitFor` tells when
   * there may be room.
   */
  take(bytes: number): boolean {
    if (bytes > this.room) return false;
    this.hold(bytes);
    return true;
  }

  /**
   * Charges a fetch of `bytes` at most. Returns what may be fetched: a multiple of LEAST_FETCH, or
   * all; 0 as `take` returns false.
   */
  takeForFetch(bytes: number): number {
    const share = this.room / FETCH_PART;
    const granted = Math.max(Math.min(bytes, LEAST_FETCH), Math.min(bytes, share - (share % LEAST_FETCH)));
    return this.take(granted) ? granted : 0;
  }

  /**
   * Charges what is held whether there is room or not, such as the bytes of a read that is over.
   */
  hold(bytes: number): void {
    const { network, site } = this.accounts;
    this.held += bytes;
    network.held += bytes;
    if (site !== null) site.held += bytes;
    this.#budget.held += bytes;
  }

  /** Gives back what was charged. */
  release(bytes: number): void {
    const { network, site } = this.accounts;
    this.held -= bytes;
    network.held -= bytes;
    if (site !== null) site.held -= bytes;
    this.#budget.held -= bytes;
    this.#budget.freed();
  }

  /** `waiter` is called once, when there may be room; those of a network in turn. */
  waitFor(waiter: MemoryWaiter): void {
    if (this.#waiting.has(waiter)) return;
    this.#waiting.add(waiter);
    this.#budget.waiting++;
  }

  /** It waits no more. */
  forget(waiter: MemoryWaiter): void {
    if (this.#waiting.delete(waiter)) this.#budget.waiting--;
  }

  /**
   * From the budget: lets those that wait ask again, one after the other, as long as there is room.
   */
  wake(): void {
    // Who waits again comes last, and is not called twice.
    for (let left = this.#waiting.size; left > 0 && this.room > 0; left--) {
      const [first] = this.#waiting;
      this.forget(first);
      first.onMemory();
    }
  }
}

/** For servers that have no budget of their own. */
export const THREAD_MEMORY = new MemoryBudget(256 * 1024 * 1024);
