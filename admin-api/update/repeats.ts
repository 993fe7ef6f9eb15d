/**
 * Recognizes repeated updates. A UDP client repeats a message if the response was lost, and anyone
 * who has seen a message can repeat it while its time is valid. A repetition gets the first
 * response, and nothing is applied twice.
 */

/** Maximum stored outcomes, of about 200 bytes each. The oldest is evicted first. */
const MOST_KNOWN = 50_000;

interface Known {
  readonly rcode: Promise<number>;
  readonly until: number;
}

export class Repeats {
  readonly #known = new Map<string, Known>();
  readonly #now: () => number;

  /** `now`: in seconds, of the clock that validates signatures. */
  constructor(now: () => number) {
    this.#now = now;
  }

  get size(): number {
    return this.#known.size;
  }

  /**
   * Returns the response code of the update with this signature, which is valid `until` a second
   * that the sender chose. The first time, calls `work`. Does not store errors of `work`, and codes
   * for which `isFinal` is false.
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
    // Moves the outcome to the end, so that the oldest are first.
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
