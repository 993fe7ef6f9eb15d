/** Limits on the number of connections, in total and for each client. */
import { clientNetwork } from '../../core/net/address/ipv6.ts';
import { type Census, loadCensus } from '../../core/os/accepted-connections.ts';
import type { ConnectionLimits } from './transport.ts';

const LOOPBACK_IPV6 = clientNetwork('::1');

/**
 * Maximum connections of a client network. Clients on this machine, such as the edge, can use all
 * connections. A quarter is reserved for them.
 */
function mostFor(client: string, total: number): number {
  const isLocal = client.startsWith('127.') || client === LOOPBACK_IPV6;
  return isLocal ? total : total - Math.floor(total / 4);
}

/** For a transport that knows which connection ends. */
export class ConnectionCount {
  readonly #clients = new Map<string, number>();
  #total = 0;

  constructor(private readonly limits: ConnectionLimits) {}

  /** Returns a function to call when the connection ends; undefined when the limit is reached. */
  enter(address: string): (() => void) | undefined {
    const client = clientNetwork(address);
    const count = this.#clients.get(client) ?? 0;
    if (this.#total >= mostFor(client, this.limits.total) || count >= this.limits.perAddress) return undefined;
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

/** Maximum share of time that is spent on listing the connections in the kernel. */
const MAX_LISTING_SHARE = 1 / 20;

/**
 * For a transport that reports the end of a connection, but not which one ended. The total is
 * exact. Up to the limit of one client, the total is enough. Above it, the kernel lists the
 * connections, and later ones are added. The count of a client is therefore an upper bound. A
 * client is rejected only after a new listing, or while a new listing would cost too much.
 */
export class AnonymousConnectionCount {
  readonly #clients = new Map<string, number>();
  #port = 0;
  #total = 0;
  #nextListing = 0;

  constructor(
    private readonly limits: ConnectionLimits,
    private readonly census: Census = loadCensus(),
  ) {}

  get total(): number {
    return this.#total;
  }

  setPort(port: number): void {
    this.#port = port;
  }

  /** False when the limit is exceeded; the connection still counts until it is closed. */
  opened(address: string): boolean {
    const client = clientNetwork(address);
    this.#total++;
    this.#clients.set(client, (this.#clients.get(client) ?? 0) + 1);
    if (this.#total > mostFor(client, this.limits.total)) return false;
    if (this.#total <= this.limits.perAddress || this.#isWithinLimit(client)) return true;
    return this.#listConnections() ? this.#isWithinLimit(client) : false;
  }

  closed(): void {
    this.#total--;
    if (this.#total === 0) this.#clients.clear();
  }

  #isWithinLimit(client: string): boolean {
    return (this.#clients.get(client) ?? 0) <= this.limits.perAddress;
  }

  /** False when the last listing is too recent. */
  #listConnections(): boolean {
    const begin = performance.now();
    if (begin < this.#nextListing) return false;
    const addresses = this.census(this.#port);
    const end = performance.now();
    this.#nextListing = end + (end - begin) / MAX_LISTING_SHARE;
    this.#clients.clear();
    for (const address of addresses ?? []) {
      const client = clientNetwork(address);
      this.#clients.set(client, (this.#clients.get(client) ?? 0) + 1);
    }
    return true;
  }
}
