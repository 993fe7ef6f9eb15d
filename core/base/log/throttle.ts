/** Keeps repeated events from filling the log: LogThrottle counts events that a client can cause, FaultLog reports a lasting fault by its start and its end. */
import { performance } from 'node:perf_hooks';
import type { Logger } from './index.ts';

/** Milliseconds between two log lines of a reason. */
const INTERVAL = 10_000;

interface Events {
  loggedAt: number;
  /** Since then. */
  count: number;
}

export class LogThrottle {
  readonly #events = new Map<string, Events>();

  /** The number of events since the last log line, this event included. 0: too soon for the next line. Reasons are a closed set: each is kept. */
  due(reason: string): number {
    const now = performance.now();
    let events = this.#events.get(reason);
    if (events === undefined) {
      events = { loggedAt: now - INTERVAL, count: 0 };
      this.#events.set(reason, events);
    }
    events.count++;
    if (now - events.loggedAt < INTERVAL) return 0;
    const { count } = events;
    events.loggedAt = now;
    events.count = 0;
    return count;
  }
}

export class FaultLog {
  readonly #log: Logger;
  readonly #started: string;
  readonly #ended: string;
  readonly #fields: Readonly<Record<string, string>>;
  #isFaulty = false;

  /** The messages for the start of the fault and for its end. */
  constructor(log: Logger, started: string, ended: string, fields: Readonly<Record<string, string>> = {}) {
    this.#log = log;
    this.#started = started;
    this.#ended = ended;
    this.#fields = fields;
  }

  /** Null: there is no fault, or it has ended. */
  report(error: unknown): void {
    if (this.#isFaulty === (error !== null)) return;
    this.#isFaulty = error !== null;
    if (error === null) this.#log.info(this.#ended, this.#fields);
    else this.#log.warn(this.#started, { ...this.#fields, reason: (error as Error).message });
  }
}
