/**
 * The main thread's side of what a QueryHandler does with each response: rate limit, query log,
 * statistics, dnstap. It owns the memory that the threads share, and writes the query log.
 */
import type { Logger } from '../base/log/index.ts';
import type { Tasks } from '../base/tasks.ts';
import type { TransportName } from '../net/address/client.ts';
import type { SampleRing } from '../observe/statistics/sample-ring.ts';
import type { TapRing } from './dnstap/ring.ts';
import { createQueryLog, type SharedQueryLog } from './query-log.ts';
import { startQueryLog } from './query-log-reader.ts';
import { createRateLimit, type RateLimitOptions, type SharedRateLimit } from './rate-limit.ts';

export interface ModuleOptions {
  /** Rate limit of responses over UDP. If omitted, there is no limit. */
  readonly rateLimit?: RateLimitOptions;
  /** One query in `queryLog` is logged, on average. 0 or omitted: none. */
  readonly queryLog?: number;
  /** For the samples of each thread, and last of DNS over HTTPS. If omitted, there are none. */
  readonly rings?: readonly SampleRing[];
  /** The rings of dnstap, in the same order. If omitted, it is off. */
  readonly taps?: readonly TapRing[];
  readonly tasks: Tasks;
  readonly log: Logger;
}

/** For one thread. */
export interface ModuleData {
  /** Null: no rate limit, as over TCP. */
  readonly rateLimit: SharedRateLimit | null;
  /** Null: no query log. */
  readonly queryLog: SharedQueryLog | null;
  /** Null: no statistics. */
  readonly ring: SampleRing | null;
  /** Null: no dnstap. */
  readonly tap: TapRing | null;
}

export const NO_MODULES: ModuleData = { rateLimit: null, queryLog: null, ring: null, tap: null };

export class QueryModules {
  /** For DNS over HTTPS, which the main thread answers. It has no rate limit. */
  readonly https: ModuleData;
  #threads: readonly ModuleData[];
  readonly #log: { stop(): void };

  /**
   * `transports`: the transport of each thread. Throws InvalidError `invalid_prefix` if an exempt
   * prefix is malformed.
   */
  constructor(
    { rateLimit, queryLog, rings = [], taps = [], tasks, log }: ModuleOptions,
    private readonly transports: readonly TransportName[],
  ) {
    const shared = rateLimit === undefined ? null : createRateLimit(rateLimit);
    this.#threads = transports.map((transport, thread) => ({
      rateLimit: transport === 'udp' ? shared : null,
      queryLog: createQueryLog(queryLog ?? 0),
      ring: rings[thread] ?? null,
      tap: taps[thread] ?? null,
    }));
    this.https = {
      rateLimit: null,
      queryLog: createQueryLog(queryLog ?? 0),
      ring: rings.at(-1) ?? null,
      tap: taps.at(-1) ?? null,
    };
    this.#log = startQueryLog(
      [...this.#threads, this.https].flatMap((modules) => modules.queryLog ?? []),
      tasks,
      log,
    );
  }

  /** Replaces the rate limit for threads that start from now on; others need a message. */
  setRateLimit(options: RateLimitOptions): void {
    const shared = createRateLimit(options);
    this.#threads = this.#threads.map((modules, i) => ({
      ...modules,
      rateLimit: this.transports[i] === 'udp' ? shared : null,
    }));
  }

  /** `thread`: from 0. A restarted thread gets the same data. */
  dataOf(thread: number): ModuleData {
    return this.#threads[thread];
  }

  /** Writes the remaining samples. Call it after the threads have ended. */
  stop(): void {
    this.#log.stop();
  }
}
