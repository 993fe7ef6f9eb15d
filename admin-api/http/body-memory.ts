/**
 * Bounds the memory of request bodies, from their first byte to the response, and of responses that
 * wait for a slow reader. It is charged to the account of the caller, else to the client's site.
 *
 * A holder gets no more than it leaves for all others (a dynamic threshold, Choudhury and Hahne
 * 1998): alone it may hold half of the limit, two may hold a third each. So nobody takes the memory
 * that the next one needs.
 */
import { strangerAt } from '../../core/net/address/slot-owner.ts';
import type { Id } from '../../core/store/keys.ts';

/** Names a holder. */
export const holderOfAccount = (id: Id): string => `account ${id}`;
export const holderAt = (address: string): string => strangerAt(address).account;

export class BodyMemory {
  readonly #limit: number;
  readonly #holders = new Map<string, number>();
  #held = 0;

  /** `limit`: bytes of all holders together. */
  constructor(limit: number) {
    this.#limit = limit;
  }

  /** Bytes of all holders. */
  get held(): number {
    return this.#held;
  }

  /** Whether the holder has room for `bytes`, which then count until `release`. */
  take(holder: string, bytes: number): boolean {
    const own = this.#holders.get(holder) ?? 0;
    // What is taken counts twice: it is held, and it is no longer left for others.
    if (own + bytes > this.#limit - this.#held - bytes) return false;
    this.#holders.set(holder, own + bytes);
    this.#held += bytes;
    return true;
  }

  release(holder: string, bytes: number): void {
    const left = (this.#holders.get(holder) ?? 0) - bytes;
    if (left <= 0) this.#holders.delete(holder);
    else this.#holders.set(holder, left);
    this.#held -= bytes;
  }
}

/** What one request or response holds. */
export class Charge {
  readonly #memory: BodyMemory;
  readonly #holder: string;
  #held = 0;
  #isOver = false;

  constructor(memory: BodyMemory, holder: string) {
    this.#memory = memory;
    this.#holder = holder;
  }

  take(bytes: number): boolean {
    if (this.#isOver || !this.#memory.take(this.#holder, bytes)) return false;
    this.#held += bytes;
    return true;
  }

  release(bytes: number): void {
    if (this.#isOver) return;
    this.#held -= bytes;
    this.#memory.release(this.#holder, bytes);
  }

  /** Releases everything; takes nothing more. */
  end(): void {
    if (this.#isOver) return;
    this.#isOver = true;
    if (this.#held > 0) this.#memory.release(this.#holder, this.#held);
  }
}
