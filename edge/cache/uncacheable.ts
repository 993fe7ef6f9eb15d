/** What turned out not to be for a cache a moment ago: nobody waits for anybody there, and what a visitor asks goes to the origin as it is. */

/** Milliseconds; then it is seen anew. */
const REMEMBERED = 10_000;
/** Milliseconds for which what was just said is not said again: of what is asked for often it would be the dearest part of a request here. */
const SAID = 1000;
const MOST = 4096;
/** Characters: what is longer is not remembered. */
const LONGEST = 1024;

export class Uncacheable {
  /** Until when, by key; the oldest first. */
  readonly #until = new Map<string, number>();

  has(key: string, now: number): boolean {
    const until = this.#until.get(key);
    if (until === undefined) return false;
    if (now < until && until - now <= REMEMBERED) return true;
    this.#until.delete(key);
    return false;
  }

  add(key: string, now: number): void {
    if (key.length > LONGEST) return;
    const known = this.#until.get(key);
    if (known !== undefined && Math.abs(now + REMEMBERED - known) < SAID) return;
    this.#until.delete(key);
    this.#until.set(key, now + REMEMBERED);
    if (this.#until.size <= MOST) return;
    for (const oldest of this.#until.keys()) {
      this.#until.delete(oldest);
      return;
    }
  }
}
