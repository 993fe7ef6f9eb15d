/**
 * Random numbers that are the same in every run (xorshift32, Marsaglia 2003), so that every server
 * and every round gets the same zones and the same order of queries.
 */
export class Random {
  #state: number;

  /** `seed`: any 32-bit number but 0, which the generator could never leave. */
  constructor(seed: number) {
    this.#state = seed | 0 || 1;
  }

  /** The next number, 1 to 2^32 - 1. */
  next(): number {
    let x = this.#state;
    x ^= x << 13;
    x ^= x >>> 17;
    x ^= x << 5;
    this.#state = x;
    return x >>> 0;
  }

  /** A number from 0 to `bound` - 1. The bias is below `bound` / 2^32. */
  below(bound: number): number {
    return Math.floor((this.next() / 0x1_0000_0000) * bound);
  }

  /** Fisher and Yates, in place. */
  shuffle(values: Uint32Array): Uint32Array {
    for (let i = values.length - 1; i > 0; i--) {
      const j = this.below(i + 1);
      const kept = values[i];
      values[i] = values[j];
      values[j] = kept;
    }
    return values;
  }
}

/**
 * Letters of a random label: 32 of them, so that five bits choose one; lower case, allowed in host
 * names.
 */
export const LETTERS = Buffer.from('abcdefghijklmnopqrstuvwxyz234567');

/**
 * Length of a random label. No zone of the benchmark holds a label of this length, so such a name
 * never exists.
 */
export const RANDOM_LABEL = 12;

/** Writes a random label's letters (not its length byte) at `offset`: 60 bits of two draws. */
export function writeRandomLabel(random: Random, bytes: Uint8Array, offset: number): void {
  for (let half = 0; half < RANDOM_LABEL; half += 6) {
    let bits = random.next();
    for (let i = 0; i < 6; i++) {
      bytes[offset + half + i] = LETTERS[bits & 31];
      bits >>>= 5;
    }
  }
}
