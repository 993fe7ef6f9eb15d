/**
 * Lets the requests of each site begin at its fair rate (fair-rates.ts), and within its limits. A
 * request that has to wait takes its turn among the client networks of its site, so that a flood
 * from few networks does not delay the site's other visitors for long.
 */
import { FairQueue } from '../../core/base/fair-queue.ts';
import type { SiteLimits } from '../../core/site-protection/compile.ts';
import type { Exchange } from '../http/exchange/exchange.ts';
import type { ErrorPage } from '../proxy/error-page.ts';
import type { Proxy as ServeSite } from '../proxy/proxy.ts';
import type { Site } from '../sites/site.ts';
import { BYTES_OF_COST, FairRates, SiteRate } from './fair-rates.ts';
import { InFlight } from './in-flight.ts';
import { SITE_BUSY, SITE_LIMIT } from './pages.ts';
import { TokenBucket } from './token-bucket.ts';

/** Milliseconds. */
const WINDOW_MS = 25;
const MAX_WAIT_MS = 10_000;
/** Windows between two looks for requests that ended unseen. */
const SWEEP_WINDOWS = 40;
/** Requests that begin before others' bytes are read again. */
const BATCH = 4;
/** Requests of a site that wait on a thread. Each also holds memory of its client and site. */
const MAX_WAITING = 10_000;
/** A site may have so many times as many requests in flight as are left over. */
const WEIGHT = 3;
/** Requests per second that are measured follow a change within some seconds. */
const HELD_MS = 60_000;

/** The thread's time; tests have their own. */
export interface ThreadTime {
  /** Milliseconds. */
  now(): number;
  /** The part of the time since the last call in which the thread worked, 0 to 1. */
  busy(): number;
  /** Calls `run` after `ms`; 0: after what has arrived was read. */
  later(ms: number, run: () => void): void;
}

export interface SiteTurnsOptions {
  readonly serve: ServeSite;
  /** Sends a page in place of the site's response. */
  refuse(exchange: Exchange, site: Site, page: ErrorPage): void;
  /**
   * Whether a request was answered by a challenge. `isPressed`: the site gets more requests than
   * its document has as `above`, or more than its share.
   */
  challenge?(exchange: Exchange, site: Site, isPressed: boolean): boolean;
  networkOf(exchange: Exchange): string;
  /** Requests of all sites in flight on this thread. */
  readonly maxInFlight: number;
  /** Threads among which a limit for the node is divided. */
  readonly threads: number;
  /** False: sites are held to their own limits only. */
  readonly isFair: boolean;
  readonly time: ThreadTime;
}

interface Turn {
  readonly exchange: Exchange;
  readonly site: Site;
  readonly since: number;
  resolve(done: void | Promise<void>): void;
  reject(error: unknown): void;
}

class SiteState extends SiteRate {
  readonly queue = new FairQueue<Turn>();
  readonly inFlight = new InFlight();
  /** Of the site's own limits, made for `limits`. */
  requestBucket: TokenBucket | null = null;
  connectionBucket: TokenBucket | null = null;
  limits: SiteLimits | null = null;
  /** Until when the site counts as pressed. */
  pressedUntil = 0;

  override get isIdle(): boolean {
    return this.queue.size === 0 && this.inFlight.size === 0;
  }
}

export class SiteTurns {
  readonly #options: SiteTurnsOptions;
  readonly #rates = new FairRates<SiteState>((now) => new SiteState(now));
  readonly #waiting = new Set<SiteState>();
  #inFlight = 0;
  #windows = 0;
  #isWindowOpen = false;
  #isDrainDue = false;

  constructor(options: SiteTurnsOptions) {
    this.#options = options;
  }

  readonly serve: ServeSite = (exchange, site) => {
    const { time, refuse, networkOf } = this.#options;
    const now = time.now();
    const state = this.#rates.of(site.domainId, now);
    if (!this.#isWindowOpen) this.#openWindow(now);
    state.requests++;
    const limits = site.documents?.protection?.limits ?? null;
    if (limits !== null && !this.#isWithin(state, limits, now)) {
      refuse(exchange, site, SITE_LIMIT);
      return;
    }
    if (state.waiting === 0 && state.takeTurn(now)) return this.#begin(state, exchange, site, now);
    if (state.waiting >= MAX_WAITING) {
      refuse(exchange, site, SITE_BUSY);
      return;
    }
    return new Promise<void>((resolve, reject) => {
      state.queue.put({ exchange, site, since: now, resolve, reject }, networkOf(exchange));
      state.waiting++;
      this.#waiting.add(state);
      this.#drainLater(1);
    });
  };

  /** An exchange has ended, of which so many bytes were sent. */
  ended(exchange: Exchange, domainId: string, bytes: number): void {
    const state = this.#rates.find(domainId);
    if (state === undefined) return;
    state.charge(bytes / BYTES_OF_COST);
    if (state.inFlight.remove(exchange)) this.#inFlight--;
  }

  /** Milliseconds until a site may begin a TLS handshake. Infinity: it must not. */
  takeHandshake(domainId: string, limits: SiteLimits | null): number {
    const now = this.#options.time.now();
    const state = this.#rates.of(domainId, now);
    if (!this.#isWindowOpen) this.#openWindow(now);
    if (limits !== null) {
      this.#useLimits(state, limits, now);
      if (state.connectionBucket?.take(now) === false) return Number.POSITIVE_INFINITY;
    }
    return state.takeHandshake(now);
  }

  /** Whether a request of any site waits. */
  get isWaiting(): boolean {
    return this.#waiting.size > 0;
  }

  /** Requests of a site that wait. */
  waitingOf(domainId: string): number {
    return this.#rates.sites.get(domainId)?.waiting ?? 0;
  }

  #begin(state: SiteState, exchange: Exchange, site: Site, now: number): void | Promise<void> {
    const { serve, refuse, challenge, maxInFlight, threads } = this.#options;
    const protection = site.documents?.protection ?? null;
    const held = state.inFlight.size;
    const own = protection === null ? Number.POSITIVE_INFINITY : protection.limits.requestsInFlight;
    if (held >= WEIGHT * (maxInFlight - this.#inFlight) || held >= Math.max(1, own / threads)) {
      refuse(exchange, site, SITE_BUSY);
      return;
    }
    if (protection !== null && protection.challenge.mode !== 'off') {
      const isAbove = state.requestRate * threads > protection.challenge.above;
      if (isAbove || state.isLimited) state.pressedUntil = now + HELD_MS;
      if (challenge?.(exchange, site, now < state.pressedUntil)) return;
    }
    const done = serve(exchange, site);
    if (!exchange.isEnded) {
      state.inFlight.add(exchange);
      this.#inFlight++;
    }
    return done;
  }

  #isWithin(state: SiteState, limits: SiteLimits, now: number): boolean {
    this.#useLimits(state, limits, now);
    return state.requestBucket === null || state.requestBucket.take(now);
  }

  #useLimits(state: SiteState, limits: SiteLimits, now: number): void {
    if (state.limits === limits) return;
    const { threads } = this.#options;
    const bucketOf = (rate: number): TokenBucket | null =>
      rate === Number.POSITIVE_INFINITY ? null : new TokenBucket(rate / threads, now);
    state.limits = limits;
    state.requestBucket = bucketOf(limits.requestsPerSecond);
    state.connectionBucket = bucketOf(limits.newConnectionsPerSecond);
  }

  // Turns.

  #drainLater(ms: number): void {
    if (this.#isDrainDue) return;
    this.#isDrainDue = true;
    this.#options.time.later(ms, this.#drain);
  }

  readonly #drain = (): void => {
    this.#isDrainDue = false;
    const now = this.#options.time.now();
    let begun = 0;
    // One of each site, as long as one may begin.
    for (let before = -1; begun < BATCH && begun !== before; ) {
      before = begun;
      for (const state of [...this.#waiting]) {
        if (begun === BATCH || !state.takeTurn(now)) continue;
        begun++;
        this.#beginNext(state, now);
        // Last in the order, so that the others come first the next time.
        this.#waiting.delete(state);
        if (state.waiting > 0) this.#waiting.add(state);
      }
    }
    if (this.#waiting.size > 0) this.#drainLater(begun === BATCH ? 0 : 1);
  };

  #beginNext(state: SiteState, now: number): void {
    const turn = state.queue.take();
    if (turn === undefined) return;
    state.waiting--;
    const { exchange, site } = turn;
    // The visitor has gone: nothing is left to do, and the turn was charged little.
    if (exchange.isEnded) {
      turn.resolve();
      return;
    }
    try {
      turn.resolve(this.#begin(state, exchange, site, now));
    } catch (error) {
      turn.reject(error);
    }
  }

  // Windows.

  #openWindow(now: number): void {
    const { time } = this.#options;
    this.#isWindowOpen = true;
    this.#rates.beginWindow(now);
    time.busy();
    time.later(WINDOW_MS, this.#endWindow);
  }

  readonly #endWindow = (): void => {
    const { time, isFair } = this.#options;
    const now = time.now();
    const busy = time.busy();
    const isActive = this.#rates.endWindow(now, isFair ? busy : 0);
    if (this.#waiting.size > 0) this.#expire(now);
    if (++this.#windows % SWEEP_WINDOWS === 0) this.#sweep();
    if (isActive || this.#waiting.size > 0) time.later(WINDOW_MS, this.#endWindow);
    else this.#isWindowOpen = false;
  };

  #expire(now: number): void {
    for (const state of this.#waiting)
      for (const { exchange, site, resolve } of state.queue.takeWhile(({ since }) => now - since > MAX_WAIT_MS)) {
        state.waiting--;
        if (!exchange.isEnded) this.#options.refuse(exchange, site, SITE_BUSY);
        resolve();
      }
  }

  #sweep(): void {
    for (const { inFlight } of this.#rates.sites.values()) this.#inFlight -= inFlight.sweep();
  }
}
