/** Exchanges in flight, each of which knows where it is, so that none is searched or hashed. */
import type { Exchange } from '../../http/exchange/exchange.ts';

export class InFlight {
  readonly #exchanges: Exchange[] = [];

  get size(): number {
    return this.#exchanges.length;
  }

  /** An exchange is in one list at most. */
  add(exchange: Exchange): void {
    exchange.inFlightAt = this.#exchanges.push(exchange) - 1;
  }

  /** False: it is not in the list. */
  remove(exchange: Exchange): boolean {
    const at = exchange.inFlightAt;
    if (at < 0 || this.#exchanges[at] !== exchange) return false;
    const last = this.#exchanges.pop()!;
    if (last !== exchange) {
      this.#exchanges[at] = last;
      last.inFlightAt = at;
    }
    exchange.inFlightAt = -1;
    return true;
  }

  /** Removes those that have ended, and returns how many these were. */
  sweep(): number {
    const before = this.#exchanges.length;
    // From the end: what takes the place of a removed one has been looked at.
    for (let i = before - 1; i >= 0; i--) if (this.#exchanges[i].isEnded) this.remove(this.#exchanges[i]);
    return before - this.#exchanges.length;
  }
}
