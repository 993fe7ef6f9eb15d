/**
 * The memory that clients make a thread hold: parts of responses that wait for a slow reader, of requests that wait for an origin, output buffers. It is charged before it is
 * filled, to the client's network (an IPv4 address, a /64 of IPv6) and to the thread, whose limit holds for all networks together.
 *
 * A network gets no more than what is left over for the others (a dynamic threshold, Choudhury and Hahne 1998): alone it may hold half of the limit, two may hold a third each.
 * So no network, however many connections and streams it has, takes the memory that the next one needs.
 */
import { totalmem } from 'node:os';
import { clientNetwork } from '../../core/net/ipv6.ts';

/** Waits for memory. */
export interface MemoryWaiter {
  /** There may be room: to be asked for again, and waited for again if there is none. Must not throw. */
  onMemory(): void;
}

/** The share of the machine's memory that clients may take in all threads together. */
const MACHINE_SHARE = 8;

/** Bytes of memory that this process may use: the machine's, or its cgroup's if that has less. */
const available = (): number => Math.min(totalmem(), process.constrainedMemory() || Number.POSITIVE_INFINITY);

/** Bytes for the clients of all threads together where no setting says otherwise. */
export const defaultClientMemory = (): number => Math.floor(available() / MACHINE_SHARE);

export class MemoryBudget {
  /** Bytes for all networks. */
  readonly limit: number;
  /** Bytes that are charged; past the limit where `hold` had no choice. */
  held = 0;
  readonly #networks = new Map<string, ClientMemory>();
  #isWakeDue = false;

  constructor(limit: number) {
    this.limit = limit;
  }

  /** The account of the network of `address`. To be left once for each time that it is entered. */
  enter(address: string): ClientMemory {
    const network = clientNetwork(address);
    let memory = this.#networks.get(network);
    if (memory === undefined) {
      memory = new ClientMemory(this, network);
      this.#networks.set(network, memory);
    }
    memory.users++;
    return memory;
  }

  leave(memory: ClientMemory): void {
    if (--memory.users === 0) this.#networks.delete(memory.network);
  }

  /** Something was released. Who waits hears of it after this turn of the loop. */
  freed(): void {
    if (this.#isWakeDue) return;
    this.#isWakeDue = true;
    setImmediate(() => {
      this.#isWakeDue = false;
      for (const memory of this.#networks.values()) memory.wake();
    });
  }
}

export class ClientMemory {
  /** Bytes that are charged. */
  held = 0;
  /** Connections that share it. */
  users = 0;
  readonly network: string;
  readonly #budget: MemoryBudget;
  /** In the order in which they came. */
  readonly #waiting = new Set<MemoryWaiter>();

  constructor(budget: MemoryBudget, network: string) {
    this.#budget = budget;
    this.network = network;
  }

  /** Bytes that `take` would grant. */
  get room(): number {
    const { limit, held } = this.#budget;
    return Math.max(0, limit - held - this.held);
  }

  /** Charges what is about to be held. False: the network has its share, and `waitFor` tells when there may be room. */
  take(bytes: number): boolean {
    if (bytes > this.room) return false;
    this.hold(bytes);
    return true;
  }

  /** Charges what is held whether there is room or not, such as what came with a read that is over. */
  hold(bytes: number): void {
    this.held += bytes;
    this.#budget.held += bytes;
  }

  /** Gives back what was charged. */
  release(bytes: number): void {
    this.held -= bytes;
    this.#budget.held -= bytes;
    this.#budget.freed();
  }

  /** `waiter` is called once, when there may be room; those of a network in turn. */
  waitFor(waiter: MemoryWaiter): void {
    this.#waiting.add(waiter);
  }

  /** It waits no more. */
  forget(waiter: MemoryWaiter): void {
    this.#waiting.delete(waiter);
  }

  /** From the budget: lets those that wait ask again, one after the other, as long as there is room. */
  wake(): void {
    // Who waits again comes last, and is not called twice.
    for (let left = this.#waiting.size; left > 0 && this.room > 0; left--) {
      const [first] = this.#waiting;
      this.#waiting.delete(first);
      first.onMemory();
    }
  }
}

/** Of a thread whose server has none of its own. */
export const THREAD_MEMORY = new MemoryBudget(defaultClientMemory());
