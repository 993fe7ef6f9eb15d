/**
 * A thread of the edge whose time is simulated: it handles what arrived in order, each request for
 * `serviceMs`, and between two rounds what is due by its timers. Clients of a flood send the next
 * request as soon as they have a response.
 */
import { SiteTurns, type SiteTurnsOptions } from '../../../edge/fairness/site-turns.ts';
import type { Exchange } from '../../../edge/http/exchange/exchange.ts';
import type { ErrorPage } from '../../../edge/proxy/error-page.ts';
import type { Site } from '../../../edge/sites/site.ts';

export interface Visit {
  readonly site: string;
  readonly at: number;
  readonly network: string;
  /** Called with the time when it was answered. */
  readonly onAnswer?: (at: number, page: ErrorPage | null) => void;
  /** Requests stay in flight until this is called; omitted: they end at once. */
  readonly onBegin?: (end: () => void) => void;
}

export class SimulatedThread {
  now = 0;
  readonly turns: SiteTurns;
  readonly begun: string[] = [];
  readonly #serviceMs: number;
  #worked = 0;
  #workedBefore = 0;
  #lookedAt = 0;
  #arrived: (() => void)[] = [];
  #soon: (() => void)[] = [];
  #timers: { readonly at: number; readonly run: () => void }[] = [];

  constructor(serviceMs: number, options: Partial<SiteTurnsOptions> = {}) {
    this.#serviceMs = serviceMs;
    this.turns = new SiteTurns({
      serve: (exchange, site) => this.#serve(exchange, site),
      refuse: (exchange, _, page) => this.#answered(exchange, page),
      networkOf: (exchange) => exchange.client.address,
      maxInFlight: 1000,
      threads: 1,
      isFair: true,
      time: {
        now: () => this.now,
        busy: () => this.#busy(),
        later: (ms, run) => {
          if (ms === 0) this.#soon.push(run);
          else this.#timers.push({ at: this.now + ms, run });
        },
      },
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
    this.at(visit.at, () => this.#arrived.push(() => void this.turns.serve(exchange, whole)));
  }

  at(at: number, run: () => void): void {
    this.#timers.push({ at, run });
  }

  /** The thread works for `ms` on something else. */
  work(ms: number): void {
    this.now += ms;
    this.#worked += ms;
  }

  run(until: number): void {
    while (this.now < until) {
      const due = this.#timers.filter(({ at }) => at <= this.now).sort((a, b) => a.at - b.at);
      this.#timers = this.#timers.filter(({ at }) => at > this.now);
      for (const { run } of due) run();
      const arrived = this.#arrived;
      this.#arrived = [];
      for (const handle of arrived) handle();
      const soon = this.#soon;
      this.#soon = [];
      for (const run of soon) run();
      const isIdle = this.#arrived.length === 0 && this.#soon.length === 0;
      if (isIdle) this.now = Math.max(this.now, Math.min(until, ...this.#timers.map(({ at }) => at)));
    }
  }

  #serve(exchange: Exchange, site: Site): void {
    this.work(this.#serviceMs);
    this.begun.push(site.domainId);
    const { visit } = exchange as unknown as { readonly visit: Visit };
    const end = (): void => {
      Object.assign(exchange, { isEnded: true });
      this.turns.ended(exchange, site.domainId, 0);
      this.#answered(exchange, null);
    };
    if (visit.onBegin === undefined) end();
    else visit.onBegin(end);
  }

  #answered(exchange: Exchange, page: ErrorPage | null): void {
    Object.assign(exchange, { isEnded: true });
    (exchange as unknown as { readonly visit: Visit }).visit.onAnswer?.(this.now, page);
  }

  #busy(): number {
    const [worked, elapsed] = [this.#worked - this.#workedBefore, this.now - this.#lookedAt];
    this.#workedBefore = this.#worked;
    this.#lookedAt = this.now;
    return elapsed <= 0 ? 0 : Math.min(1, worked / elapsed);
  }
}
