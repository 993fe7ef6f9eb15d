/**
 * Accounts for the memory that a thread holds for clients: response parts for slow readers, request
 * parts for origins, output buffers. Memory is charged before it is filled. It is charged to the
 * client's network (an IPv4 address or an IPv6 /64) and to the thread, whose limit covers all
 * networks.
 *
 * The limit of a network is the memory left over for the others (a dynamic threshold, Choudhury and
 * Hahne 1998). A single network may hold half of the thread's limit, two may hold a third each. So
 * no network takes the memory that the next one needs, however many connections and streams it has.
 *
 * The visitors of one site are limited in the same way. A single site may hold three quarters of
 * the limit. So a site that is flooded from many networks leaves memory for others. Connections
 * without a known site count for their network only.
 */
import { clientNetwork } from '../../../core/net/address/ipv6.ts';

export interface MemoryWaiter {
  /**
   * Memory may be available. The waiter tries again, and waits again if there is not enough. Must
   * not throw.
   */
  onMemory(): void;
}

/** Minimum bytes of a fetch: whole pieces of files on disk (edge/cache/store/entry.ts). */
export const LEAST_FETCH = 65_536;
/** A larger fetch gets at most this fraction of the available memory: an eighth. */
const FETCH_PART = 8;

/** A site may hold this multiple of the memory left over. */
const SITE_WEIGHT = 3;

/** Memory held by a network, or by the visitors of a site. */
class Account {
  held = 0;
  /** Number of ClientMemory objects that use it. */
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
  /** Bytes charged. May exceed the limit through `hold`. */
  held = 0;
  /** Number of waiters of all networks. */
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
   * Returns the account for the network of `address` and for `site`; empty: no site. Each `enter`
   * needs one `leave`.
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
   * A waiter may outlive the connections of its network, such as a cache lookup. Its account stays
   * until it was woken.
   */
  #dropUnused(memory: ClientMemory): void {
    if (memory.users > 0 || memory.hasWaiters) return;
    const { network, site, accounts } = memory;
    if (!this.#clients.delete(site === '' ? network : `${network} ${site}`)) return;
    this.#networks.leave(network, accounts.network);
    if (accounts.site !== null) this.#sites.leave(site, accounts.site);
  }

  /** Memory was released. Waiters are woken after this turn of the event loop. */
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
  /** Bytes charged. */
  held = 0;
  /** Connections that share it. */
  users = 0;
  readonly network: string;
  readonly site: string;
  readonly accounts: { readonly network: Account; readonly site: Account | null };
  readonly #budget: MemoryBudget;
  /** In order of arrival. */
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

  /** Bytes that `take` would grant if no memory were held. */
  get most(): number {
    return Math.floor(this.#budget.limit / 2);
  }

  /** More than half of the share of the network or of the site is in use. */
  get isPressed(): boolean {
    return this.room * 2 < this.most;
  }

  /** Bytes that `take` would grant. */
  get room(): number {
    const { limit, held } = this.#budget;
    const { network, site } = this.accounts;
    // Taken bytes count twice: they are held, and they reduce the memory left over.
    const ofNetwork = Math.max(0, Math.floor((limit - held - network.held) / 2));
    if (site === null) return ofNetwork;
    const ofSite = Math.floor((SITE_WEIGHT * (limit - held) - site.held) / (SITE_WEIGHT + 1));
    return Math.max(0, Math.min(ofNetwork, ofSite));
  }

  /**
   * Charges bytes that are about to be allocated. False: the network or the site has used up its
   * share. `waitFor` then waits for memory.
   */
  take(bytes: number): boolean {
    if (bytes > this.room) return false;
    this.hold(bytes);
    return true;
  }

  /**
   * Charges a fetch of at most `bytes`. Returns the bytes that may be fetched: a multiple of
   * LEAST_FETCH, or all. 0: nothing was granted.
   */
  takeForFetch(bytes: number): number {
    const share = this.room / FETCH_PART;
    const granted = Math.max(Math.min(bytes, LEAST_FETCH), Math.min(bytes, share - (share % LEAST_FETCH)));
    return this.take(granted) ? granted : 0;
  }

  /**
   * Charges bytes that are held already, such as those of a completed read, even beyond the limit.
   */
  hold(bytes: number): void {
    const { network, site } = this.accounts;
    this.held += bytes;
    network.held += bytes;
    if (site !== null) site.held += bytes;
    this.#budget.held += bytes;
  }

  /** Releases charged bytes. */
  release(bytes: number): void {
    const { network, site } = this.accounts;
    this.held -= bytes;
    network.held -= bytes;
    if (site !== null) site.held -= bytes;
    this.#budget.held -= bytes;
    this.#budget.freed();
  }

  /**
   * Calls `waiter` once when memory may be available. Waiters of a network are called in order of
   * arrival.
   */
  waitFor(waiter: MemoryWaiter): void {
    if (this.#waiting.has(waiter)) return;
    this.#waiting.add(waiter);
    this.#budget.waiting++;
  }

  /** Removes `waiter`. */
  forget(waiter: MemoryWaiter): void {
    if (this.#waiting.delete(waiter)) this.#budget.waiting--;
  }

  /** From the budget: wakes waiters in order of arrival while there is memory. */
  wake(): void {
    // A waiter that waits again is appended. It is not called again in this loop.
    for (let left = this.#waiting.size; left > 0 && this.room > 0; left--) {
      const [first] = this.#waiting;
      this.forget(first);
      first.onMemory();
    }
  }
}

/** For servers without their own budget. */
export const THREAD_MEMORY = new MemoryBudget(256 * 1024 * 1024);
