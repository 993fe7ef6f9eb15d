/**
 * A thread of the edge whose time is simulated: in each turn it handles what arrived in order, each
 * request for `serviceMs`, and between two turns what is due by its timers.
 */

import type { Exchange } from '../../../../edge/http/exchange/exchange.ts';
import { SiteTurns, type SiteTurnsOptions } from '../../../../edge/policy/fairness/site-turns.ts';
import type { TurningLoop } from '../../../../edge/policy/fairness/thread-turns.ts';
import type { ErrorPage } from '../../../../edge/sites/error-page.ts';
import type { Site } from '../../../../edge/sites/site.ts';

/** A request that begins. */
export interface Begun {
  readonly site: string;
  readonly turn: number;
}

export interface Visit {
  readonly site: string;
  readonly at: number;
  readonly network: string;
  /** Called when it has arrived, before it is handled. */
  readonly onArrival?: () => void;
  /** Called with the time when it was answered. */
  readonly onAnswer?: (at: number, page: ErrorPage | null) => void;
  /** Requests stay in flight until this is called; omitted: they end at once. */
  readonly onBegin?: (end: () => void) => void;
}

export class SimulatedThread {
  now = 0;
  readonly turns: SiteTurns;
  /** In order. */
  readonly begun: Begun[] = [];
  readonly #serviceMs: number;
  readonly #loop: TurningLoop = { onTurn: null };
  #turn = 0;
  /** Requests that have arrived, and were neither begun nor refused. */
  #pending = 0;
  #arrived: (() => void)[] = [];
  #timers: { readonly at: number; readonly run: () => void }[] = [];

  constructor(serviceMs: number, options: Partial<SiteTurnsOptions> = {}) {
    this.#serviceMs = serviceMs;
    this.turns = new SiteTurns({
      serve: (exchange, site) => this.#serve(exchange, site),
      refuse: (exchange, _, page) => {
        // One that has begun may be refused, too, but is not handled then.
        this.#pending--;
        this.#answered(exchange, page);
      },
      networkOf: (exchange) => exchange.client.address,
      maxInFlight: 1000,
      threads: 1,
      loop: this.#loop,
      time: { now: () => this.now, later: (ms, run) => this.at(this.now + ms, run) },
      ...options,
    });
  }

  /** At `visit.at`. */
  arrive(visit: Visit, site: Partial<Site> = {}): void {
    const exchange = {
      client: { address: visit.network },
      isEnded: false,
      inFlightAt: -1,
      visit,
    } as unknown as Exchange;
    const whole = { domainId: visit.site, documents: null, ...site } as Site;
    this.at(visit.at, () => {
      this.#pending++;
      visit.onArrival?.();
      this.#arrived.push(() => void this.turns.serve(exchange, whole));
    });
  }

  at(at: number, run: () => void): void {
    this.#timers.push({ at, run });
  }

  run(until: number): void {
    while (this.now < until) {
      const due = this.#timers.filter(({ at }) => at <= this.now).sort((a, b) => a.at - b.at);
      this.#timers = this.#timers.filter(({ at }) => at > this.now);
      for (const { run } of due) run();
      this.#turn++;
      this.#loop.onTurn?.();
      const arrived = this.#arrived;
      this.#arrived = [];
      for (const handle of arrived) handle();
      if (this.#pending === 0) this.now = Math.max(this.now, Math.min(until, ...this.#timers.map(({ at }) => at)));
    }
  }

  #serve(exchange: Exchange, site: Site): void {
    this.#pending--;
    this.now += this.#serviceMs;
    this.begun.push({ site: site.domainId, turn: this.#turn });
    const { visit } = exchange as unknown as { readonly visit: Visit };
    const end = (): void => {
      Object.assign(exchange, { isEnded: true });
      this.turns.ended(exchange, site.domainId);
      this.#answered(exchange, null);
    };
    if (visit.onBegin === undefined) end();
    else visit.onBegin(end);
  }

  #answered(exchange: Exchange, page: ErrorPage | null): void {
    Object.assign(exchange, { isEnded: true });
    (exchange as unknown as { readonly visit: Visit }).visit.onAnswer?.(this.now, page);
  }
}
