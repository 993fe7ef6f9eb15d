/**
 * Fair shares of a limited resource, such as connections. A network may hold no more than what is
 * free. A single network can hold half, and the next always finds some free (a dynamic threshold,
 * as for memory in edge/http/exchange/client-memory.ts).
 */
/** Entries that are kept at zero: adding and deleting one for each request would cost more. */
const KEPT = 16;

export class Shares {
  readonly limit: number;
  readonly #weight: number;
  #total = 0;
  readonly #held = new Map<string, number>();

  /**
   * `weight`: a share is `weight` times what is free. With 3, a single network can hold three
   * quarters.
   */
  constructor(limit: number, weight = 1) {
    this.limit = limit;
    this.#weight = weight;
  }

  /**
   * Whether `network` may take another. Undefined: no network, for which only the limit applies.
   */
  hasRoom(network: string | undefined): boolean {
    const left = this.limit - this.#total;
    return network === undefined ? left > 0 : this.of(network) < this.#weight * left;
  }

  /** What `network` holds. */
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
