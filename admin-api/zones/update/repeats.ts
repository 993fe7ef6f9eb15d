/**
 * Recognizes repeated updates. A UDP client repeats a message if the response was lost, and anyone
 * who has seen a message can repeat it while its time is valid. A repetition gets the first
 * response, and nothing is applied twice.
 */

/** Maximum stored outcomes, of about 200 bytes each. The oldest is evicted first. */
const MAX_OUTCOMES = 50_000;

interface Outcome {
  readonly rcode: Promise<number>;
  readonly until: number;
}

export class Repeats {
  readonly #outcomes = new Map<string, Outcome>();

  /** `now`: in seconds, of the clock that validates signatures. */
  constructor(private readonly now: () => number) {}

  get size(): number {
    return this.#outcomes.size;
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
    const now = this.now();
    const before = this.#outcomes.get(signature);
    if (before !== undefined && before.until >= now) return before.rcode;
    this.#evict(now);
    const rcode = work();
    const outcome: Outcome = { rcode, until };
    // Moves the outcome to the end, so that the oldest are first.
    this.#outcomes.delete(signature);
    this.#outcomes.set(signature, outcome);
    const drop = (): void => {
      if (this.#outcomes.get(signature) === outcome) this.#outcomes.delete(signature);
    };
    rcode.then((code) => isFinal(code) || drop(), drop);
    return rcode;
  }

  #evict(now: number): void {
    for (const [signature, { until }] of this.#outcomes) {
      if (until >= now && this.#outcomes.size < MAX_OUTCOMES) return;
      this.#outcomes.delete(signature);
    }
  }
}
