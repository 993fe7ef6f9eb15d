/** Which nodes have applied what, and who waits for that. Knows nothing of the network. */

/** Who serves a change. Names of nodes, sorted. */
export interface Sync {
  readonly seq: number;
  readonly applied: readonly string[];
  readonly pending: readonly string[];
}

interface Peer {
  applied: number;
  isLive: boolean;
  /**
   * A deadline has passed without it, and nobody waits for it until it has caught up; null: it is
   * waited for.
   */
  late: Goal | null;
}

/**
 * Under load a node that keeps up is behind at each moment, too: it has caught up when it gets to
 * where this one was in half the time that a write waits.
 */
interface Goal {
  readonly sequence: number;
  /** In the time of performance.now(). */
  readonly since: number;
}

interface Patient {
  readonly sequence: number;
  readonly resolve: () => void;
}

interface Waiter extends Patient {
  /** In the time of performance.now(). */
  readonly deadline: number;
}

export class Acknowledgements {
  readonly #self: string;
  readonly #deadline: number;
  readonly #peers = new Map<string, Peer>();
  /** In the order of their deadlines. */
  #waiters: Waiter[] = [];
  /** Who waits for those that are late, too. */
  #patient: Patient[] = [];
  #timer: NodeJS.Timeout | undefined;
  /** Applied here. */
  #own = 0;

  /** `deadline`: milliseconds that a write waits for other nodes. */
  constructor(self: string, deadline: number) {
    this.#self = self;
    this.#deadline = deadline;
  }

  /**
   * Peers behind the last that was waited for, or that nobody waits for: name to what they have
   * applied.
   */
  get state(): ReadonlyMap<string, Readonly<Peer>> {
    return this.#peers;
  }

  /** Who belongs to the cluster, and who of them is there; this node may be among them. */
  setMembers(nodes: Iterable<string>, live: ReadonlySet<string>): void {
    const names = new Set(nodes);
    names.delete(this.#self);
    for (const name of this.#peers.keys()) if (!names.has(name)) this.#peers.delete(name);
    for (const name of names) {
      const peer = this.#peers.get(name);
      if (peer === undefined) this.#peers.set(name, { applied: 0, isLive: live.has(name), late: null });
      else peer.isLive = live.has(name);
    }
    this.#settle();
  }

  /** `name` is `self` for this node. */
  applied(name: string, sequence: number): void {
    if (name === this.#self) {
      this.#own = Math.max(this.#own, sequence);
      return;
    }
    const peer = this.#peers.get(name);
    if (peer === undefined) return;
    // Less than before: a node that was made again.
    peer.applied = sequence;
    if (peer.late !== null && sequence >= peer.late.sequence) {
      const isSoon = performance.now() - peer.late.since <= this.#deadline / 2;
      peer.late = isSoon || sequence >= this.#own ? null : this.#goal();
    }
    this.#settle();
  }

  /** Resolves when every node that is there has applied it, or the deadline has passed. */
  async wait(sequence: number): Promise<Sync> {
    if (this.#least(true) < sequence)
      await new Promise<void>((resolve) => {
        this.#waiters.push({ sequence, deadline: performance.now() + this.#deadline, resolve });
        this.#timer ??= setTimeout(() => this.#expire(), this.#deadline);
      });
    return this.of(sequence);
  }

  /**
   * Resolves when every node that is there has applied it, however late, or with the signal: a node
   * that goes on being there and does not catch up is waited for without end.
   */
  async everyone(sequence: number, signal?: AbortSignal): Promise<void> {
    if (this.#least(false) >= sequence || signal?.aborted === true) return;
    await new Promise<void>((resolve) => {
      const waiter = { sequence, resolve };
      this.#patient.push(waiter);
      const leave = (): void => {
        this.#patient = this.#patient.filter((other) => other !== waiter);
        resolve();
      };
      signal?.addEventListener('abort', leave, { once: true });
    });
  }

  of(sequence: number): Sync {
    const applied: string[] = [];
    const pending: string[] = [];
    (this.#own >= sequence ? applied : pending).push(this.#self);
    for (const [name, peer] of this.#peers) (peer.applied >= sequence ? applied : pending).push(name);
    return { seq: sequence, applied: applied.sort(), pending: pending.sort() };
  }

  close(): void {
    clearTimeout(this.#timer);
    for (const { resolve } of [...this.#waiters.splice(0), ...this.#patient.splice(0)]) resolve();
  }

  /** What all peers that are there have applied; with `passesLate`, but for those that are late. */
  #least(passesLate: boolean): number {
    let least = Number.POSITIVE_INFINITY;
    for (const { isLive, late, applied } of this.#peers.values())
      if (isLive && !(passesLate && late !== null)) least = Math.min(least, applied);
    return least;
  }

  #goal(): Goal {
    return { sequence: this.#own, since: performance.now() };
  }

  #settle(): void {
    if (this.#waiters.length > 0) this.#waiters = released(this.#waiters, this.#least(true));
    if (this.#patient.length > 0) this.#patient = released(this.#patient, this.#least(false));
  }

  #expire(): void {
    this.#timer = undefined;
    const now = performance.now();
    let missed = 0;
    // The timer may be early by a part of a millisecond.
    for (const { deadline, sequence } of this.#waiters) if (deadline <= now + 1) missed = Math.max(missed, sequence);
    if (missed > 0) {
      for (const peer of this.#peers.values()) if (peer.isLive && peer.applied < missed) peer.late ??= this.#goal();
      this.#settle();
    }
    if (this.#waiters.length > 0)
      this.#timer = setTimeout(() => this.#expire(), Math.max(1, this.#waiters[0].deadline - now));
  }
}

/** Lets those go who wait for no more than `least`; returns the others. */
function released<W extends Patient>(waiting: readonly W[], least: number): W[] {
  return waiting.filter(({ sequence, resolve }) => {
    if (sequence > least) return true;
    resolve();
    return false;
  });
}
