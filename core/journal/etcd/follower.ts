/**
 * Keeps a node at the end of the log: looks where it stands, reads what is missing, watches what comes, and looks again from time to time, since a watch may be silent for
 * reasons of its own. Whatever comes twice, late or not at all, groups are handed on in order and without gaps.
 */
import { setTimeout as sleep } from 'node:timers/promises';
import { EtcdCompacted } from '../../etcd/errors.ts';
import { wentBack } from './refusals.ts';
import type { EtcdLog, LoggedGroup, LogState } from './shared-log.ts';

export interface FollowerOptions {
  readonly log: EtcdLog;
  /** Sequence after which the next group is to begin. */
  next(): number;
  /** To be applied; it begins at `next()`. */
  onGroup(group: LoggedGroup): void;
  /** How the log stood at a look that began at `at` (performance.now()); its groups have been handed on. */
  onLook(state: LogState, at: number): void;
  /** The node has missed what is not there any more (a snapshot of another helps), or is ahead of the log (it does not). It follows no more. */
  onLost(why: string, isCurable: boolean): void;
  /** Whether a copy of another node's store is sooner here than so many entries. */
  isFar(entries: number): Promise<boolean>;
  /** More is not to be handed on for now, but for the rest of a look. */
  isFull(): boolean;
  /** Resolves when it is no longer full, or is closing. */
  room(): Promise<void>;
  /** The log cannot be reached, or what came is unusable; it is tried again. Null: it can. */
  onTrouble(error: unknown): void;
  /** Milliseconds between looks while the watch stands. */
  readonly interval: number;
}

const FIRST_PAUSE = 100;
const LONGEST_PAUSE = 5000;

export class Follower {
  readonly #options: FollowerOptions;
  readonly #stop = new AbortController();
  #running: Promise<void> = Promise.resolve();
  /** Of the watch that stands. */
  #again = new AbortController();

  constructor(options: FollowerOptions) {
    this.#options = options;
  }

  start(): void {
    this.#running = this.#run();
  }

  /** Looks at once. */
  look(): void {
    this.#again.abort(LOOK_AGAIN);
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
        const revision = await this.#catchUp();
        if (revision === null) return;
        pause = FIRST_PAUSE;
        await this.#watch(revision + 1);
      } catch (error) {
        if (signal.aborted) return;
        // What a watch has missed by a compaction is read.
        if (error === LOOK_AGAIN || error instanceof EtcdCompacted) continue;
        this.#options.onTrouble(error);
        await sleep(pause, undefined, { signal }).catch(() => {});
        pause = Math.min(pause * 2, LONGEST_PAUSE);
      }
    }
  }

  /** Reads until the head is reached; resolves with the revision of the last look, or null when that cannot be. */
  async #catchUp(): Promise<number | null> {
    const { log, next, room, onLook, onLost, isFar } = this.#options;
    for (;;) {
      await room();
      if (this.#stop.signal.aborted) return null;
      const from = next();
      const began = performance.now();
      const state = await log.look(from);
      if (this.#stop.signal.aborted) return null;
      const { head, floor } = state;
      const last = head?.sequence ?? 0;
      if (last < from - 1) {
        onLost(wentBack(from - 1, last), false);
        return null;
      }
      if (from <= last && from < floor) {
        onLost(`the log in etcd begins at entry ${floor}, but this node needs entry ${from}`, true);
        return null;
      }
      if (from <= last && (await isFar(last - from + 1))) {
        onLost(
          `it lacks ${last - from + 1} entries, and a snapshot of another node is faster than applying them`,
          true,
        );
        return null;
      }
      for (const group of state.groups) this.#hand(group);
      onLook(state, began);
      if (last < next()) return state.revision;
      if (next() !== from) continue;
      // All are handed on whole, so that one begins there, unless this node's history is not that of the log.
      onLost(`the log in etcd lacks entry ${from}`, true);
      return null;
    }
  }

  /** Until the watch ends, or has missed something. */
  async #watch(revision: number): Promise<void> {
    this.#again = new AbortController();
    const signal = AbortSignal.any([this.#again.signal, this.#stop.signal]);
    const take = (group: LoggedGroup): void => (this.#options.isFull() ? this.look() : this.#hand(group));
    const watch = this.#options.log.watch(revision, take, signal);
    await Promise.race([watch, this.#lookNowAndThen(signal)]).finally(() => this.look());
  }

  async #lookNowAndThen(signal: AbortSignal): Promise<never> {
    for (;;) {
      await sleep(this.#options.interval, undefined, { signal }).catch(() => {});
      signal.throwIfAborted();
      const before = this.#options.next();
      if ((await this.#catchUp()) === null) this.#stop.abort();
      signal.throwIfAborted();
      // It was the watch's to tell of them.
      if (this.#options.next() !== before) throw LOOK_AGAIN;
    }
  }

  #hand(group: LoggedGroup): void {
    const next = this.#options.next();
    if (group.first === next) this.#options.onGroup(group);
    else if (group.first > next) this.look();
  }
}

const LOOK_AGAIN = Symbol('look again');
