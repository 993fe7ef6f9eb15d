/**
 * Samples one event in `every`, on average. The gaps between samples are random, so that periodic
 * events are sampled fairly. Hot: allocates nothing.
 */
export class Sampling {
  #random: number;
  /** Events until the next sample. */
  #remaining: number;

  /** `seed`: omitted, it is random. */
  constructor(
    private readonly every: number,
    seed = Math.random() * 0xffff_ffff,
  ) {
    // xorshift never leaves 0.
    this.#random = seed | 0 || 1;
    this.#remaining = this.#gap();
  }

  /** Counts an event, and returns whether it is sampled. */
  isDue(): boolean {
    if (--this.#remaining > 0) return false;
    this.#remaining = this.#gap();
    return true;
  }

  /** 1 to 2 × every - 1, evenly distributed (xorshift32, Marsaglia 2003). */
  #gap(): number {
    let x = this.#random;
    x ^= x << 13;
    x ^= x >>> 17;
    x ^= x << 5;
    this.#random = x;
    return 1 + ((x >>> 0) % (2 * this.every - 1));
  }
}
