/**
 * Limits the frames that cost a client nothing but cost the server work: one leaky bucket a kind,
 * for one session. Each frame raises the level of its bucket, time lowers it at the rate of the
 * kind, and a level above the burst is a flood. Levels are lowered only when the burst is exceeded,
 * so a normal frame is one increment and one comparison.
 */
import { type Ending, SESSION_ENDING } from './endings.ts';
import type { Http2Limits } from './limits.ts';

/**
 * Index of each bucket, the same in `FLOOD_ENDING`, `BURST` and `RATE`. `empty` counts every frame
 * that does nothing: DATA without content and END_STREAM, unknown types, and GOAWAY.
 */
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
  /** Frames in each bucket; fractional, since time lowers them. */
  readonly #levels = new Float64Array(FLOOD_ENDING.length);
  /** When the levels were last lowered, in seconds. */
  #loweredAt: number;

  constructor(limits: Http2Limits, now: number) {
    this.#limits = limits;
    this.#loweredAt = now;
  }

  /**
   * Counts a frame. Returns false if it exceeds the burst; it is not counted then. `now`: seconds.
   */
  admit(flood: Flood, now: number): boolean {
    const burst = this.#limits[BURST[flood]];
    if (this.#levels[flood] + 1 > burst) this.#lower(now);
    if (this.#levels[flood] + 1 > burst) return false;
    this.#levels[flood]++;
    return true;
  }

  /**
   * Lowers one level: for time that passed, or for frames that our own frames made necessary
   * (a WINDOW_UPDATE for each DATA frame we sent).
   */
  credit(flood: Flood, frames: number): void {
    const level = this.#levels[flood] - frames;
    this.#levels[flood] = level > 0 ? level : 0;
  }

  #lower(now: number): void {
    const seconds = now - this.#loweredAt;
    if (seconds <= 0) return;
    this.#loweredAt = now;
    for (let flood = 0; flood < this.#levels.length; flood++) {
      this.credit(flood as Flood, seconds * this.#limits[RATE[flood]]);
    }
  }
}
