/**
 * Leaky buckets for frames that cost the client nothing: each adds to a level that sinks by the rate, and passing the burst is a flood. A frame within
 * the burst is an increment and a comparison; time is looked at only beyond.
 */
import { type Ending, SESSION_ENDING } from './endings.ts';
import type { Http2Limits } from './limits.ts';

/** Places of the buckets. */
export const FLOOD = { settings: 0, ping: 1, reset: 2, empty: 3, windowUpdate: 4, priority: 5 } as const;

export type Flood = (typeof FLOOD)[keyof typeof FLOOD];

export const FLOOD_ENDING: readonly Ending[] = [
  SESSION_ENDING.settingsFlood,
  SESSION_ENDING.pingFlood,
  SESSION_ENDING.resetFlood,
  SESSION_ENDING.emptyFlood,
  SESSION_ENDING.windowUpdateFlood,
  SESSION_ENDING.priorityFlood,
];

const BURST = ['settingsBurst', 'pingBurst', 'resetBurst', 'emptyBurst', 'windowUpdateBurst', 'priorityBurst'] as const;
const RATE = ['settingsRate', 'pingRate', 'resetRate', 'emptyRate', 'windowUpdateRate', 'priorityRate'] as const;

export class FloodGate {
  readonly #limits: Http2Limits;
  /** Frames, since the level last sank. */
  readonly #levels = new Float64Array(FLOOD_ENDING.length);
  /** Second of the clock when the levels sank. */
  #sankAt: number;

  constructor(limits: Http2Limits, now: number) {
    this.#limits = limits;
    this.#sankAt = now;
  }

  /** Counts a frame. False: it is one too many. `now`: seconds. */
  pass(flood: Flood, now: number): boolean {
    const burst = this.#limits[BURST[flood]];
    if (this.#levels[flood] + 1 > burst) this.#sink(now);
    if (this.#levels[flood] + 1 > burst) return false;
    this.#levels[flood]++;
    return true;
  }

  /** Takes away from a level what our own frames explain. */
  credit(flood: Flood, frames: number): void {
    const level = this.#levels[flood] - frames;
    this.#levels[flood] = level > 0 ? level : 0;
  }

  #sink(now: number): void {
    const seconds = now - this.#sankAt;
    if (seconds <= 0) return;
    this.#sankAt = now;
    for (let flood = 0; flood < this.#levels.length; flood++) {
      this.credit(flood as Flood, seconds * this.#limits[RATE[flood]]);
    }
  }
}
