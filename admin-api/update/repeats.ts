/**
 * Updates that come again: a client over UDP sends the same message once more when the answer was lost, and whoever has seen a message can send it again
 * while its time is good. Either gets the answer of the first; nothing is done twice.
 */

/** Outcomes that are known, some 200 bytes each; the oldest is forgotten first. */
const MOST_KNOWN = 50_000;

interface Known {
  readonly rcode: Promise<number>;
  readonly until: number;
}

export class Repeats {
  readonly #known = new Map<string, Known>();
  readonly #now: () => number;

  /** `now`: in seconds, of the clock by which signatures are judged. */
  constructor(now: () => number) {
    this.#now = now;
  }

  get size(): number {
    return this.#known.size;
  }

  /**
   * The response code of the update with this signature, which is good `until` a second that its sender chose; `work` gives it the first time. What `work`
   * rejects with, and a code for which `isFinal` is false, is not kept.
   */
  once(
    signature: string,
    until: number,
    work: () => Promise<number>,
    isFinal: (rcode: number) => boolean,
  ): Promise<number> {
    const now = this.#now();
    const before = this.#known.get(signature);
    if (before !== undefined && before.until >= now) return before.rcode;
    this.#forget(now);
    const rcode = work();
    const known: Known = { rcode, until };
    // Behind the others, so that the oldest are first.
    this.#known.delete(signature);
    this.#known.set(signature, known);
    const drop = (): void => {
      if (this.#known.get(signature) === known) this.#known.delete(signature);
    };
    rcode.then((code) => isFinal(code) || drop(), drop);
    return rcode;
  }

  #forget(now: number): void {
    for (const [signature, { until }] of this.#known) {
      if (until >= now && this.#known.size < MOST_KNOWN) return;
      this.#known.delete(signature);
    }
  }
}
