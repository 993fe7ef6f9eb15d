/**
 * Forwards commits to the sequencer. While several nodes write, one node, the sequencer, appends
 * the commits of all nodes. This avoids lost races. It also saves work: every append costs each
 * node a transaction and etcd one round, regardless of its size.
 *
 * A forwarded commit is appended at most once. It carries a mandate: the revision of a key in etcd,
 * which the append compares. If there is no response, the node renews its mandate. From then on no
 * older commit can be appended, and the log up to that point shows the outcome.
 */
import { setTimeout as sleep } from 'node:timers/promises';
import { ConflictError, UnavailableError } from '../../base/errors.ts';
import type { Link } from '../apply/applier.ts';
import type { CommitQueue, PendingCommit } from '../commit/commit-queue.ts';
import { EtcdUnavailable } from '../etcd-client/errors.ts';
import { busy, refusalFor, type Sequencer, type Sequencing } from './contract.ts';
import { decodeOutcomes, encodeCommits, type Outcome } from './forward-codec.ts';
import type { EtcdLog, Mandates } from './shared-log.ts';

interface ForwardingOptions extends Sequencing {
  readonly log: Pick<EtcdLog, 'renewMandate'>;
  /** Milliseconds after which the outcome of a commit is reported as unknown. */
  readonly deadline: number;
  /**
   * Resolves when all entries that the log has now are applied here. Rejects with the error for
   * commits.
   */
  readLatest(): Promise<unknown>;
  /** Resolves when an entry is applied here. Rejects like `readLatest`. */
  waitForApplied(sequence: number): Promise<void>;
  /** Resolves when the commit of an applied entry may be answered. */
  waitForPeers(sequence: number): Promise<unknown>;
  isClosed(): boolean;
  /** Puts commits that were not appended back in front of the queue. */
  putBack(waiting: readonly PendingCommit[]): void;
}

/** Milliseconds after an entry of another node during which other nodes count as writing. */
export const SHARED_FOR = 1000;
/**
 * Milliseconds for which a node appends its own commits: after a sequencer did not accept a commit,
 * and by default after it did not respond.
 */
const PAUSE_AFTER_REJECTION = 100;
const AVOID_FOR = 5000;
/** Maximum bytes of changes to forward at once. The node appends larger groups itself. */
const MAX_BYTES = 256 << 10;
const RETRY_PAUSE = 50;
/** Milliseconds to wait for more commits. */
const PATIENCE = 10;

export class Forwarding {
  readonly #gathering = new Gathering();
  /** 0: there is none. */
  #mandate = 0;
  /** A time of performance.now(). */
  #sharedUntil = 0;
  #pausedUntil = 0;
  /** Entries applied since the commits in flight were sent; null: no commits are in flight. */
  #applied: Link[] | null = null;
  /** Sequences of forwarded commits that are not applied here yet. */
  readonly #ownSequences = new Set<number>();
  /** These promises never reject. */
  #sending: Promise<unknown> = Promise.resolve();
  #answering: Promise<unknown> = Promise.resolve();

  constructor(private readonly options: ForwardingOptions) {}

  /** Commits are sent and not answered yet. */
  get isInFlight(): boolean {
    return this.#applied !== null;
  }

  /** The node to forward pending commits to; null: this node appends them. */
  get sequencer(): Sequencer | null {
    const now = performance.now();
    return now < this.#sharedUntil && now >= this.#pausedUntil ? this.options.sequencer() : null;
  }

  /** Called when more commits wait, or when the journal is closed. */
  update(): void {
    this.#gathering.update();
  }

  /** Another node was faster. */
  noteOtherWriter(): void {
    this.#sharedUntil = performance.now() + SHARED_FOR;
  }

  /** Called after entries that this node did not append are applied. */
  noteApplied(links: readonly Link[]): void {
    this.#applied?.push(...links);
    let foreign = links.length;
    for (const { applied } of links) if (this.#ownSequences.delete(applied.entry.sequence)) foreign--;
    if (foreign > 0) this.noteOtherWriter();
  }

  /**
   * Resolves when the next commits may be sent. Never rejects. Every commit taken from the queue is
   * answered, or put back.
   */
  forward(queue: CommitQueue, sequencer: Sequencer): Promise<void> {
    this.#applied = [];
    const sent = this.#send(queue, sequencer).finally(() => {
      this.#applied = null;
    });
    this.#sending = sent;
    return sent;
  }

  /** Resolves when no commits are in flight. */
  async waitUntilIdle(): Promise<void> {
    await this.#sending;
    await this.#answering;
  }

  async #send(queue: CommitQueue, sequencer: Sequencer): Promise<void> {
    await this.#gathering.gather(() => queue.size, PATIENCE, this.options.isClosed);
    const waiting = queue.take();
    // The commits were rejected in the meantime.
    if (waiting.length === 0) return;
    if (!canForward(waiting)) {
      queue.putBack(waiting);
      this.#pauseForwarding(PAUSE_AFTER_REJECTION);
      return;
    }
    const results = await this.#requestOutcomes(waiting, sequencer);
    this.#gathering.noteGroup(waiting.length, queue.size);
    // The next commits do not wait for this.
    if (results !== null) this.#answering = Promise.all([this.#answering, this.#settleCommits(waiting, results)]);
  }

  /** Null: all commits were put back or rejected. */
  async #requestOutcomes(waiting: readonly PendingCommit[], sequencer: Sequencer): Promise<Results | null> {
    const { log, node, putBack } = this.options;
    try {
      if (this.#mandate === 0) this.#mandate = await log.renewMandate(node);
    } catch {
      // Nothing was sent. The node's own append will report the problem with etcd.
      this.#pauseForwarding(PAUSE_AFTER_REJECTION);
      putBack(waiting);
      return null;
    }
    const commits = encodeCommits({ mandate: this.#mandate, requests: waiting.map(({ request }) => request) });
    try {
      const answer = await sequencer.forward(commits);
      const { isShared, head, each } = decodeOutcomes(answer, waiting.length);
      this.#sharedUntil = isShared ? performance.now() + SHARED_FOR : 0;
      if (each.includes('not accepted')) {
        this.#pauseForwarding(PAUSE_AFTER_REJECTION);
        // The mandate may be out of date.
        this.#mandate = 0;
      }
      return { head, each };
    } catch {
      this.#pauseForwarding(this.options.avoidFor ?? AVOID_FOR);
      return this.#findOutcomes(waiting);
    }
  }

  #pauseForwarding(milliseconds: number): void {
    this.#pausedUntil = performance.now() + milliseconds;
  }

  async #findOutcomes(waiting: readonly PendingCommit[]): Promise<Results | null> {
    const { log, node, deadline, readLatest } = this.options;
    this.#mandate = 0;
    try {
      const giveUpAt = performance.now() + deadline;
      while (this.#mandate === 0)
        try {
          this.#mandate = await log.renewMandate(node);
        } catch (error) {
          if (!(error instanceof EtcdUnavailable)) throw error;
          if (performance.now() > giveUpAt) throw new EtcdUnavailable(error.message, true, error);
          await sleep(RETRY_PAUSE);
        }
      await readLatest();
    } catch (error) {
      for (const { reject } of waiting) reject(refusalFor(error));
      return null;
    }
    const applied = this.#applied ?? [];
    const each = waiting.map(({ request: { changes, by } }): Outcome => {
      // Identical commits are interchangeable.
      const found = applied.findIndex(({ applied: { entry } }) => entry.by === by && entry.changes.equals(changes));
      return found < 0 ? 'not accepted' : applied.splice(found, 1)[0].applied.entry.sequence;
    });
    return { head: 0, each };
  }

  async #settleCommits(waiting: readonly PendingCommit[], { head, each }: Results): Promise<void> {
    const { waitForApplied, waitForPeers, putBack } = this.options;
    const notAppended = waiting.filter((_, i) => each[i] === 'not accepted');
    if (notAppended.length > 0) putBack(notAppended);
    const last = each.reduce<number>((max, outcome) => (typeof outcome === 'number' ? Math.max(max, outcome) : max), 0);
    const lastReached = each.includes('conflict') ? Math.max(last, head) : last;
    if (lastReached === 0) return;
    try {
      for (const outcome of each) if (typeof outcome === 'number') this.#ownSequences.add(outcome);
      // A conflicting commit also waits, so that its retry reads the entries it conflicts with.
      await waitForApplied(lastReached);
      waiting.forEach(({ reject }, i) => {
        if (each[i] === 'conflict') reject(new ConflictError());
      });
      waiting.forEach(({ request }, i) => {
        if (typeof each[i] === 'number') request.onApplied?.();
      });
      if (last > 0) await waitForPeers(last);
      waiting.forEach(({ resolve }, i) => {
        const sequence = each[i];
        if (typeof sequence === 'number') resolve({ sequence });
      });
    } catch (error) {
      // The commit is in the log, but this node cannot wait for it.
      const commitError = error instanceof UnavailableError ? error : refusalFor(error);
      waiting.forEach(({ reject }, i) => {
        if (each[i] !== 'not accepted') reject(commitError);
      });
    } finally {
      for (const outcome of each) if (typeof outcome === 'number') this.#ownSequences.delete(outcome);
    }
  }
}

/**
 * Whether the commits may be forwarded. Commits with a compiled zone are not forwarded: this node
 * applies them with less work. Commits of other nodes are not forwarded twice.
 */
function canForward(waiting: readonly PendingCommit[]): boolean {
  if (waiting.some(({ request, mandate }) => request.compiled !== undefined || mandate !== undefined)) return false;
  return waiting.reduce((sum, { request }) => sum + request.changes.length, 0) <= MAX_BYTES;
}

interface Results {
  /** Conflicting commits conflict with entries up to this one; 0: no conflict. */
  readonly head: number;
  readonly each: readonly Outcome[];
}

/** The newest mandate of each node. */
export function mandatesOf(waiting: readonly PendingCommit[]): Mandates {
  const mandates = new Map<string, number>();
  for (const { mandate } of waiting)
    if (mandate) mandates.set(mandate.node, Math.max(mandate.revision, mandates.get(mandate.node) ?? 0));
  return mandates;
}

/**
 * Rejects commits with an outdated mandate and returns the others. An append compares one mandate
 * per node.
 */
export function withCurrentMandates(waiting: readonly PendingCommit[]): readonly PendingCommit[] {
  const mandates = mandatesOf(waiting);
  return waiting.filter(({ mandate, reject }) => {
    const isCurrent = mandate === undefined || mandate.revision === mandates.get(mandate.node);
    if (!isCurrent) reject(busy());
    return isCurrent;
  });
}

/**
 * When this share of the expected commits is pending, the gathering ends after this many
 * milliseconds.
 */
const ENOUGH_SHARE = 0.9;
const STRAGGLER_WAIT = 1;

const NO_CHECK = (): void => {};

/**
 * Delays a group until the clients of the last group have sent their next commits. Otherwise the
 * clients split into two sets: one set is committed while the other collects. That doubles the
 * number of groups, and each group costs every node a transaction and etcd one round.
 */
export class Gathering {
  #expected = 0;
  #check = NO_CHECK;

  /** A group of `size` commits is finished, and `waiting` commits are queued for the next. */
  noteGroup(size: number, waiting: number): void {
    this.#expected = size + waiting;
  }

  /** Must be called when more commits wait, or when `isOver` may have changed. */
  update(): void {
    this.#check();
  }

  /**
   * Resolves when about as many commits wait as expected, after `patience` milliseconds, or when
   * `isOver` returns true.
   */
  async gather(waiting: () => number, patience: number, isOver: () => boolean): Promise<void> {
    const isDone = (): boolean => waiting() >= this.#expected || isOver();
    if (isDone()) return;
    let timer: NodeJS.Timeout | undefined;
    await new Promise<void>((done) => {
      timer = setTimeout(done, patience);
      let isNear = false;
      this.#check = () => {
        if (isDone()) done();
        else if (!isNear && waiting() >= ENOUGH_SHARE * this.#expected) {
          isNear = true;
          clearTimeout(timer);
          timer = setTimeout(done, Math.min(STRAGGLER_WAIT, patience));
        }
      };
      this.#check();
    });
    this.#check = NO_CHECK;
    clearTimeout(timer);
  }
}
