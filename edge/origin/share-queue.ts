/**
 * The queue of requests that wait for a share of the connections to an origin. Sites and client
 * networks have shares of them (`Shares`). Queued requests of networks take turns. Visitors of one
 * network share what it has by connection and by age: when it is used up, requests give way.
 */
import { FairLine } from '../../core/base/fair-queue.ts';
import type { Call } from './call.ts';
import type { Carrier } from './carrier.ts';
import { Shares } from './limits.ts';
import { OriginError } from './origin.ts';

/** Weight of a site's share (`Shares`): a single site can use seven eighths of the capacity. */
const SITE_WEIGHT = 7;

/** Maximum requests of a network that give way in a tick. */
const MAX_YIELDING = 32;

/** The shares and the number of queued requests of all origins of a client. */
export class TotalShares {
  readonly networks: Shares;
  readonly sites: Shares;
  queued = 0;

  /** `connections`: maximum to all origins. */
  constructor(connections: number) {
    this.networks = new Shares(connections);
    this.sites = new Shares(connections, SITE_WEIGHT);
  }
}

export class ShareQueue {
  readonly #line = new FairLine<Call>();
  readonly #networks: Shares;
  readonly #sites: Shares;
  /** Queued requests by network. */
  readonly #queued: Shares;

  /** `connections` and `waiting`: limits of one origin. */
  constructor(
    connections: number,
    waiting: number,
    private readonly total: TotalShares,
  ) {
    this.#networks = new Shares(connections);
    this.#sites = new Shares(connections, SITE_WEIGHT);
    this.#queued = new Shares(waiting);
  }

  get size(): number {
    return this.#line.size;
  }

  /** Whether the request has a share, and none of its network is queued. */
  mayStart({ request: { client, site } }: Call): boolean {
    const isFirst = this.#line.size === 0 || !this.#line.hasItemOf(ownerOf(client, site));
    return isFirst && this.#hasShare(client, site);
  }

  /** Takes the shares of a request that starts. `release` must follow. */
  take({ request: { client, site } }: Call): void {
    this.#networks.take(client);
    if (site !== undefined) {
      this.#sites.take(site);
      this.total.sites.take(site);
    }
    if (client !== undefined) this.total.networks.take(client);
  }

  release({ request: { client, site } }: Call): void {
    this.#networks.giveBack(client);
    if (site !== undefined) {
      this.#sites.giveBack(site);
      this.total.sites.giveBack(site);
    }
    if (client !== undefined) this.total.networks.giveBack(client);
  }

  /** Whether the network of the request may queue it. Another one may give its place to it. */
  hasRoom(call: Call): boolean {
    const { client, site } = call.request;
    if (this.#queued.hasRoom(client)) return true;
    const found = queuedToYield([...this.#line.itemsOf(ownerOf(client, site))], call);
    if (found === null) return false;
    this.remove(found);
    found.fail(gaveWay());
    return true;
  }

  put(call: Call): void {
    const { client, site } = call.request;
    this.#queued.take(client);
    this.total.queued++;
    this.#line.put(call, ownerOf(client, site));
  }

  /** False: the request is not queued. */
  remove(call: Call): boolean {
    const isQueued = this.#line.remove(call);
    if (isQueued) this.#left(call);
    return isQueued;
  }

  /** Removes and returns the next request that has a share; undefined: none has. */
  next(): Call | undefined {
    if (this.#line.size === 0) return undefined;
    const call = this.#line.take((owner) => this.#hasShare(...partsOf(owner)));
    if (call !== undefined) this.#left(call);
    return call;
  }

  /** Removes and returns the requests whose deadline has passed. `now`: of the clock. */
  expired(now: number): Call[] {
    const calls = this.#line.takeWhile(({ deadline }) => deadline <= now);
    for (const call of calls) this.#left(call);
    return calls;
  }

  /**
   * Removes queued requests that get the place of others of their network, and calls `replace` with
   * the carrier of each of these.
   */
  yieldPlaces(carriers: Iterable<Carrier>, now: number, replace: (carrier: Carrier, call: Call) => void): void {
    for (const owner of this.#line.owners())
      for (let i = 0; i < MAX_YIELDING && this.#line.hasItemOf(owner); i++) {
        const found = yielding([...this.#line.itemsOf(owner)], carriers, now);
        if (found === null) break;
        this.remove(found.call);
        replace(found.carrier, found.call);
      }
  }

  #left(call: Call): void {
    this.#queued.giveBack(call.request.client);
    this.total.queued--;
  }

  #hasShare(network: string | undefined, site: string | undefined): boolean {
    if (site !== undefined && !(this.#sites.hasRoom(site) && this.total.sites.hasRoom(site))) return false;
    // Across all origins only the network's share is checked. `makeRoom` enforces the limit of each
    // origin.
    return this.#networks.hasRoom(network) && (network === undefined || this.total.networks.hasRoom(network));
  }
}

export const gaveWay = (): OriginError => new OriginError('busy', 'the request gave way to another one of its network');

/** The key of the fair line: networks of a site take turns. */
const ownerOf = (network = '', site = ''): string => `${network} ${site}`;

function partsOf(owner: string): [network: string | undefined, site: string | undefined] {
  const [network, site] = owner.split(' ');
  return [network === '' ? undefined : network, site === '' ? undefined : site];
}

/** Milliseconds after which a request gives way, if its visitor's connection has the most. */
const FAIR_AFTER_MS = 500;
/** Milliseconds after which it does in any case. */
const OLD_AFTER_MS = 30_000;

/** Requests by connection of the visitor. */
class Counts {
  readonly #counts = new Map<object | undefined, number>();

  add({ request: { visitor } }: Call): void {
    this.#counts.set(visitor, this.of(visitor) + 1);
  }

  of(visitor: object | undefined): number {
    return this.#counts.get(visitor) ?? 0;
  }
}

/** A request that gets the place of another one. */
interface Yielding {
  readonly call: Call;
  readonly carrier: Carrier;
}

/**
 * The request that gets a connection next, among queued ones of one network and site: the first on
 * the visitor's connection that has the fewest. And the request that gives way to it: the oldest on
 * the connection that has the most. Null: none has to. `now`: of the clock.
 */
export function yielding(queued: readonly Call[], carriers: Iterable<Carrier>, now: number): Yielding | null {
  const [first] = queued;
  const { client, site } = first.request;
  const counts = new Counts();
  const rivals: Carrier[] = [];
  for (const carrier of carriers) {
    const request = carrier.carried?.request;
    if (request === undefined || request.client !== client || request.site !== site) continue;
    rivals.push(carrier);
    counts.add(carrier.carried!);
  }
  const waiting = new Counts();
  for (const other of queued) waiting.add(other);
  const requestsOf = ({ request: { visitor } }: Call): number => waiting.of(visitor) + counts.of(visitor);
  let call = first;
  for (const other of queued) if (requestsOf(other) < requestsOf(call)) call = other;
  const fair = counts.of(call.request.visitor) + 1;
  let found: Carrier | null = null;
  let most = 0;
  for (const carrier of rivals) {
    const { request, sentAt } = carrier.carried!;
    const count = counts.of(request.visitor);
    if (now - sentAt <= (count > fair ? FAIR_AFTER_MS : OLD_AFTER_MS)) continue;
    if (count < most || (count === most && sentAt >= (found?.carried?.sentAt ?? Number.POSITIVE_INFINITY))) continue;
    found = carrier;
    most = count;
  }
  return found === null ? null : { call, carrier: found };
}

/**
 * The queued request that gives its place in the queue to `call`: the last one on the visitor's
 * connection that has the most. Null: none has to.
 */
export function queuedToYield(queued: readonly Call[], call: Call): Call | null {
  const counts = new Counts();
  for (const other of queued) counts.add(other);
  let found: Call | null = null;
  let most = counts.of(call.request.visitor) + 2;
  for (const other of queued) {
    const count = counts.of(other.request.visitor);
    if (count < most) continue;
    found = other;
    most = count;
  }
  return found;
}
