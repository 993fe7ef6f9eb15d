/** What a client can cause is told once in a while, however often it happens: an attack must not fill a log. */
import { performance } from 'node:perf_hooks';

/** Milliseconds between two tellings of a reason. */
const TELL_MS = 10_000;

interface Told {
  at: number;
  /** Since then. */
  count: number;
}

export class Seldom {
  readonly #told = new Map<string, Told>();

  /** How often it has happened since it was told last, this time included; 0 when that is not to be told yet. Reasons are a closed set: each is kept. */
  due(reason: string): number {
    const now = performance.now();
    let told = this.#told.get(reason);
    if (told === undefined) {
      told = { at: now - TELL_MS, count: 0 };
      this.#told.set(reason, told);
    }
    told.count++;
    if (now - told.at < TELL_MS) return 0;
    const { count } = told;
    told.at = now;
    told.count = 0;
    return count;
  }
}
