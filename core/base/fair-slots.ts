/**
 * Slots for concurrent work of customers or anonymous clients, with turns by account and then by
 * client network. No owner can delay the others for longer than one unit of work:
 *
 * - Share: an owner gets a slot if it holds none, or fewer than are free. A single owner holds at
 *   most half of the slots, the next owner half of the rest, and so on.
 * - Turns: a free slot goes to the account with the fewest slots, then to the account with the
 *   oldest turn. Within an account, networks are compared in the same way.
 * - Queue: it has a limit. If it is full, a new waiter replaces the newest waiter of the account
 *   (then of the network) with the most waiters.
 * - Minimum rate: while others wait, a holder below this rate loses its slot.
 *
 * A turn costs one pass over the queue, so its limit should be a few thousand at most.
 */

import { setTimeout as delay } from 'node:timers/promises';

/** The owner of a slot. The empty string: unknown; all unknown owners share their turns. */
export interface SlotOwner {
  /** The account, or a site or zone of an account. */
  readonly account: string;
  /** The client network, by `clientNetwork` of core/net/address. */
  readonly network: string;
}

interface FairSlotsOptions {
  readonly slots: number;
  /** Maximum of waiters. */
  readonly queue: number;
  /** Units of `Slot.addProgress` per second, checked once per window of `windowMs`. */
  readonly minimumRate?: { readonly perSecond: number; readonly windowMs: number };
  /** Milliseconds of a monotonic clock. */
  readonly now?: () => number;
}

/** Why there is no slot. `full`: the queue is full; `aborted`: the caller's signal aborted. */
export type NoSlot = 'full' | 'aborted';

/** Thrown by `FairSlots.run` if the queue is full. */
export class SlotsFullError extends Error {
  constructor() {
    super('too much work is queued');
    this.name = 'SlotsFullError';
  }
}

/** A slot in use. It counts until `release`, also after its signal has aborted. */
export class Slot {
  readonly #revoked = new AbortController();
  #isHeld = true;
  /** Progress in the current window. */
  progress = 0;
  #windowStart: number;
  /** Milliseconds of pauses in the current window. */
  #pausedMs = 0;
  /** Start of the current pause; null: not paused. */
  #pausedAt: number | null = null;

  constructor(
    private readonly slots: FairSlots,
    readonly owner: SlotOwner,
    private readonly now: () => number,
  ) {
    this.#windowStart = now();
  }

  /** Aborts when the holder must release the slot, because of the minimum rate. */
  get signal(): AbortSignal {
    return this.#revoked.signal;
  }

  /** Counts towards the minimum rate. The units are normally bytes. */
  addProgress(units: number): void {
    this.progress += units;
  }

  /** Stops the clock of the rate while the holder waits for this service. */
  pause(): void {
    this.#pausedAt ??= this.now();
  }

  /** Continues the clock of the rate: this service waits for the holder again. */
  resume(): void {
    if (this.#pausedAt === null) return;
    this.#pausedMs += this.now() - this.#pausedAt;
    this.#pausedAt = null;
  }

  /** Milliseconds of the current window that count towards the rate. */
  elapsed(now: number): number {
    return (this.#pausedAt ?? now) - this.#windowStart - this.#pausedMs;
  }

  beginWindow(now: number): void {
    this.progress = 0;
    this.#windowStart = now;
    this.#pausedMs = 0;
    if (this.#pausedAt !== null) this.#pausedAt = now;
  }

  revoke(reason: Error): void {
    this.#revoked.abort(reason);
  }

  /** Only the first call has an effect. */
  release(): void {
    if (!this.#isHeld) return;
    this.#isHeld = false;
    this.slots.giveBack(this);
  }
}

interface Waiter {
  readonly owner: SlotOwner;
  settle(result: Slot | NoSlot): void;
}

/** The counts of an account or network with slots or waiters. */
interface Standing {
  held: number;
  waiting: number;
  /** The number of its last turn; 0 before the first. */
  lastTurn: number;
}

export class FairSlots {
  readonly #now: () => number;
  /** In order of arrival. */
  readonly #waiters = new Set<Waiter>();
  readonly #held = new Set<Slot>();
  readonly #accounts = new Map<string, Standing>();
  readonly #networks = new Map<string, Standing>();
  #turn = 0;
  #sweeper: NodeJS.Timeout | null = null;

  constructor(private readonly options: FairSlotsOptions) {
    this.#now = options.now ?? (() => performance.now());
  }

  /** Slots in use. */
  get inUse(): number {
    return this.#held.size;
  }

  /** Callers that wait for a slot. */
  get waiting(): number {
    return this.#waiters.size;
  }

  /** Null: no slot is free for the owner. Does not wait. */
  tryAcquire(owner: SlotOwner): Slot | null {
    return this.#isAllowed(owner) ? this.#grant(owner) : null;
  }

  /** The caller must release the slot. Never rejects. */
  acquire(owner: SlotOwner, signal?: AbortSignal): Promise<Slot | NoSlot> {
    if (signal?.aborted) return Promise.resolve('aborted');
    const slot = this.tryAcquire(owner);
    if (slot !== null) return Promise.resolve(slot);
    if (this.#waiters.size >= this.options.queue && !this.#makeRoom(owner)) return Promise.resolve('full');
    return new Promise((resolve) => {
      const leave = (): void => this.#end(waiter, 'aborted');
      const waiter: Waiter = {
        owner,
        settle: (result) => {
          signal?.removeEventListener('abort', leave);
          resolve(result);
        },
      };
      this.#waiters.add(waiter);
      this.#count(owner, 'waiting', 1);
      signal?.addEventListener('abort', leave, { once: true });
    });
  }

  /**
   * Runs `work` with a slot. `work` must stop when the slot's signal aborts. Rejects with
   * SlotsFullError if the queue is full, and with the reason of `signal` if that aborts first.
   */
  async run<T>(owner: SlotOwner, work: (slot: Slot) => Promise<T>, signal?: AbortSignal): Promise<T> {
    const slot = await this.acquire(owner, signal);
    if (slot === 'full') throw new SlotsFullError();
    if (slot === 'aborted') throw signal?.reason;
    try {
      return await work(slot);
    } finally {
      slot.release();
    }
  }

  /** Called by `Slot.release`. */
  giveBack(slot: Slot): void {
    this.#held.delete(slot);
    this.#count(slot.owner, 'held', -1);
    if (this.#held.size === 0 && this.#sweeper !== null) {
      clearInterval(this.#sweeper);
      this.#sweeper = null;
    }
    this.#grantWaiters();
  }

  /**
   * Revokes slots of holders below the minimum rate, one per waiter of others, first of the
   * accounts with the most slots. A timer calls it once per window; tests call it directly.
   */
  enforceMinimumRate(): void {
    const { minimumRate } = this.options;
    if (minimumRate === undefined) return;
    const now = this.#now();
    const slow: Slot[] = [];
    let revoked = 0;
    for (const slot of this.#held) {
      if (slot.signal.aborted) revoked++;
      const elapsed = slot.elapsed(now);
      if (slot.signal.aborted || elapsed < minimumRate.windowMs) continue;
      if (slot.progress < (minimumRate.perSecond * elapsed) / 1000) slow.push(slot);
      slot.beginWindow(now);
    }
    slow.sort((a, b) => this.#heldBy(b) - this.#heldBy(a));
    for (const slot of slow) {
      if (revoked >= this.#otherWaiters(slot.owner)) continue;
      slot.revoke(new Error('slower than the minimum rate while others wait'));
      revoked++;
    }
  }

  #heldBy({ owner }: Slot): number {
    return standingOf(this.#accounts, owner.account).held;
  }

  /** Waiters of other accounts; without an account, of other networks. */
  #otherWaiters({ account, network }: SlotOwner): number {
    const own = account === '' ? standingOf(this.#networks, network) : standingOf(this.#accounts, account);
    return this.#waiters.size - own.waiting;
  }

  #isAllowed({ account, network }: SlotOwner): boolean {
    const free = this.options.slots - this.#held.size;
    const isWithinShare = (held: number): boolean => held === 0 || held < free;
    return (
      free > 0 &&
      (account === '' || isWithinShare(standingOf(this.#accounts, account).held)) &&
      (network === '' || isWithinShare(standingOf(this.#networks, network).held))
    );
  }

  #grant(owner: SlotOwner): Slot {
    const slot = new Slot(this, owner, this.#now);
    this.#held.add(slot);
    this.#count(owner, 'held', 1);
    this.#turn++;
    this.#accounts.get(owner.account)!.lastTurn = this.#turn;
    this.#networks.get(owner.network)!.lastTurn = this.#turn;
    const { minimumRate } = this.options;
    if (minimumRate !== undefined)
      this.#sweeper ??= setInterval(() => this.enforceMinimumRate(), minimumRate.windowMs).unref();
    return slot;
  }

  #grantWaiters(): void {
    for (;;) {
      let next: Waiter | null = null;
      for (const waiter of this.#waiters)
        if (this.#isAllowed(waiter.owner) && (next === null || this.#precedes(waiter.owner, next.owner))) next = waiter;
      if (next === null) return;
      const slot = this.#grant(next.owner);
      this.#end(next, slot);
    }
  }

  #precedes(a: SlotOwner, b: SlotOwner): boolean {
    const byAccount = compare(standingOf(this.#accounts, a.account), standingOf(this.#accounts, b.account));
    if (byAccount !== 0) return byAccount < 0;
    return compare(standingOf(this.#networks, a.network), standingOf(this.#networks, b.network)) < 0;
  }

  /** Removes the newest waiter of the owner with the most, if `newcomer` then has fewer. */
  #makeRoom(newcomer: SlotOwner): boolean {
    let last: Waiter | null = null;
    for (const waiter of this.#waiters) if (last === null || !this.#waitsLess(waiter.owner, last.owner)) last = waiter;
    if (last === null || !this.#waitsLess(newcomer, last.owner, 1)) return false;
    this.#end(last, 'full');
    return true;
  }

  /** Whether `a` has fewer waiters than `b`, after `more` waiters of `a`. */
  #waitsLess(a: SlotOwner, b: SlotOwner, more = 0): boolean {
    const accountA = standingOf(this.#accounts, a.account).waiting;
    const accountB = standingOf(this.#accounts, b.account).waiting;
    if (a.account !== b.account) return accountA + more < accountB;
    return standingOf(this.#networks, a.network).waiting + more < standingOf(this.#networks, b.network).waiting;
  }

  #end(waiter: Waiter, result: Slot | NoSlot): void {
    this.#waiters.delete(waiter);
    this.#count(waiter.owner, 'waiting', -1);
    waiter.settle(result);
  }

  #count({ account, network }: SlotOwner, what: 'held' | 'waiting', by: 1 | -1): void {
    adjust(this.#accounts, account, what, by);
    adjust(this.#networks, network, what, by);
  }
}

const NONE: Standing = { held: 0, waiting: 0, lastTurn: 0 };

function standingOf(standings: ReadonlyMap<string, Standing>, key: string): Readonly<Standing> {
  return standings.get(key) ?? NONE;
}

/** Negative: `a` is next. */
const compare = (a: Readonly<Standing>, b: Readonly<Standing>): number => a.held - b.held || a.lastTurn - b.lastTurn;

function adjust(standings: Map<string, Standing>, key: string, what: 'held' | 'waiting', by: 1 | -1): void {
  const standing = standings.get(key) ?? { ...NONE };
  standing[what] += by;
  if (standing.held === 0 && standing.waiting === 0) standings.delete(key);
  else standings.set(key, standing);
}

interface SlotWork {
  /** Must not throw, and must release the slot. */
  begin(slot: Slot): void;
  /** Called instead of `begin` when the lines are closed. */
  cancel(): void;
}

interface WorkLine {
  readonly urgent: Set<SlotWork>;
  readonly usual: Set<SlotWork>;
}

/** Milliseconds after which a line requests a slot again when too many lines wait. */
const RETRY_MS = 1000;

/**
 * Queues work for slots, with one line per account. A line waits for one slot at a time, so a long
 * line is cheap and delays only its account. Urgent work is first in its line.
 */
export class SlotLines {
  readonly #lines = new Map<string, WorkLine>();
  readonly #closing = new AbortController();
  #waiting = 0;

  constructor(private readonly slots: FairSlots) {}

  /** Number of queued works. */
  get waiting(): number {
    return this.#waiting;
  }

  /** Queues work. Starts it in this call if a slot is free and the line is empty. */
  put(work: SlotWork, account: string, isUrgent = false): void {
    if (this.#closing.signal.aborted) {
      work.cancel();
      return;
    }
    const existing = this.#lines.get(account);
    const line = existing ?? { urgent: new Set(), usual: new Set() };
    line[isUrgent ? 'urgent' : 'usual'].add(work);
    this.#waiting++;
    if (existing !== undefined) return;
    this.#lines.set(account, line);
    void this.#serve(account, line);
  }

  /** Cancels queued work, and all work that is queued later. */
  close(): void {
    this.#closing.abort();
    for (const { urgent, usual } of this.#lines.values())
      for (const works of [urgent, usual]) {
        for (const work of works) work.cancel();
        works.clear();
      }
    this.#waiting = 0;
  }

  async #serve(account: string, { urgent, usual }: WorkLine): Promise<void> {
    const owner = { account, network: '' };
    const { signal } = this.#closing;
    while (urgent.size + usual.size > 0) {
      const slot: Slot | NoSlot = this.slots.tryAcquire(owner) ?? (await this.slots.acquire(owner, signal));
      if (slot === 'aborted') break;
      if (slot === 'full') {
        await delay(RETRY_MS, undefined, { ref: false });
        continue;
      }
      const works = urgent.size > 0 ? urgent : usual;
      const [work] = works;
      if (work === undefined) {
        slot.release();
        break;
      }
      works.delete(work);
      this.#waiting--;
      work.begin(slot);
    }
    this.#lines.delete(account);
  }
}
