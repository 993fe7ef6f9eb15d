/**
 * Keeps a node at the end of the log: reads the missing groups, watches for new ones, and reads
 * again at intervals, since a watch can stop silently. Groups are passed on in order and without
 * gaps, even if they arrive late, twice or not at all.
 */
import { setTimeout as sleep } from 'node:timers/promises';
import { EtcdCompacted } from '../etcd-client/errors.ts';
import { wentBack } from './contract.ts';
import type { EtcdLog, LoggedGroup, LogState } from './shared-log.ts';

interface FollowerOptions {
  readonly log: EtcdLog;
  /** The sequence at which the next group must start. */
  next(): number;
  /** Called with each group to apply; the group starts at `next()`. */
  onGroup(group: LoggedGroup): void;
  /**
   * Called with the state that a read of the log returned, after its groups were passed on. `at`:
   * when the read started, as performance.now().
   */
  onRead(state: LogState, at: number): void;
  /**
   * The node needs entries that were deleted (a snapshot of another node helps), or is ahead of the
   * log (a snapshot does not help). The log is read again, since its values may have been damaged.
   */
  onLost(reason: string, isCurable: boolean): void;
  /**
   * Whether the node is lost: `onLost` was called, or the journal found a mismatch, and no later
   * read succeeded.
   */
  isLost(): boolean;
  /** Whether this node may not follow the log now. */
  isHeld(): boolean;
  /** Whether a copy of another node's store is faster than applying this number of entries. */
  isSnapshotFaster(entries: number): Promise<boolean>;
  /** Whether groups must wait. The remaining groups of the current read are still passed on. */
  isFull(): boolean;
  /** Resolves when there is room again, or when the journal closes. */
  waitForRoom(): Promise<void>;
  /** The log is unreachable, or its data is unusable; this is retried. Null: it works again. */
  onTrouble(error: unknown): void;
  /** Milliseconds between reads while the watch is open. */
  readonly interval: number;
}

const FIRST_PAUSE = 100;
const LONGEST_PAUSE = 5000;

export class Follower {
  readonly #stop = new AbortController();
  #running: Promise<void> = Promise.resolve();
  /** Ends the current watch. */
  #watchAbort = new AbortController();

  constructor(private readonly options: FollowerOptions) {}

  start(): void {
    this.#running = this.#run();
  }

  /** Reads the log immediately. */
  readNow(): void {
    this.#watchAbort.abort(READ_AGAIN);
  }

  /** Reads the log again after a pause. */
  backOff(): void {
    this.#watchAbort.abort(BACK_OFF);
  }

  async stop(): Promise<void> {
    this.#stop.abort();
    await this.#running;
  }

  async #run(): Promise<void> {
    const { signal } = this.#stop;
    let pause = FIRST_PAUSE;
    while (!signal.aborted) {
      try {
        while (this.options.isHeld()) await sleep(this.options.interval, undefined, { signal });
        const revision = await this.#catchUp();
        if (revision === null) return;
        if (!this.options.isLost()) pause = FIRST_PAUSE;
        await this.#watch(revision + 1);
      } catch (error) {
        if (signal.aborted) return;
        // After a compaction, the watch cannot deliver older groups; they are read instead.
        if (error === READ_AGAIN || error instanceof EtcdCompacted) continue;
        if (error instanceof Gap) this.options.onLost(error.message, error.isCurable);
        else if (error !== BACK_OFF) this.options.onTrouble(error);
        await sleep(pause, undefined, { signal }).catch(() => {});
        pause = Math.min(pause * 2, LONGEST_PAUSE);
      }
    }
  }

  /**
   * Reads until the head is reached. Resolves with the revision of the last read; null: the
   * follower was stopped. Rejects with Gap.
   */
  async #catchUp(): Promise<number | null> {
    const { log, next, waitForRoom, onRead, isSnapshotFaster } = this.options;
    for (;;) {
      await waitForRoom();
      if (this.#stop.signal.aborted) return null;
      const first = next();
      const startedAt = performance.now();
      const state = await log.read(first);
      if (this.#stop.signal.aborted) return null;
      const { head, floor } = state;
      const last = head?.sequence ?? 0;
      if (last < first - 1) throw new Gap(wentBack(first - 1, last), false);
      if (first <= last && first < floor)
        throw new Gap(`the log in etcd begins at entry ${floor}, but this node needs entry ${first}`, true);
      if (first <= last && (await isSnapshotFaster(last - first + 1)))
        throw new Gap(
          `it lacks ${last - first + 1} entries, and a snapshot of another node is faster than applying them`,
          true,
        );
      for (const group of state.groups) this.#passOn(group);
      onRead(state, startedAt);
      if (last < next()) return state.revision;
      if (next() !== first) continue;
      // All groups were passed on as a whole, so a group must start at `first`. Otherwise this node
      // has another history than the log.
      throw new Gap(`the log in etcd lacks entry ${first}`, true);
    }
  }

  /** Watches until the watch fails or misses a group. */
  async #watch(revision: number): Promise<void> {
    this.#watchAbort = new AbortController();
    const signal = AbortSignal.any([this.#watchAbort.signal, this.#stop.signal]);
    const onGroup = (group: LoggedGroup): void => (this.options.isFull() ? this.readNow() : this.#passOn(group));
    const watch = this.options.log.watch(revision, onGroup, signal);
    await Promise.race([watch, this.#readAtIntervals(signal)]).finally(() => this.readNow());
  }

  async #readAtIntervals(signal: AbortSignal): Promise<never> {
    for (;;) {
      await sleep(this.options.interval, undefined, { signal }).catch(() => {});
      signal.throwIfAborted();
      const before = this.options.next();
      if ((await this.#catchUp()) === null) this.#stop.abort();
      signal.throwIfAborted();
      // The watch should have delivered these groups.
      if (this.options.next() !== before) throw READ_AGAIN;
    }
  }

  #passOn(group: LoggedGroup): void {
    const next = this.options.next();
    if (group.first === next) this.options.onGroup(group);
    else if (group.first > next) this.readNow();
  }
}

const READ_AGAIN = Symbol('look again');
const BACK_OFF = Symbol('look again later');

/** The log does not continue from the last entry of this node. */
class Gap extends Error {
  constructor(
    message: string,
    /** A snapshot of another node helps. */
    readonly isCurable: boolean,
  ) {
    super(message);
  }
}
