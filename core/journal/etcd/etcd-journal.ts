/**
 * The journal of several nodes: etcd puts the entries in their order, each node applies them all. A commit is checked against what is applied here, appended behind the head that is
 * applied here, and fails there when another node was sooner: then that node's entries are applied first, and what waits is checked anew.
 */
import { setTimeout as sleep } from 'node:timers/promises';
import { ConflictError, UnavailableError } from '../../base/errors.ts';
import { EtcdUnavailable } from '../../etcd/errors.ts';
import type { Link } from '../apply/applier.ts';
import type { ZoneUpdates } from '../apply/apply-zones.ts';
import { chain, type Group, type Waiting } from '../commit/commit-queue.ts';
import { LocalJournal } from '../local-journal.ts';
import { Appender } from './appender.ts';
import { Arrivals } from './applied-waiters.ts';
import { Backlog, type Following, follow } from './backlog.ts';
import type { EtcdJournal, EtcdJournalOptions } from './contract.ts';
import { Follower } from './follower.ts';
import { decodeCommits, encodeOutcomes, type Outcome } from './forward-codec.ts';
import { Forwarding, SHARED } from './forwarding.ts';
import { Freshness } from './freshness.ts';
import { Gathering } from './gathering.ts';
import { mandatesOf, standing } from './mandates.ts';
import { busy, noQuorum, otherHistory, refusalFor } from './refusals.ts';
import { type Appended, EtcdLog, type LoggedGroup, type LogState } from './shared-log.ts';
import { Joined } from './shared-run.ts';
import { Turns } from './turns.ts';

/** Reads where the log stands, and follows it. The journal takes commits once it has caught up. */
export function openEtcdJournal(options: EtcdJournalOptions): EtcdJournal {
  const journal = new SharedJournal(options);
  journal.start();
  return journal;
}

/** Nobody else appends. */
const ALONE: NonNullable<EtcdJournalOptions['sequencing']> = { node: '', sequencer: () => null };

/** Milliseconds until what could not be applied is tried again, as that of a full disk. */
const APPLY_PAUSE = 1000;

class SharedJournal extends LocalJournal implements EtcdJournal {
  readonly #options: EtcdJournalOptions;
  readonly #log: EtcdLog;
  readonly #appender: Appender;
  readonly #turns: Turns;
  readonly #follower: Follower;
  /** Our own groups may be among them. */
  readonly #foreign = new Backlog();
  readonly #forwarding: Forwarding;
  readonly #gathering = new Gathering();
  /** When a group had commits of more than one node last, in the time of performance.now(). */
  #mixedAt = Number.NEGATIVE_INFINITY;
  readonly #looks = new Joined(() => this.#level());
  readonly freshness = new Freshness();
  /** The last entry that the log is known to have. */
  #seen = 0;
  /** It waits before it tries to apply once more. */
  #isPausing = false;
  isStuck = false;
  isSynced = false;
  lost: string | null = null;
  readonly #arrivals = new Arrivals();
  #untilSynced: (() => void)[] = [];

  constructor(options: EtcdJournalOptions) {
    super(options);
    this.#options = options;
    this.#log = new EtcdLog(options.gateway, options.prefix);
    this.#appender = new Appender(this.#log, options.deadline);
    this.#turns = new Turns(this.#log, options.others ?? (() => 0));
    this.#forwarding = new Forwarding({
      ...(options.sequencing ?? ALONE),
      ...{ log: this.#log, deadline: options.deadline },
      level: () => this.#level(),
      reached: (sequence) => this.#reachedBy(sequence),
      isClosed: () => this.isClosed,
      acknowledged: async (sequence) => options.acknowledged?.(sequence),
      putBack: (waiting) => {
        this.queue.putBack(waiting);
        this.wake();
      },
    });
    this.#follower = new Follower({
      log: this.#log,
      next: () => this.#tail + 1,
      onGroup: (group) => this.#take(group),
      onLook: (state, at) => this.#looked(state, at),
      onLost: (why, isCurable) => this.#lose(why, isCurable),
      onTrouble: (error) => options.events?.trouble(error),
      isFar: options.isFar ?? (() => Promise.resolve(false)),
      isFull: () => this.#foreign.isFull,
      room: () => this.#foreign.room(),
      interval: options.interval,
    });
  }

  get lag(): number {
    return Math.max(0, this.#seen - this.head);
  }

  get backlog(): number {
    return this.#foreign.bytes;
  }

  start(): void {
    this.#follower.start();
  }

  async caughtUp(): Promise<void> {
    if (this.lost === null && !this.isSynced) await new Promise<void>((done) => this.#untilSynced.push(done));
    if (this.lost !== null) throw new UnavailableError('node_lost', this.lost);
    if (this.#seen <= this.head) return;
    await this.#arrivals.of(this.#seen);
  }

  leave(why: string): void {
    this.#lose(why, false);
  }

  latest(): Promise<number> {
    return this.#looks.join();
  }

  forget(floor: number): Promise<void> {
    return this.#log.forget(floor);
  }

  async commitForwarded(node: string, commits: Buffer): Promise<Buffer> {
    const { mandate: revision, requests } = decodeCommits(commits);
    if (this.isClosed) throw new UnavailableError('stopping', 'This node is stopping.');
    const refusal = this.#refusal();
    if (refusal !== null) throw refusal;
    const outcomes = requests.map(
      (request): Promise<Outcome> =>
        this.queue.add(request, { node, revision }).then(
          ({ sequence }) => sequence,
          (error: unknown) => {
            // The node that forwarded it finds that out.
            if (error instanceof EtcdUnavailable && error.mayHappen) throw error;
            return error instanceof ConflictError ? 'conflict' : 'not taken';
          },
        ),
    );
    this.wake();
    const each = await Promise.all(outcomes);
    return encodeOutcomes({ isShared: this.#isShared, head: this.#seen, each });
  }

  override async close(): Promise<void> {
    this.isClosed = true;
    this.wake();
    await this.#forwarding.settled();
    const stopped = this.#follower.stop();
    this.#foreign.makeRoom();
    await stopped;
    await super.close();
  }

  protected override wake(): void {
    this.#gathering.changed();
    this.#forwarding.changed();
    super.wake();
  }

  /** Of what is applied, and what is to be. */
  get #tail(): number {
    return this.#foreign.last ?? this.head;
  }

  protected get hasWork(): boolean {
    const isWaiting = !this.queue.isEmpty && !this.#forwarding.isUnderWay;
    return !this.#foreign.isEmpty && !this.#isPausing ? !this.isClosed || isWaiting : isWaiting;
  }

  protected async work(): Promise<void> {
    const refusal = this.queue.isEmpty ? null : this.#refusal();
    if (refusal !== null) this.#refuseAll(refusal);
    else if (this.#forward()) return;
    else if (!this.#foreign.isEmpty) {
      if (!this.queue.isEmpty && !this.#forwarding.isUnderWay) await this.#passedOver();
      await this.#applyForeign();
    } else if (this.#turns.areTheirs) await this.#turns.letBy();
    else await this.#commitNext();
  }

  /** True: what waits is on its way to the sequencer. */
  #forward(): boolean {
    if (this.queue.isEmpty || this.#forwarding.isUnderWay || this.isClosed) return false;
    const { sequencer } = this.#forwarding;
    if (sequencer === null) return false;
    void this.#forwarding.forward(this.queue, sequencer).then(() => this.wake());
    return true;
  }

  /** As `latest`. */
  async #level(): Promise<number> {
    const refusal = this.#refusal();
    if (refusal !== null) throw refusal;
    const end = await this.#log.end().catch((error: unknown) => {
      throw error instanceof EtcdUnavailable ? noQuorum('etcd has no quorum') : refusalFor(error);
    });
    if (end > this.head) this.#follower.look();
    await this.#reachedBy(end);
    return end;
  }

  /** Resolves when an entry that the log holds is applied here. Rejects with UnavailableError, also when that takes too long. */
  async #reachedBy(sequence: number): Promise<void> {
    if (sequence <= this.head) return;
    if (this.lost !== null) throw new UnavailableError('node_lost', this.lost);
    this.#seen = Math.max(this.#seen, sequence);
    const late = noQuorum('this node has not applied the latest writes of other nodes yet');
    await this.#arrivals.soon(sequence, this.#options.deadline, late);
  }

  /** Why nothing can be committed. */
  #refusal(): Error | null {
    if (this.lost !== null) return new UnavailableError('node_lost', `This node accepts no writes: ${this.lost}.`);
    if (!this.isSynced) return noQuorum('this node has not caught up with etcd yet');
    if (this.isStuck)
      return new UnavailableError('node_stuck', 'This node cannot apply the writes of other nodes; use another node.');
    return null;
  }

  #refuseAll(error: Error): void {
    while (!this.queue.isEmpty) for (const { reject } of this.queue.take()) reject(error);
  }

  // From the follower.

  #take(group: LoggedGroup): void {
    if (this.lost !== null) return;
    this.#foreign.add(group);
    this.#seen = Math.max(this.#seen, this.#tail);
    this.#turns.groupArrived();
    this.wake();
  }

  #looked({ head, headRevision }: LogState, at: number): void {
    this.freshness.looked(at, head?.sequence ?? 0, this.head);
    this.#seen = Math.max(this.#seen, head?.sequence ?? 0);
    if ((head?.sequence ?? 0) === this.head && this.#foreign.isEmpty) {
      if (head !== null && !head.hash.equals(this.applier.head.hash)) {
        this.#lose(otherHistory(this.head), false);
        return;
      }
      this.#appender.headRevision = headRevision;
    }
    if (!this.isStuck) this.#options.events?.trouble(null);
    if (!this.isSynced) {
      this.isSynced = true;
      for (const done of this.#untilSynced.splice(0)) done();
    }
  }

  #lose(why: string, isCurable: boolean): void {
    if (this.lost !== null) return;
    this.lost = why;
    this.#foreign.clear();
    const error = new UnavailableError('node_lost', why);
    this.#arrivals.failed(error);
    for (const done of this.#untilSynced.splice(0)) done();
    this.#options.events?.lost(why, isCurable);
    this.wake();
  }

  // What others have appended.

  async #applyForeign(): Promise<void> {
    const checkpoint = this.recent.checkpoint();
    const groups = this.#foreign.front;
    const { head } = this;
    let following: Following;
    try {
      following = follow(this.applier.head, groups);
      for (const { applied } of following.links) this.recent.add(applied.entry.sequence, applied.entry.changes);
    } catch (error) {
      // As one that a newer version has written.
      this.recent.restore(checkpoint);
      this.#options.events?.trouble(error);
      this.#stick();
      return;
    }
    if (following.stranger !== null) {
      this.recent.restore(checkpoint);
      this.#lose(otherHistory(following.stranger), false);
    } else if (await this.#applied(following.links, following.head.hash, checkpoint)) {
      this.#turns.others(groups.filter(({ first }) => first > head).length);
      this.#forwarding.applied(following.links);
      this.#passed(groups);
    } else this.#stick();
  }

  /** Groups at the front of the log are applied. */
  #passed(groups: readonly LoggedGroup[]): void {
    this.isStuck = false;
    this.#foreign.passed(groups.length);
    this.#reached(groups[groups.length - 1].revision);
  }

  /** False: it could not be. */
  async #applied(links: readonly Link[], hash: Buffer, checkpoint: number): Promise<boolean> {
    if (links.length === 0) return true;
    let updates: ZoneUpdates;
    try {
      updates = await this.applier.apply(links, hash);
    } catch (error) {
      this.recent.restore(checkpoint);
      this.observer?.failed();
      this.#options.events?.trouble(error);
      return false;
    }
    this.applier.publish(updates);
    return true;
  }

  /** What waits is applied in a while. */
  #stick(): void {
    this.isStuck = true;
    this.#isPausing = true;
    setTimeout(() => {
      this.#isPausing = false;
      this.wake();
    }, APPLY_PAUSE).unref();
  }

  #reached(revision: number): void {
    this.freshness.applied(this.head);
    this.#appender.headRevision = Math.max(this.#appender.headRevision, revision);
    this.#arrivals.reached(this.head);
  }

  // Our own.

  async #commitNext(): Promise<void> {
    const isOver = (): boolean => this.isClosed || !this.#foreign.isEmpty;
    if (this.#isShared) await this.#gathering.gather(() => this.queue.size, this.#turns.took, isOver);
    if (!this.#foreign.isEmpty) return;
    const group = this.queue.take();
    await this.#commitGroup(group);
    this.#gathering.done(group.length, this.queue.size);
  }

  /** Groups have commits of several nodes. */
  get #isShared(): boolean {
    return performance.now() - this.#mixedAt < SHARED;
  }

  async #commitGroup(waiting: readonly Waiting[]): Promise<void> {
    const start = performance.now();
    const checkpoint = this.recent.checkpoint();
    const group = chain(standing(waiting), this.applier.head, this.recent, this.observer);
    const { accepted, links, hash } = group;
    if (accepted.length === 0) return;
    try {
      if (accepted.some(({ request }) => request.compiled === undefined)) this.applier.rehearse(links);
    } catch (error) {
      this.observer?.failed();
      this.recent.restore(checkpoint);
      if (accepted.length === 1) accepted[0].reject(error as Error);
      // What cannot be applied is to be in nobody's log, and must not take the others with it.
      else for (const one of accepted) await this.#commitGroup([one]);
      return;
    }
    let outcome: Appended;
    try {
      outcome = await this.#appender.append(group, this.applier.head, this.#turns.claim, mandatesOf(accepted));
    } catch (error) {
      this.observer?.failed();
      this.recent.restore(checkpoint);
      const why = refusalFor(error);
      for (const { mandate, reject } of accepted) reject(mandate ? (error as Error) : why);
      this.#refuseAll(why);
      this.#follower.look();
      return;
    }
    if ('state' in outcome) {
      // Another was sooner. What it wrote is applied before these are checked anew.
      this.recent.restore(checkpoint);
      this.#forwarding.shared();
      this.queue.putBack(accepted);
      // Nobody was sooner: a mandate does not stand any more, or it is another's turn.
      if (outcome.state.head?.sequence === this.head) this.#giveBack();
      await this.#sooner(outcome.state);
      return;
    }
    this.#seen = Math.max(this.#seen, this.head + links.length);
    if (accepted.some(({ mandate }) => mandate?.node !== accepted[0].mandate?.node)) this.#mixedAt = performance.now();
    // Whoever has forwarded it applies it, too, and waits for the others by itself.
    accepted.forEach(({ mandate, resolve }, i) => {
      if (mandate) resolve({ sequence: links[i].applied.entry.sequence });
    });
    if (!(await this.#applied(links, hash, checkpoint))) {
      const first = links[0].applied.entry.sequence;
      const own = { first, entries: links.map(({ bytes }) => bytes), revision: outcome.revision };
      // The watch may have told of it by now.
      if (this.lost === null && this.#foreign.first !== first) this.#foreign.putBefore(own);
      this.#stick();
      const error = new UnavailableError(
        'node_stuck',
        'The change was written, but this node cannot apply it at the moment.',
      );
      for (const { reject } of accepted) reject(error);
      return;
    }
    this.#reached(outcome.revision);
    const took = performance.now() - start;
    this.#turns.won(took);
    this.observer?.committed(accepted.length, took / 1000);
    // The next group does not wait for that.
    this.#answer(group).catch((error: unknown) => this.#options.events?.trouble(error));
  }

  /** What others have forwarded is theirs again. */
  #giveBack(): void {
    for (const { reject } of this.queue.takeForwarded()) reject(busy());
  }

  async #answer({ accepted, links }: Group): Promise<void> {
    await this.#options.acknowledged?.(links[links.length - 1].applied.entry.sequence);
    accepted.forEach((one, i) => {
      one.resolve({ sequence: links[i].applied.entry.sequence });
    });
  }

  async #sooner({ head, headRevision, groups, turn }: LogState): Promise<void> {
    for (const group of groups) if (group.first === this.#tail + 1) this.#take(group);
    this.#turns.lost(turn, this.#foreign.count);
    if (!this.#foreign.isEmpty) return;
    await this.#passedOver();
    // It was written once more as it was, or not at all: another is to be next.
    if (head?.sequence === this.head && head.hash.equals(this.applier.head.hash)) {
      this.#appender.headRevision = headRevision;
      return;
    }
    this.#follower.look();
    await sleep(LOOK_PAUSE);
  }

  /** Others are sooner than what waits here, some of which has waited for long enough. */
  async #passedOver(): Promise<void> {
    for (const { reject } of this.queue.takeBefore(performance.now() - this.#options.deadline)) reject(busy());
    await this.#turns.passedOver();
  }
}

/** Milliseconds for the follower to bring what others have appended. */
const LOOK_PAUSE = 50;
