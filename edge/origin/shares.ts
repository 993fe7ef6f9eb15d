/**
 * Shares of something that there is a limit of, such as connections: nobody gets more than what is
 * left over for others, so one alone may have half of it, and the next always finds some (a dynamic
 * threshold, as for memory in edge/http/exchange/client-memory.ts).
 */
/** Entries that stay when nothing is held: a set and a delete for each request would cost more. */
const KEPT = 16;

export class Shares {
  readonly limit: number;
  readonly #weight: number;
  #total = 0;
  readonly #held = new Map<string, number>();

  /** `weight`: a share is so many times what is left over. With 3, the first has three quarters. */
  constructor(limit: number, weight = 1) {
    this.limit = limit;
    this.#weight = weight;
  }

  /**
   * Whether `network` may have one more. Undefined: nobody in particular, for whom the limit alone
   * holds.
   */
  hasRoom(network: string | undefined): boolean {
    const left = this.limit - this.#total;
    return network === undefined ? left > 0 : this.of(network) < this.#weight * left;
  }

  /** What `network` has. */
  of(network: string): number {
    return this.#held.get(network) ?? 0;
  }

  take(network: string | undefined): void {
    this.#total++;
    if (network !== undefined) this.#held.set(network, this.of(network) + 1);
  }

  giveBack(network: string | undefined): void {
    this.#total--;
    if (network === undefined) return;
    const held = this.of(network) - 1;
    if (held > 0 || this.#held.size <= KEPT) this.#held.set(network, held);
    else this.#held.delete(network);
  }
}
