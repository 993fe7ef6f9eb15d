/**
 * Limits the memory of all transfers in flight. If it is used up, the account that uses most of it
 * loses its largest transfer. So no account can block the transfers of others.
 */
export class TransferMemory {
  readonly #holders = new Set<TransferHolder>();
  #used = 0;

  constructor(private readonly limit: number) {}

  /** Bytes in use. */
  get used(): number {
    return this.#used;
  }

  /** The caller closes the holder. */
  open(account: string): TransferHolder {
    const holder = new TransferHolder(this, account);
    this.#holders.add(holder);
    return holder;
  }

  /** Called by `TransferHolder.add`. */
  take(holder: TransferHolder, bytes: number): void {
    while (this.#used + bytes > this.limit) {
      const largest = this.#largest();
      const needed = this.#heldBy(holder.account) + bytes;
      if (largest === null || largest.account === holder.account || this.#heldBy(largest.account) <= needed)
        throw new Error(USED_UP);
      this.giveBack(largest);
      largest.revoke(new Error(USED_UP));
    }
    this.#used += bytes;
    holder.bytes += bytes;
  }

  /** Called by `TransferHolder.close`. */
  giveBack(holder: TransferHolder): void {
    if (!this.#holders.delete(holder)) return;
    this.#used -= holder.bytes;
  }

  /** The largest incomplete transfer of the account that uses the most memory. */
  #largest(): TransferHolder | null {
    let largest: TransferHolder | null = null;
    for (const holder of this.#holders) {
      if (holder.isComplete) continue;
      if (largest === null || this.#isLarger(holder, largest)) largest = holder;
    }
    return largest;
  }

  #isLarger(a: TransferHolder, b: TransferHolder): boolean {
    return (this.#heldBy(a.account) - this.#heldBy(b.account) || a.bytes - b.bytes) > 0;
  }

  #heldBy(account: string): number {
    let bytes = 0;
    for (const holder of this.#holders) if (holder.account === account) bytes += holder.bytes;
    return bytes;
  }
}

const USED_UP = 'the memory of this server for transfers is used up; the transfer is retried';

/** The memory of one transfer. */
export class TransferHolder {
  readonly #revoked = new AbortController();
  bytes = 0;
  /** All messages are received, so the rest does not depend on the primary. */
  isComplete = false;

  constructor(
    private readonly memory: TransferMemory,
    readonly account: string,
  ) {}

  /** Aborts when other transfers need the memory. The transfer must end. */
  get signal(): AbortSignal {
    return this.#revoked.signal;
  }

  /** Throws an Error that can be shown if there is no memory for `bytes` more. */
  add(bytes: number): void {
    this.#revoked.signal.throwIfAborted();
    this.memory.take(this, bytes);
  }

  revoke(reason: Error): void {
    this.#revoked.abort(reason);
  }

  close(): void {
    this.memory.giveBack(this);
  }
}
