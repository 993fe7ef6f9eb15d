/**
 * Keeps repeated events from filling the log. LogThrottle counts events that a client can cause;
 * FaultLog logs the start and the end of a persistent fault.
 */
import { performance } from 'node:perf_hooks';
import type { Logger } from './index.ts';

/** Milliseconds between two log lines with the same reason. */
const INTERVAL = 10_000;

interface Events {
  loggedAt: number;
  /** The number of events since then. */
  count: number;
}

export class LogThrottle {
  readonly #events = new Map<string, Events>();

  /**
   * Returns the number of events since the last log line, including this event; 0: it is too soon
   * for the next line. Each reason uses memory, so reasons must be a closed set.
   */
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
  #isFaulty = false;

  /** The messages for the start and the end of the fault. */
  constructor(
    private readonly log: Logger,
    private readonly started: string,
    private readonly ended: string,
    private readonly fields: Readonly<Record<string, string>> = {},
  ) {}

  /** Null: there is no fault, or it has ended. */
  report(error: unknown): void {
    if (this.#isFaulty === (error !== null)) return;
    this.#isFaulty = error !== null;
    if (error === null) this.log.info(this.ended, this.fields);
    else this.log.warn(this.started, { ...this.fields, reason: (error as Error).message });
  }
}
