/** Main's side of what every response passes (answer-gate.ts): what its threads share, and the log that their samples go to. */
import type { Logger } from '../base/log/index.ts';
import type { Transport } from './counters.ts';
import { createQueryLog, type SharedQueryLog } from './query-log.ts';
import { startQueryLog } from './query-log-reader.ts';
import { createRateLimit, type RateLimitOptions, type SharedRateLimit } from './rate-limit.ts';

export interface GateOptions {
  /** Of responses over UDP; left out: nothing is limited. */
  readonly rateLimit?: RateLimitOptions;
  /** One query in so many is logged; 0 or left out: none. */
  readonly queryLog?: number;
  readonly log: Logger;
}

/** A thread's part. */
export interface GateData {
  /** Null: nothing is limited, as over TCP. */
  readonly rateLimit: SharedRateLimit | null;
  /** Null: nothing is logged. */
  readonly queryLog: SharedQueryLog | null;
}

export const OPEN_GATE: GateData = { rateLimit: null, queryLog: null };

export class Gates {
  /** What main answers itself: nothing is limited. */
  readonly https: GateData;
  readonly #threads: readonly GateData[];
  readonly #log: { stop(): void };

  /** `transports`: of each thread. Throws InvalidError `invalid_prefix` when a prefix that is not to be limited is none. */
  constructor({ rateLimit, queryLog, log }: GateOptions, transports: readonly Transport[]) {
    const shared = rateLimit === undefined ? null : createRateLimit(rateLimit);
    this.#threads = transports.map((transport) => ({
      rateLimit: transport === 'udp' ? shared : null,
      queryLog: createQueryLog(queryLog ?? 0),
    }));
    this.https = { rateLimit: null, queryLog: createQueryLog(queryLog ?? 0) };
    this.#log = startQueryLog(
      [...this.#threads, this.https].flatMap((gate) => gate.queryLog ?? []),
      log,
    );
  }

  /** `thread` from 0. What it gets is the same when it is started anew. */
  of(thread: number): GateData {
    return this.#threads[thread];
  }

  /** To be called when the threads have ended: writes what they have left. */
  stop(): void {
    this.#log.stop();
  }
}
