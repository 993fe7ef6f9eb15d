/** A clock that stands still until a test moves it. */
import type { Clock } from '../../../../admin-api/miniapp/runtime/index.ts';

export class ManualClock implements Clock {
  #now: number;
  readonly #alarms = new Set<{ readonly time: number; readonly wake: () => void }>();

  constructor(now = 1_700_000_000_000) {
    this.#now = now;
  }

  now(): number {
    return this.#now;
  }

  advance(milliseconds: number): void {
    this.#now += milliseconds;
    for (const alarm of [...this.#alarms]) {
      if (alarm.time > this.#now) continue;
      this.#alarms.delete(alarm);
      alarm.wake();
    }
  }

  wakeAt(time: number, wake: () => void): () => void {
    const alarm = { time, wake };
    this.#alarms.add(alarm);
    return () => this.#alarms.delete(alarm);
  }
}
