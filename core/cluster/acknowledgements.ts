/** Applied sequences of all nodes, and the writes that wait for them. Does no network I/O. */

/** The nodes that serve a change and those that do not yet. Names, sorted. */
export interface Sync {
  readonly seq: number;
  readonly applied: readonly string[];
  readonly pending: readonly string[];
}

interface Peer {
  applied: number;
  served: number;
  isLive: boolean;
  /**
   * Set when a write reached its deadline without this peer: writes no longer wait for it until it
   * has caught up. Null: writes wait for it.
   */
  late: Goal | null;
}

/**
 * Under load even a healthy node is always slightly behind. It counts as caught up if it reaches
 * the sequence of this node within half the deadline of a write.
 */
interface Goal {
  readonly sequence: number;
  /** By performance.now(). */
  readonly since: number;
}

interface UnlimitedWaiter {
  readonly sequence: number;
  /** Waits until peers serve the entry, and not only have applied it. */
  readonly isServed?: boolean;
  readonly resolve: () => void;
}

interface Waiter extends UnlimitedWaiter {
  /** By performance.now(). */
  readonly deadline: number;
}

export class Acknowledgements {
  readonly #peers = new Map<string, Peer>();
  /** Ordered by deadline. */
  #waiters: Waiter[] = [];
  /** Waiters that also wait for late peers, without a deadline. */
  #unlimitedWaiters: UnlimitedWaiter[] = [];
  #timer: NodeJS.Timeout | undefined;
  /** Sequence that this node has applied. */
  #own = 0;

  /** `deadline`: milliseconds that a write waits for other nodes. */
  constructor(
    private readonly self: string,
    private readonly deadline: number,
  ) {}

  /** All peers by name. `late`: the peer missed a deadline. */
  get state(): ReadonlyMap<string, Readonly<Peer>> {
    return this.#peers;
  }

  /** Sets the members of the cluster and which of them are live. Both may include this node. */
  setMembers(nodes: Iterable<string>, live: ReadonlySet<string>): void {
    const names = new Set(nodes);
    names.delete(this.self);
    for (const name of this.#peers.keys()) if (!names.has(name)) this.#peers.delete(name);
    for (const name of names) {
      const peer = this.#peers.get(name);
      if (peer === undefined) this.#peers.set(name, { applied: 0, served: 0, isLive: live.has(name), late: null });
      else peer.isLive = live.has(name);
    }
    this.#settle();
  }

  /**
   * Notes the applied sequence of a peer or, with `self`, of this node. `served`: the sequence up
   * to which it serves all.
   */
  applied(name: string, sequence: number, served = sequence): void {
    if (name === this.self) {
      this.#own = Math.max(this.#own, sequence);
      return;
    }
    const peer = this.#peers.get(name);
    if (peer === undefined) return;
    // May decrease: a node may have been set up again.
    peer.applied = sequence;
    peer.served = served;
    if (peer.late !== null && sequence >= peer.late.sequence) {
      const isSoon = performance.now() - peer.late.since <= this.deadline / 2;
      peer.late = isSoon || sequence >= this.#own ? null : this.#goal();
    }
    this.#settle();
  }

  /** Resolves when every live peer that is not late has applied the entry, or at the deadline. */
  async wait(sequence: number): Promise<Sync> {
    if (this.#lowestApplied < sequence)
      await new Promise<void>((resolve) => {
        this.#waiters.push({ sequence, deadline: performance.now() + this.deadline, resolve });
        this.#timer ??= setTimeout(() => this.#expire(), this.deadline);
      });
    return this.of(sequence);
  }

  /**
   * Resolves when every live peer has applied the entry, or when the signal aborts. There is no
   * deadline: a live peer that never catches up is awaited forever. `isServed`: when they serve it.
   */
  async everyone(sequence: number, signal?: AbortSignal, isServed = false): Promise<void> {
    if (this.#lowest(isServed) >= sequence || signal?.aborted === true) return;
    await new Promise<void>((resolve) => {
      const waiter = { sequence, isServed, resolve };
      this.#unlimitedWaiters.push(waiter);
      const stopWaiting = (): void => {
        this.#unlimitedWaiters = this.#unlimitedWaiters.filter((other) => other !== waiter);
        resolve();
      };
      signal?.addEventListener('abort', stopWaiting, { once: true });
    });
  }

  of(sequence: number): Sync {
    const applied: string[] = [];
    const pending: string[] = [];
    (this.#own >= sequence ? applied : pending).push(this.self);
    for (const [name, peer] of this.#peers) (peer.applied >= sequence ? applied : pending).push(name);
    return { seq: sequence, applied: applied.sort(), pending: pending.sort() };
  }

  close(): void {
    clearTimeout(this.#timer);
    for (const { resolve } of [...this.#waiters.splice(0), ...this.#unlimitedWaiters.splice(0)]) resolve();
  }

  /** Lowest applied sequence of the live peers that are not late. */
  get #lowestApplied(): number {
    let least = Number.POSITIVE_INFINITY;
    for (const { isLive, late, applied } of this.#peers.values())
      if (isLive && late === null) least = Math.min(least, applied);
    return least;
  }

  /** Lowest sequence that the live peers have applied, or that they serve. */
  #lowest(isServed: boolean): number {
    let least = Number.POSITIVE_INFINITY;
    for (const { isLive, applied, served } of this.#peers.values())
      if (isLive) least = Math.min(least, isServed ? served : applied);
    return least;
  }

  #goal(): Goal {
    return { sequence: this.#own, since: performance.now() };
  }

  #settle(): void {
    const least = this.#lowestApplied;
    if (this.#waiters.length > 0) this.#waiters = releaseUpTo(this.#waiters, () => least);
    if (this.#unlimitedWaiters.length > 0) {
      const [applied, served] = [this.#lowest(false), this.#lowest(true)];
      this.#unlimitedWaiters = releaseUpTo(this.#unlimitedWaiters, ({ isServed }) => (isServed ? served : applied));
    }
  }

  #expire(): void {
    this.#timer = undefined;
    const now = performance.now();
    let missed = 0;
    // The timer may fire a fraction of a millisecond early.
    for (const { deadline, sequence } of this.#waiters) if (deadline <= now + 1) missed = Math.max(missed, sequence);
    if (missed > 0) {
      for (const peer of this.#peers.values()) if (peer.isLive && peer.applied < missed) peer.late ??= this.#goal();
      this.#settle();
    }
    if (this.#waiters.length > 0)
      this.#timer = setTimeout(() => this.#expire(), Math.max(1, this.#waiters[0].deadline - now));
  }
}

/** Resolves the waiters for sequences up to `least`; returns the others. */
function releaseUpTo<W extends UnlimitedWaiter>(waiting: readonly W[], least: (waiter: W) => number): W[] {
  return waiting.filter((waiter) => {
    if (waiter.sequence > least(waiter)) return true;
    waiter.resolve();
    return false;
  });
}
