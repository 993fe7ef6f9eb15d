/** How many connections there are, in all and for each client. */
import { clientNetwork } from '../../core/address/ipv6.ts';
import { type Census, loadCensus } from '../../core/os/accepted-connections.ts';
import type { ConnectionLimits } from './transport.ts';

/** For a transport that knows whose connection ends. */
export class ConnectionCount {
  readonly #limits: ConnectionLimits;
  readonly #clients = new Map<string, number>();
  #total = 0;

  constructor(limits: ConnectionLimits) {
    this.#limits = limits;
  }

  /** What is to be called once when the connection ends; undefined when it is one too many. */
  enter(address: string): (() => void) | undefined {
    const client = clientNetwork(address);
    const count = this.#clients.get(client) ?? 0;
    if (this.#total >= this.#limits.total || count >= this.#limits.perAddress) return undefined;
    this.#total++;
    this.#clients.set(client, count + 1);
    return () => {
      this.#total--;
      const left = (this.#clients.get(client) ?? 1) - 1;
      if (left === 0) this.#clients.delete(client);
      else this.#clients.set(client, left);
    };
  }
}

/** Of the time, the share that may go into asking the system. */
const SHARE = 1 / 20;

/**
 * For a transport that is told of an end, but not of whose. The total is exact; as long as it is within what one client may have, nothing else need be
 * known. Beyond, the system is asked, and what came since is added: too much as a rule, so a client is refused only after asking
 * anew, or while that would cost too much.
 */
export class AnonymousConnectionCount {
  readonly #limits: ConnectionLimits;
  readonly #census: Census;
  readonly #clients = new Map<string, number>();
  #port = 0;
  #total = 0;
  #next = 0;

  constructor(limits: ConnectionLimits, census: Census = loadCensus()) {
    this.#limits = limits;
    this.#census = census;
  }

  get total(): number {
    return this.#total;
  }

  listensOn(port: number): void {
    this.#port = port;
  }

  /** False when the connection is one too many; it counts until it is closed nevertheless. */
  opened(address: string): boolean {
    const client = clientNetwork(address);
    this.#total++;
    this.#clients.set(client, (this.#clients.get(client) ?? 0) + 1);
    if (this.#total > this.#limits.total) return false;
    if (this.#total <= this.#limits.perAddress || this.#within(client)) return true;
    return this.#ask() ? this.#within(client) : false;
  }

  closed(): void {
    this.#total--;
    if (this.#total === 0) this.#clients.clear();
  }

  #within(client: string): boolean {
    return (this.#clients.get(client) ?? 0) <= this.#limits.perAddress;
  }

  /** False when it was asked only just before. */
  #ask(): boolean {
    const begin = performance.now();
    if (begin < this.#next) return false;
    const addresses = this.#census(this.#port);
    const end = performance.now();
    this.#next = end + (end - begin) / SHARE;
    this.#clients.clear();
    for (const address of addresses ?? []) {
      const client = clientNetwork(address);
      this.#clients.set(client, (this.#clients.get(client) ?? 0) + 1);
    }
    return true;
  }
}
