/**
 * Limits the memory of request bodies, from their first byte to the response, and of responses to
 * slow clients. The memory is charged to the caller's account, or without an account to the
 * client's site, such as an IPv6 /48.
 *
 * A holder may use no more memory than remains free for others (a dynamic threshold, Choudhury and
 * Hahne 1998). A single holder can use half of the limit, and two holders a third each. Memory is
 * therefore always left for another holder.
 */
import { strangerAt } from '../../core/net/address/ipv6.ts';
import type { Id } from '../../core/store/keys.ts';

export const holderOfAccount = (id: Id): string => `account ${id}`;
export const holderAt = (address: string): string => strangerAt(address).account;

export class BodyMemory {
  readonly #holders = new Map<string, number>();
  #held = 0;

  /** `limit`: bytes of all holders together. */
  constructor(private readonly limit: number) {}

  /** Bytes that all holders use. */
  get held(): number {
    return this.#held;
  }

  /** Charges `bytes` to the holder until `release`. False: the holder's limit is reached. */
  take(holder: string, bytes: number): boolean {
    const own = this.#holders.get(holder) ?? 0;
    // `bytes` appears on both sides: it adds to the holder's use and reduces the free memory.
    if (own + bytes > this.limit - this.#held - bytes) return false;
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

/** The memory of a request or response. */
export class Charge {
  #held = 0;
  #isOver = false;

  constructor(
    private readonly memory: BodyMemory,
    private readonly holder: string,
  ) {}

  take(bytes: number): boolean {
    if (this.#isOver || !this.memory.take(this.holder, bytes)) return false;
    this.#held += bytes;
    return true;
  }

  release(bytes: number): void {
    if (this.#isOver) return;
    this.#held -= bytes;
    this.memory.release(this.holder, bytes);
  }

  /** Releases all memory, and rejects later charges. */
  end(): void {
    if (this.#isOver) return;
    this.#isOver = true;
    if (this.#held > 0) this.memory.release(this.holder, this.#held);
  }
}
