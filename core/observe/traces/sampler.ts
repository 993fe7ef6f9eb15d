/**
 * Samples a ratio of traces at random. The number of traces until the next sampled one is drawn in
 * advance, so a trace that is not sampled costs one subtraction and one comparison.
 */
export class RatioSampler {
  /** Traces up to the next sampled one, including it. */
  #untilNext: number;

  /** `ratio`: from 0 to 1. `random`: 0 ≤ r < 1. */
  constructor(
    private readonly ratio: number,
    private readonly random: () => number = Math.random,
  ) {
    this.#untilNext = this.#draw();
  }

  /** Call it once for each trace. */
  isNextSampled(): boolean {
    if (--this.#untilNext > 0) return false;
    this.#untilNext = this.#draw();
    return true;
  }

  /**
   * The distances between the successes of a Bernoulli process have a geometric distribution: the
   * inverse of its distribution function turns a uniform number into a distance.
   */
  #draw(): number {
    if (this.ratio >= 1) return 1;
    if (this.ratio <= 0) return Number.POSITIVE_INFINITY;
    return 1 + Math.floor(Math.log1p(-this.random()) / Math.log1p(-this.ratio));
  }
}
