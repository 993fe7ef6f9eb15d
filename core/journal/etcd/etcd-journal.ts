/**
 * The journal of several nodes. etcd orders the entries, and every node applies all of them. A
 * commit is checked against the state applied here and appended after the head applied here. The
 * append fails if another node was faster. Then the entries of that node are applied first, and the
 * pending commits are checked again.
 */
import { setTimeout as sleep } from 'node:timers/promises';
import { diskFull, isDiskFull } from '../../base/disk-full.ts';
import { ConflictError, UnavailableError } from '../../base/errors.ts';
import { SharedRun } from '../../base/shared-run.ts';
import type { Link } from '../apply/applier.ts';
import { importOf } from '../apply/import-entries.ts';
import type { ZoneUpdates } from '../apply/zone-updates.ts';
import { buildGroup, type Group, type PendingCommit } from '../commit/commit-queue.ts';
import { EtcdUnavailable } from '../etcd-client/errors.ts';
import { LocalJournal } from '../local-journal.ts';
import { Appender, Turns } from './appender.ts';
import { AppliedWaiters, Backlog, type Continuation, continueFrom, Freshness } from './backlog.ts';
import {
  busy,
  type EtcdJournal,
  type EtcdJournalOptions,
  noQuorum,
  otherHistory,
  refusalFor,
  type Sequencing,
} from './contract.ts';
import { Follower } from './follower.ts';
import { decodeCommits, encodeOutcomes, type Outcome } from './forward-codec.ts';
import { Forwarding, Gathering, mandatesOf, SHARED_FOR, withCurrentMandates } from './forwarding.ts';
import { type Appended, EtcdLog, type LoggedGroup, type LogState } from './shared-log.ts';

/**
 * Opens the journal, which reads the log and follows it. It accepts commits once it has caught up.
 */
export function openEtcdJournal(options: EtcdJournalOptions): EtcdJournal {
  const journal = new SharedJournal(options);
  journal.start();
  return journal;
}

/** Used without a sequencer: this node appends its own commits. */
const NO_SEQUENCER: Sequencing = { node: '', sequencer: () => null };

/** Missed reads of the log after which etcd counts as unreachable. */
const MISSED_READS = 3;

/** Milliseconds before applying is retried, for example when the disk is full. */
const APPLY_RETRY_PAUSE = 1000;

class SharedJournal extends LocalJournal implements EtcdJournal {
  readonly #log: EtcdLog;
  readonly #appender: Appender;
  readonly #turns: Turns;
  readonly #follower: Follower;
  /** Groups read from the log. They can include groups of this node. */
  readonly #backlogGroups = new Backlog();
  readonly #forwarding: Forwarding;
  readonly #gathering = new Gathering();
  /** When the last group with commits of several nodes was appended, as performance.now(). */
  #mixedAt = Number.NEGATIVE_INFINITY;
  readonly #latestReads = new SharedRun(() => this.#readLatest());
  readonly freshness = new Freshness();
  /** Sequence of the last known entry of the log. */
  #logEnd = 0;
  /** Applying failed and waits for the retry. */
  #isPaused = false;
  /** Why the next entry of the log cannot be applied. */
  #stuckBy: unknown = null;
  isSynced = false;
  /** Why the log does not continue from the last entry of this node; null: it continues. */
  #fault: string | null = null;
  /** `isCurable` of the last report. */
  #isCurable = false;
  /** See `hold`. */
  #heldFor: string | null = null;
  readonly #waiters = new AppliedWaiters();
  #onSynced: (() => void)[] = [];

  constructor(private readonly options: EtcdJournalOptions) {
    super({ ...options, node: options.sequencing?.node });
    this.#log = new EtcdLog(options.gateway, options.prefix);
    this.#appender = new Appender(this.#log, options.deadline);
    this.#turns = new Turns(this.#log, options.countOthers ?? (() => 0));
    this.#forwarding = new Forwarding({
      ...(options.sequencing ?? NO_SEQUENCER),
      log: this.#log,
      deadline: options.deadline,
      readLatest: () => this.#readLatest(),
      waitForApplied: (sequence) => this.#waitForApplied(sequence),
      isClosed: () => this.isClosed,
      waitForPeers: async (sequence) => options.waitForPeers?.(sequence),
      putBack: (waiting) => {
        this.queue.putBack(waiting);
        this.wake();
      },
    });
    this.#follower = new Follower({
      log: this.#log,
      next: () => this.#lastRead + 1,
      onGroup: (group) => this.#addToBacklog(group),
      onRead: (state, at) => this.#onRead(state, at),
      onLost: (reason, isCurable) => this.#onLost(reason, isCurable),
      isLost: () => this.#fault !== null,
      isHeld: () => this.#heldFor !== null,
      onTrouble: (error) => options.events?.onTrouble(error),
      isSnapshotFaster: options.isSnapshotFaster ?? (() => Promise.resolve(false)),
      isFull: () => this.#backlogGroups.isFull,
      waitForRoom: () => this.#backlogGroups.waitForRoom(),
      interval: options.interval,
    });
  }

  get lost(): string | null {
    return this.#heldFor ?? this.#fault;
  }

  get isStuck(): boolean {
    return this.#stuckBy !== null;
  }

  get lag(): number {
    return Math.max(0, this.#logEnd - this.head);
  }

  get backlog(): number {
    return this.#backlogGroups.bytes;
  }

  start(): void {
    this.#follower.start();
  }

  async catchUp(): Promise<void> {
    if (this.lost === null && !this.isSynced) await new Promise<void>((done) => this.#onSynced.push(done));
    if (this.lost !== null) throw new UnavailableError('node_lost', this.lost);
    if (this.#logEnd <= this.head) return;
    await this.#waiters.waitFor(this.#logEnd);
  }

  hold(reason: string | null): void {
    const wasLost = this.lost !== null;
    this.#heldFor = reason;
    if (reason === null) this.#noteFound(wasLost);
    else this.#stopFor(reason, false, wasLost);
  }

  latest(): Promise<number> {
    return this.#latestReads.join();
  }

  truncate(floor: number): Promise<void> {
    return this.#log.truncate(floor);
  }

  async commitForwarded(node: string, commits: Buffer): Promise<Buffer> {
    const { mandate: revision, requests } = decodeCommits(commits);
    if (this.isClosed) throw new UnavailableError('stopping', 'This node is stopping.');
    const error = this.#commitError() ?? this.clock.refusal();
    if (error !== null) throw error;
    const outcomes = requests.map(
      (request): Promise<Outcome> =>
        this.queue.add(request, { mandate: { node, revision } }).then(
          ({ sequence }) => sequence,
          (reason: unknown) => {
            // The forwarding node determines the outcome itself.
            if (reason instanceof EtcdUnavailable && reason.mayHappen) throw reason;
            return reason instanceof ConflictError ? 'conflict' : 'not accepted';
          },
        ),
    );
    this.wake();
    const each = await Promise.all(outcomes);
    return encodeOutcomes({ isShared: this.#isShared, head: this.#logEnd, each });
  }

  override async close(): Promise<void> {
    await this.ids.close(this.#canReachLog);
    this.isClosed = true;
    this.wake();
    await this.#forwarding.waitUntilIdle();
    const stopping = this.#follower.stop();
    this.#backlogGroups.releaseWaiters();
    await stopping;
    await super.close();
  }

  protected override async waitForImport(sequence: number, signal: AbortSignal): Promise<void> {
    await this.options.waitForServed?.(sequence, signal);
  }

  protected override wake(): void {
    this.#gathering.update();
    this.#forwarding.update();
    super.wake();
  }

  /** The sequence of the last entry that is applied or in the backlog. */
  get #lastRead(): number {
    return this.#backlogGroups.last ?? this.head;
  }

  protected get hasWork(): boolean {
    const hasCommits = !this.queue.isEmpty && !this.#forwarding.isInFlight;
    return !this.#backlogGroups.isEmpty && !this.#isPaused ? !this.isClosed || hasCommits : hasCommits;
  }

  protected async work(): Promise<void> {
    const error = this.queue.isEmpty ? null : this.#commitError();
    if (error !== null) this.#rejectAll(error);
    else if (this.#forward()) return;
    else if (!this.#backlogGroups.isEmpty) {
      if (!this.queue.isEmpty && !this.#forwarding.isInFlight) await this.#handleLostRace();
      await this.#applyBacklog();
    } else if (this.#turns.mustWait) await this.#turns.waitForGroup();
    else await this.#commitNext();
  }

  /**
   * Starts forwarding pending commits to the sequencer. False: this node must append them itself.
   */
  #forward(): boolean {
    if (this.queue.isEmpty || this.#forwarding.isInFlight || this.isClosed) return false;
    const { sequencer } = this.#forwarding;
    if (sequencer === null) return false;
    void this.#forwarding.forward(this.queue, sequencer).then(() => this.wake());
    return true;
  }

  /** Whether a last write is possible. Without etcd, it would only delay the stop. */
  get #canReachLog(): boolean {
    const { lookedAt } = this.freshness;
    const maxAge = MISSED_READS * this.options.interval;
    return this.lost === null && lookedAt !== null && performance.now() - lookedAt < maxAge;
  }

  /** See `latest`. */
  async #readLatest(): Promise<number> {
    const error = this.#commitError();
    if (error !== null) throw error;
    const end = await this.#log.readEnd().catch((reason: unknown) => {
      throw reason instanceof EtcdUnavailable ? noQuorum('etcd has no quorum') : refusalFor(reason);
    });
    if (end > this.head) this.#follower.readNow();
    await this.#waitForApplied(end);
    return end;
  }

  /**
   * Resolves when an entry of the log is applied here. Rejects with UnavailableError, also after a
   * timeout.
   */
  async #waitForApplied(sequence: number): Promise<void> {
    if (sequence <= this.head) return;
    if (this.lost !== null) throw new UnavailableError('node_lost', this.lost);
    this.#logEnd = Math.max(this.#logEnd, sequence);
    const timeout = noQuorum('this node has not applied the latest writes of other nodes yet');
    await this.#waiters.waitWithTimeout(sequence, this.options.deadline, timeout);
  }

  /** Returns the error for commits while none can be accepted; null: they can. */
  #commitError(): Error | null {
    if (this.lost !== null) return new UnavailableError('node_lost', `This node accepts no writes: ${this.lost}.`);
    if (!this.isSynced) return noQuorum('this node has not caught up with etcd yet');
    const { storage } = this.options;
    if (storage?.isFull) return storage.refusalOf('');
    if (isDiskFull(this.#stuckBy)) return diskFull(this.#stuckBy);
    if (this.isStuck)
      return new UnavailableError('node_stuck', 'This node cannot apply the writes of other nodes; use another node.');
    return null;
  }

  #rejectAll(error: Error): void {
    while (!this.queue.isEmpty) for (const { reject } of this.queue.take()) reject(error);
  }

  // Callbacks of the follower.

  #addToBacklog(group: LoggedGroup): void {
    if (this.#heldFor !== null) return;
    this.#backlogGroups.add(group);
    this.#logEnd = Math.max(this.#logEnd, this.#lastRead);
    this.#turns.noteArrival();
    this.wake();
  }

  #onRead({ head, headRevision }: LogState, at: number): void {
    this.freshness.noteRead(at, head?.sequence ?? 0, this.head);
    this.#logEnd = Math.max(this.#logEnd, head?.sequence ?? 0);
    if ((head?.sequence ?? 0) === this.head && this.#backlogGroups.isEmpty) {
      if (head !== null && !head.hash.equals(this.applier.head.hash)) {
        this.#onLost(otherHistory(this.head), false);
        return;
      }
      this.#appender.headRevision = headRevision;
      this.#clearFault();
    }
    if (!this.isStuck) this.options.events?.onTrouble(null);
    if (!this.isSynced) {
      this.isSynced = true;
      for (const done of this.#onSynced.splice(0)) done();
    }
  }

  /**
   * The log does not continue from the last entry of this node. It is read again, since its values
   * may be damaged.
   */
  #onLost(reason: string, isCurable: boolean): void {
    const wasLost = this.lost !== null;
    this.#fault = reason;
    this.#stopFor(reason, isCurable, wasLost);
  }

  #stopFor(reason: string, isCurable: boolean, wasLost: boolean): void {
    this.#backlogGroups.clear();
    this.#follower.backOff();
    const error = new UnavailableError('node_lost', reason);
    this.#waiters.rejectAll(error);
    for (const done of this.#onSynced.splice(0)) done();
    // Reported once, and again when a snapshot can help.
    if (!wasLost || (isCurable && !this.#isCurable)) this.options.events?.onLost(reason, isCurable);
    this.#isCurable = isCurable;
    this.wake();
  }

  /** The hash shows that the log continues from the last entry of this node. */
  #clearFault(): void {
    const wasLost = this.lost !== null;
    this.#fault = null;
    this.#noteFound(wasLost);
  }

  #noteFound(wasLost: boolean): void {
    if (wasLost && this.lost === null) this.options.events?.onFound?.();
  }

  // Applying groups of the log.

  async #applyBacklog(): Promise<void> {
    const checkpoint = this.recent.checkpoint();
    const groups = this.#backlogGroups.front;
    const { head } = this;
    let continuation: Continuation;
    try {
      continuation = continueFrom(this.applier.head, groups);
      for (const { applied } of continuation.links) this.recent.add(applied.entry.sequence, applied.entry.changes);
    } catch (error) {
      // For example an entry written by a newer version.
      this.recent.restore(checkpoint);
      this.#pauseApplying(error);
      return;
    }
    if (continuation.mismatch !== null) {
      this.recent.restore(checkpoint);
      this.#onLost(otherHistory(continuation.mismatch), false);
      return;
    }
    const failure = await this.#applyLinks(continuation.links, continuation.head.hash, checkpoint);
    if (failure !== null) this.#pauseApplying(failure);
    else {
      this.#turns.noteForeignGroups(groups.filter(({ first }) => first > head).length);
      this.#forwarding.noteApplied(continuation.links);
      this.#removeApplied(groups);
    }
  }

  /** Removes applied groups from the backlog. */
  #removeApplied(groups: readonly LoggedGroup[]): void {
    this.#stuckBy = null;
    this.#clearFault();
    this.#backlogGroups.removeFirst(groups.length);
    this.#onApplied(groups[groups.length - 1].revision);
  }

  /** Resolves with the error if applying failed; null: success. */
  async #applyLinks(links: readonly Link[], hash: Buffer, checkpoint: number): Promise<Error | null> {
    if (links.length === 0) return null;
    let updates: ZoneUpdates;
    try {
      updates = await this.applier.apply(links, hash);
    } catch (error) {
      this.recent.restore(checkpoint);
      this.observer?.observeFailure();
      return error as Error;
    }
    this.applier.publish(updates);
    return null;
  }

  /** Pauses applying, and retries later. */
  #pauseApplying(reason: unknown): void {
    this.options.events?.onTrouble(reason);
    this.#stuckBy = reason;
    this.#isPaused = true;
    setTimeout(() => {
      this.#isPaused = false;
      this.wake();
    }, APPLY_RETRY_PAUSE).unref();
  }

  #onApplied(revision: number): void {
    this.freshness.noteApplied(this.head);
    this.#appender.headRevision = Math.max(this.#appender.headRevision, revision);
    this.#waiters.resolveUpTo(this.head);
  }

  // Appending commits.

  async #commitNext(): Promise<void> {
    const isOver = (): boolean => this.isClosed || !this.#backlogGroups.isEmpty;
    if (this.#isShared) await this.#gathering.gather(() => this.queue.size, this.#turns.groupDuration, isOver);
    if (!this.#backlogGroups.isEmpty) return;
    const group = this.queue.take();
    await this.#commitGroup(group);
    this.#gathering.noteGroup(group.length, this.queue.size);
  }

  /** Whether recent groups had commits of several nodes. */
  get #isShared(): boolean {
    return performance.now() - this.#mixedAt < SHARED_FOR;
  }

  async #commitGroup(waiting: readonly PendingCommit[]): Promise<void> {
    const start = performance.now();
    const checkpoint = this.recent.checkpoint();
    const group = buildGroup(withCurrentMandates(waiting), this.applier.head, this.recent, this.clock, this.observer);
    const { accepted, links, hash } = group;
    if (accepted.length === 0) return;
    try {
      if (accepted.some(({ request }) => request.compiled === undefined && importOf(request.changes) === null))
        await this.applier.rehearse(links);
    } catch (error) {
      this.observer?.observeFailure();
      this.recent.restore(checkpoint);
      if (accepted.length === 1) accepted[0].reject(error as Error);
      // A group that cannot be applied must never reach the log. Its other commits must not fail.
      else for (const commit of accepted) await this.#commitGroup([commit]);
      return;
    }
    let outcome: Appended;
    try {
      outcome = await this.#appender.append(group, this.applier.head, this.#turns.claim, mandatesOf(accepted));
    } catch (error) {
      this.observer?.observeFailure();
      this.recent.restore(checkpoint);
      const commitError = refusalFor(error);
      for (const { mandate, reject } of accepted) reject(mandate ? (error as Error) : commitError);
      this.#rejectAll(commitError);
      this.#follower.readNow();
      return;
    }
    if ('state' in outcome) {
      // Another node was faster. Its entries are applied before these commits are checked again.
      this.recent.restore(checkpoint);
      this.#forwarding.noteOtherWriter();
      this.queue.putBack(accepted);
      // The head is unchanged: a mandate is no longer valid, or it is another node's turn.
      if (outcome.state.head?.sequence === this.head) this.#rejectForwarded();
      await this.#handleLostAppend(outcome.state);
      return;
    }
    this.#logEnd = Math.max(this.#logEnd, this.head + links.length);
    if (accepted.some(({ mandate }) => mandate?.node !== accepted[0].mandate?.node)) this.#mixedAt = performance.now();
    // The forwarding node also applies the group, and waits for the other nodes itself.
    accepted.forEach(({ mandate, resolve }, i) => {
      if (mandate) resolve({ sequence: links[i].applied.entry.sequence });
    });
    const failure = await this.#applyLinks(links, hash, checkpoint);
    if (failure !== null) {
      const first = links[0].applied.entry.sequence;
      const own = { first, entries: links.map(({ bytes }) => bytes), revision: outcome.revision };
      // The watch may have delivered the group already.
      if (this.lost === null && this.#backlogGroups.first !== first) this.#backlogGroups.putBefore(own);
      this.#pauseApplying(failure);
      const error = new UnavailableError(
        'node_stuck',
        'The change was written, but this node cannot apply it at the moment.',
      );
      for (const { reject } of accepted) reject(error);
      return;
    }
    this.#onApplied(outcome.revision);
    const duration = performance.now() - start;
    this.#turns.noteAppend(duration);
    this.observer?.observeCommit(accepted.length, duration / 1000);
    // The next group does not wait for this.
    this.#resolveCommits(group).catch((error: unknown) => this.options.events?.onTrouble(error));
  }

  /** Rejects forwarded commits, so that their nodes retry them. */
  #rejectForwarded(): void {
    for (const { reject } of this.queue.takeForwarded()) reject(busy());
  }

  async #resolveCommits({ accepted, links }: Group): Promise<void> {
    for (const { request } of accepted) request.onApplied?.();
    await this.options.waitForPeers?.(links[links.length - 1].applied.entry.sequence);
    accepted.forEach((commit, i) => {
      commit.resolve({ sequence: links[i].applied.entry.sequence });
    });
  }

  async #handleLostAppend({ head, headRevision, groups, turn }: LogState): Promise<void> {
    for (const group of groups) if (group.first === this.#lastRead + 1) this.#addToBacklog(group);
    this.#turns.noteLostAppend(turn, this.#backlogGroups.count);
    if (!this.#backlogGroups.isEmpty) return;
    await this.#handleLostRace();
    // The head was written again unchanged, or not at all: it is another node's turn.
    if (head?.sequence === this.head && head.hash.equals(this.applier.head.hash)) {
      this.#appender.headRevision = headRevision;
      return;
    }
    this.#follower.readNow();
    await sleep(READ_PAUSE);
  }

  /** Other nodes were faster. Rejects the commits that have waited too long. */
  async #handleLostRace(): Promise<void> {
    for (const { reject } of this.queue.takeBefore(performance.now() - this.options.deadline)) reject(busy());
    await this.#turns.noteLostRace();
  }
}

/** Milliseconds for the follower to read the entries of other nodes. */
const READ_PAUSE = 50;
