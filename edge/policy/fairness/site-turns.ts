/**
 * Starts the requests of each site within its limits and its share of each turn of the thread
 * (thread-turns.ts). Requests that exceed the share are queued fairly by client network. A flood
 * from few networks therefore hardly delays the site's other visitors.
 */
import { performance } from 'node:perf_hooks';
import { FairLine, type InLine } from '../../../core/base/fair-queue.ts';
import { TokenBucket } from '../../../core/base/token-bucket.ts';
import type { SiteLimits } from '../../../core/site/protection/compile.ts';
import type { Exchange } from '../../http/exchange/exchange.ts';
import { Pending } from '../../http/exchange/pending.ts';
import { WAITING_COST } from '../../http/transport/flusher.ts';
import type { ErrorPage } from '../../sites/error-page.ts';
import type { ServeSite, Site } from '../../sites/site.ts';
import { SiteShare, ThreadTurns, type TurningLoop } from './thread-turns.ts';

/**
 * Exchanges in flight. Each stores its index in the list, so removal needs no search and no hash.
 */
class InFlight {
  readonly #exchanges: Exchange[] = [];

  get size(): number {
    return this.#exchanges.length;
  }

  /** An exchange must be in at most one list. */
  add(exchange: Exchange): void {
    exchange.inFlightAt = this.#exchanges.push(exchange) - 1;
  }

  /** Returns whether the exchange was in the list. */
  remove(exchange: Exchange): boolean {
    const at = exchange.inFlightAt;
    if (at < 0 || this.#exchanges[at] !== exchange) return false;
    const last = this.#exchanges.pop()!;
    if (last !== exchange) {
      this.#exchanges[at] = last;
      last.inFlightAt = at;
    }
    exchange.inFlightAt = -1;
    return true;
  }

  /** Removes ended exchanges and returns their number. */
  sweep(): number {
    const before = this.#exchanges.length;
    // Backwards, because `remove` moves the last exchange, already checked, to the free index.
    for (let i = before - 1; i >= 0; i--) if (this.#exchanges[i].isEnded) this.remove(this.#exchanges[i]);
    return before - this.#exchanges.length;
  }
}

/** Error pages for a site that has used its share or reached its own limit. */
const SITE_BUSY: ErrorPage = {
  status: 503,
  code: 'site_busy',
  title: 'This site is busy',
  visitor: 'It gets more requests than its share of the server. Please try again in half a minute.',
  owner: 'Other sites of the server are served meanwhile. If this is an attack, switch on the challenge of the domain.',
  headers: ['retry-after', '30'],
};

const SITE_LIMIT: ErrorPage = {
  status: 503,
  code: 'site_limit',
  title: 'This site is busy',
  visitor: 'It gets more requests than its owner allows. Please try again in a few seconds.',
  owner: 'The limits of the domain (proxy/protection) are met.',
  headers: ['retry-after', '5'],
};

/** Milliseconds between two sweeps of ended exchanges and expired requests. */
const TIDY_MS = 1000;
const MAX_WAIT_MS = 10_000;
/** Milliseconds after its last request for which a site counts as active. */
const ACTIVE_MS = 10_000;
/**
 * Maximum queued requests of a site on a thread. Each also holds memory of its client and site.
 */
const MAX_WAITING = 10_000;
/** A site may have this many times as many requests in flight as the thread has free. */
const WEIGHT = 3;
/** Milliseconds for which a site is challenged after it exceeded its request rate. */
const PRESSED_MS = 60_000;

/** Clock and timers. Tests replace them. */
interface ThreadTime {
  /** Milliseconds. */
  now(): number;
  later(ms: number, run: () => void): void;
}

const THREAD_TIME: ThreadTime = {
  now: () => performance.now(),
  later: (ms, run) => void setTimeout(run, ms).unref(),
};

export interface SiteTurnsOptions {
  readonly serve: ServeSite;
  /** Sends an error page instead of the response of the site. */
  refuse(exchange: Exchange, site: Site, page: ErrorPage): void;
  /**
   * Sends a challenge if the request needs one, and returns whether it did. `isPressed`: the site's
   * request rate recently exceeded `above` of its document.
   */
  challenge?(exchange: Exchange, site: Site, isPressed: boolean): boolean;
  networkOf(exchange: Exchange): string;
  /** Maximum requests in flight on this thread, of all sites. */
  readonly maxInFlight: number;
  /** Number of threads. Limits of a site apply to all of them together. */
  readonly threads: number;
  /** Null: the thread has only Node's event loop. */
  readonly loop: TurningLoop | null;
  readonly time?: ThreadTime;
}

/** A queued request. Settles when its response has been sent. */
class Waiting extends Pending implements InLine {
  line: object | null = null;
  before: InLine | null = null;
  after: InLine | null = null;

  constructor(
    readonly exchange: Exchange,
    readonly site: Site,
    readonly since: number,
  ) {
    super();
  }

  begin(serve: () => void | Promise<void>): void {
    try {
      this.endWith(serve());
    } catch (error) {
      this.onFailed(error);
    }
  }
}

class SiteState {
  readonly share: SiteShare;
  readonly queue = new FairLine<Waiting>();
  readonly inFlight = new InFlight();
  /** Connections with a share of turns. */
  connections = 0;
  lastActive: number;
  /** Token buckets of the limits in `limits`. */
  requestBucket: TokenBucket | null = null;
  connectionBucket: TokenBucket | null = null;
  limits: SiteLimits | null = null;
  /** Requests since the last sweep, and their rate per second in the interval before it. */
  requests = 0;
  requestRate = 0;
  /** Time until which visitors are challenged because of the request rate. */
  pressedUntil = 0;

  constructor(turns: ThreadTurns, now: number) {
    this.share = new SiteShare(turns);
    this.lastActive = now;
  }

  isForgotten(now: number): boolean {
    if (now - this.lastActive < ACTIVE_MS) return false;
    return this.connections === 0 && this.queue.size === 0 && this.inFlight.size === 0;
  }
}

export class SiteTurns {
  readonly #time: ThreadTime;
  readonly #turns: ThreadTurns;
  readonly #sites = new Map<string, SiteState>();
  /** The site of the previous request. Consecutive requests are often for the same site. */
  #lastName = '';
  #last: SiteState | null = null;
  /** Sites with queued requests. */
  readonly #waiting = new Set<SiteState>();
  #inFlight = 0;
  /** Time of the last request whose site differs from that of the previous request. */
  #changedAt = 0;
  #tidiedAt = 0;
  #isTidyDue = false;

  constructor(private readonly options: SiteTurnsOptions) {
    this.#time = options.time ?? THREAD_TIME;
    this.#turns = new ThreadTurns(options.loop);
    this.#turns.onTurn = () => {
      if (this.#waiting.size > 0) this.#beginWaiting();
    };
  }

  readonly serve: ServeSite = (exchange, site) => {
    const { refuse, networkOf } = this.options;
    const now = this.#time.now();
    const state = this.#activeSite(site.domainId, now);
    state.requests++;
    const limits = site.documents?.protection?.limits ?? null;
    if (limits !== null && !this.#isWithin(state, limits, now)) {
      refuse(exchange, site, SITE_LIMIT);
      return;
    }
    if (state.queue.size === 0 && !state.share.isSpent) return this.#begin(state, exchange, site, now);
    if (state.queue.size >= MAX_WAITING) {
      refuse(exchange, site, SITE_BUSY);
      return;
    }
    const waiting = new Waiting(exchange, site, now);
    state.queue.put(waiting, networkOf(exchange));
    this.#waiting.add(state);
    return waiting;
  };

  /** Must be called when an exchange has ended. */
  ended(exchange: Exchange, domainId: string): void {
    if (this.#find(domainId)?.inFlight.remove(exchange)) this.#inFlight--;
  }

  /** Whether a new connection is within the site's limit of new connections per second. */
  takesConnection(domainId: string, limits: SiteLimits | null): boolean {
    if (limits === null) return true;
    const now = this.#time.now();
    const state = this.#activeSite(domainId, now);
    this.#useLimits(state, limits, now);
    return state.connectionBucket === null || state.connectionBucket.take(now);
  }

  /** The site has half of its requests in flight, or some wait for their turn. */
  isPressed(domainId: string, limits: SiteLimits | null): boolean {
    const state = this.#find(domainId);
    if (state === null) return false;
    const { maxInFlight, threads } = this.options;
    const own = limits === null ? Number.POSITIVE_INFINITY : Math.max(1, limits.requestsInFlight / threads);
    return state.queue.size > 0 || 2 * state.inFlight.size >= Math.min(own, WEIGHT * (maxInFlight - this.#inFlight));
  }

  /** Counts a new connection; `leave` must follow. */
  enter(domainId: string): SiteShare {
    const state = this.#activeSite(domainId, this.#time.now());
    state.connections++;
    return state.share;
  }

  leave(domainId: string): void {
    const state = this.#find(domainId);
    if (state !== null) state.connections--;
  }

  /** Whether any site has queued requests. */
  get isWaiting(): boolean {
    return this.#waiting.size > 0;
  }

  /** The number of queued requests of a site. */
  waitingOf(domainId: string): number {
    return this.#find(domainId)?.queue.size ?? 0;
  }

  #find(domainId: string): SiteState | null {
    if (this.#last !== null && domainId === this.#lastName) return this.#last;
    return this.#sites.get(domainId) ?? null;
  }

  #activeSite(domainId: string, now: number): SiteState {
    let state = this.#last;
    if (state === null || domainId !== this.#lastName) {
      state = this.#sites.get(domainId) ?? new SiteState(this.#turns, now);
      this.#sites.set(domainId, state);
      if (this.#last !== null) {
        this.#changedAt = now;
        this.#turns.isContended = true;
      }
      this.#last = state;
      this.#lastName = domainId;
    }
    state.lastActive = now;
    if (!this.#isTidyDue) this.#tidyLater(now);
    return state;
  }

  #begin(state: SiteState, exchange: Exchange, site: Site, now: number): void | Promise<void> {
    const { serve, refuse, challenge, maxInFlight, threads } = this.options;
    state.share.spend(1);
    const protection = site.documents?.protection ?? null;
    const held = state.inFlight.size;
    const own = protection === null ? Number.POSITIVE_INFINITY : protection.limits.requestsInFlight;
    if (held >= WEIGHT * (maxInFlight - this.#inFlight) || held >= Math.max(1, own / threads)) {
      refuse(exchange, site, SITE_BUSY);
      return;
    }
    if (protection !== null && protection.challenge.mode !== 'off') {
      if (state.requestRate * threads > protection.challenge.above) state.pressedUntil = now + PRESSED_MS;
      if (challenge?.(exchange, site, now < state.pressedUntil)) return;
    }
    const done = serve(exchange, site);
    if (!exchange.isEnded) {
      state.inFlight.add(exchange);
      this.#inFlight++;
      state.share.spend(WAITING_COST);
    }
    return done;
  }

  #isWithin(state: SiteState, limits: SiteLimits, now: number): boolean {
    this.#useLimits(state, limits, now);
    return state.requestBucket === null || state.requestBucket.take(now);
  }

  #useLimits(state: SiteState, limits: SiteLimits, now: number): void {
    if (state.limits === limits) return;
    const { threads } = this.options;
    const bucketOf = (rate: number): TokenBucket | null =>
      rate === Number.POSITIVE_INFINITY ? null : secondOf(rate / threads, now);
    state.limits = limits;
    state.requestBucket = bucketOf(limits.requestsPerSecond);
    state.connectionBucket = bucketOf(limits.newConnectionsPerSecond);
  }

  // Queued requests.

  /** Runs at the start of each turn. */
  #beginWaiting(): void {
    const now = this.#time.now();
    for (const state of this.#waiting) {
      while (state.queue.size > 0 && !state.share.isSpent) this.#beginNext(state, now);
      if (state.queue.size === 0) this.#waiting.delete(state);
    }
  }

  #beginNext(state: SiteState, now: number): void {
    const waiting = state.queue.take()!;
    const { exchange, site } = waiting;
    // The visitor has disconnected.
    if (exchange.isEnded) waiting.onDone();
    else waiting.begin(() => this.#begin(state, exchange, site, now));
  }

  // Background task.

  #tidyLater(now: number): void {
    this.#isTidyDue = true;
    this.#tidiedAt = now;
    this.#time.later(TIDY_MS, this.#tidy);
  }

  readonly #tidy = (): void => {
    const now = this.#time.now();
    const elapsed = Math.max(1, now - this.#tidiedAt);
    for (const [name, state] of this.#sites) {
      this.#inFlight -= state.inFlight.sweep();
      this.#expire(state, now);
      state.requestRate = (state.requests * 1000) / elapsed;
      state.requests = 0;
      if (!state.isForgotten(now)) continue;
      this.#sites.delete(name);
      if (this.#last === state) this.#last = null;
    }
    if (now - this.#changedAt > ACTIVE_MS) this.#turns.isContended = false;
    this.#isTidyDue = false;
    if (this.#sites.size > 0) this.#tidyLater(now);
  };

  #expire(state: SiteState, now: number): void {
    for (const waiting of state.queue.takeWhile(({ since }) => now - since > MAX_WAIT_MS)) {
      const { exchange, site } = waiting;
      if (!exchange.isEnded) this.options.refuse(exchange, site, SITE_BUSY);
      waiting.onDone();
    }
  }
}

/** Allows a burst of one second of the rate, and of at least one token. */
const secondOf = (perSecond: number, now: number): TokenBucket =>
  new TokenBucket({ burst: Math.max(1, perSecond), perSecond }, now);
