/**
 * While several nodes write, one of them, the sequencer, appends for all: the others forward their commits to it. Every append costs each node a transaction and etcd a round of its
 * own, whatever the size of the group; and nobody is second.
 *
 * A forwarded commit is appended at most once. The sequencer appends it only while the mandate stands that came with it, a key in etcd whose revision the append compares. When no answer
 * comes, the node renews its mandate; from then on nothing of before can be appended, and what the log holds up to there says what was.
 */
import { setTimeout as sleep } from 'node:timers/promises';
import { ConflictError, UnavailableError } from '../../base/errors.ts';
import { EtcdUnavailable } from '../../etcd/errors.ts';
import type { Link } from '../apply/applier.ts';
import type { CommitQueue, Waiting } from '../commit/commit-queue.ts';
import { decodeOutcomes, encodeCommits, type Outcome } from './forward-codec.ts';
import { Gathering } from './gathering.ts';
import { refusalFor } from './refusals.ts';
import type { EtcdLog } from './shared-log.ts';

/** Another node, which appends for this one. */
export interface Sequencer {
  /** Resolves with its answer. Rejects when none came, after which it may have appended them or not. */
  forward(commits: Buffer): Promise<Buffer>;
}

export interface ForwardingOptions {
  readonly log: Pick<EtcdLog, 'renewMandate'>;
  /** Of this node, as no other's. */
  readonly node: string;
  /** Milliseconds after which what became of a commit is no longer sought. */
  readonly deadline: number;
  /** Null: it is this node. */
  sequencer(): Sequencer | null;
  /** For so many milliseconds a sequencer that gave no answer is not asked again. */
  readonly shunned?: number;
  /** Resolves when all that the log holds now is applied here. Rejects with what a commit is refused with. */
  level(): Promise<unknown>;
  /** Resolves when an entry is applied here. Rejects as `level`. */
  reached(sequence: number): Promise<void>;
  /** Resolves when an entry that is applied here may be answered. */
  acknowledged(sequence: number): Promise<unknown>;
  isClosed(): boolean;
  /** They were not appended, and are to be before all others. */
  putBack(waiting: readonly Waiting[]): void;
}

/** Others count as writing for so many milliseconds after an entry of theirs. */
export const SHARED = 1000;
/** For so many milliseconds a node appends for itself when a sequencer did not take something, and by default when it gave no answer. */
const PASSED_BY = 100;
const SHUNNED = 5000;
/** Bytes of changes that are forwarded at once; more is appended by the node itself. */
const MOST = 256 << 10;
const RETRY_PAUSE = 50;
/** Milliseconds for others to come. */
const PATIENCE = 10;

export class Forwarding {
  readonly #options: ForwardingOptions;
  readonly #gathering = new Gathering();
  /** 0: there is none. */
  #mandate = 0;
  /** Of performance.now(). */
  #sharedUntil = 0;
  #passedByUntil = 0;
  /** Entries that were applied since what is under way was sent; null: nothing is. */
  #applied: Link[] | null = null;
  /** Sequences of forwarded commits that are not applied here yet. */
  readonly #own = new Set<number>();
  /** Neither rejects. */
  #sending: Promise<unknown> = Promise.resolve();
  #answering: Promise<unknown> = Promise.resolve();

  constructor(options: ForwardingOptions) {
    this.#options = options;
  }

  /** Some were sent and not answered yet. */
  get isUnderWay(): boolean {
    return this.#applied !== null;
  }

  /** To whom what waits is to be forwarded; null: this node appends it. */
  get sequencer(): Sequencer | null {
    const now = performance.now();
    return now < this.#sharedUntil && now >= this.#passedByUntil ? this.#options.sequencer() : null;
  }

  /** More wait, or the journal is closed. */
  changed(): void {
    this.#gathering.changed();
  }

  /** Another node was sooner. */
  shared(): void {
    this.#sharedUntil = performance.now() + SHARED;
  }

  /** Entries that this node has not appended are applied. */
  applied(links: readonly Link[]): void {
    this.#applied?.push(...links);
    let foreign = links.length;
    for (const { applied } of links) if (this.#own.delete(applied.entry.sequence)) foreign--;
    if (foreign > 0) this.shared();
  }

  /** Resolves when the next may be sent. Never rejects; each that was taken from the queue is answered in time, or is there again. */
  forward(queue: CommitQueue, sequencer: Sequencer): Promise<void> {
    this.#applied = [];
    const sent = this.#send(queue, sequencer).finally(() => {
      this.#applied = null;
    });
    this.#sending = sent;
    return sent;
  }

  /** Resolves when nothing is under way any more. */
  async settled(): Promise<void> {
    await this.#sending;
    await this.#answering;
  }

  async #send(queue: CommitQueue, sequencer: Sequencer): Promise<void> {
    await this.#gathering.gather(() => queue.size, PATIENCE, this.#options.isClosed);
    const waiting = queue.take();
    // They were refused meanwhile.
    if (waiting.length === 0) return;
    if (!isFit(waiting)) {
      queue.putBack(waiting);
      this.#passBy(PASSED_BY);
      return;
    }
    const answered = await this.#outcomes(waiting, sequencer);
    this.#gathering.done(waiting.length, queue.size);
    // The next do not wait for that.
    if (answered !== null) this.#answering = Promise.all([this.#answering, this.#answer(waiting, answered)]);
  }

  /** Null: each was told. */
  async #outcomes(waiting: readonly Waiting[], sequencer: Sequencer): Promise<Answered | null> {
    const { log, node, putBack } = this.#options;
    try {
      if (this.#mandate === 0) this.#mandate = await log.renewMandate(node);
    } catch {
      // Nothing was sent. Who asks etcd itself finds out what is wrong with it.
      this.#passBy(PASSED_BY);
      putBack(waiting);
      return null;
    }
    const commits = encodeCommits({ mandate: this.#mandate, requests: waiting.map(({ request }) => request) });
    try {
      const answer = await sequencer.forward(commits);
      const { isShared, head, each } = decodeOutcomes(answer, waiting.length);
      this.#sharedUntil = isShared ? performance.now() + SHARED : 0;
      if (each.includes('not taken')) {
        this.#passBy(PASSED_BY);
        // As when the mandate is not the one that stands.
        this.#mandate = 0;
      }
      return { head, each };
    } catch {
      this.#passBy(this.#options.shunned ?? SHUNNED);
      return this.#findOut(waiting);
    }
  }

  #passBy(milliseconds: number): void {
    this.#passedByUntil = performance.now() + milliseconds;
  }

  async #findOut(waiting: readonly Waiting[]): Promise<Answered | null> {
    const { log, node, deadline, level } = this.#options;
    this.#mandate = 0;
    try {
      const until = performance.now() + deadline;
      while (this.#mandate === 0)
        try {
          this.#mandate = await log.renewMandate(node);
        } catch (error) {
          if (!(error instanceof EtcdUnavailable)) throw error;
          if (performance.now() > until) throw new EtcdUnavailable(error.message, true, error);
          await sleep(RETRY_PAUSE);
        }
      await level();
    } catch (error) {
      for (const { reject } of waiting) reject(refusalFor(error));
      return null;
    }
    const applied = this.#applied ?? [];
    const each = waiting.map(({ request: { changes, by } }): Outcome => {
      // Two that write the same are one as good as the other.
      const found = applied.findIndex(({ applied: { entry } }) => entry.by === by && entry.changes.equals(changes));
      return found < 0 ? 'not taken' : applied.splice(found, 1)[0].applied.entry.sequence;
    });
    return { head: 0, each };
  }

  async #answer(waiting: readonly Waiting[], { head, each }: Answered): Promise<void> {
    const { reached, acknowledged, putBack } = this.#options;
    const back = waiting.filter((_, i) => each[i] === 'not taken');
    if (back.length > 0) putBack(back);
    const last = each.reduce<number>((most, one) => (typeof one === 'number' ? Math.max(most, one) : most), 0);
    const lastReached = each.includes('conflict') ? Math.max(last, head) : last;
    if (lastReached === 0) return;
    try {
      for (const one of each) if (typeof one === 'number') this.#own.add(one);
      // Also for who conflicts, so that it reads what it conflicts with.
      await reached(lastReached);
      waiting.forEach(({ reject }, i) => {
        if (each[i] === 'conflict') reject(new ConflictError());
      });
      if (last > 0) await acknowledged(last);
      waiting.forEach(({ resolve }, i) => {
        const sequence = each[i];
        if (typeof sequence === 'number') resolve({ sequence });
      });
    } catch (error) {
      // It is in the log all the same.
      const why = error instanceof UnavailableError ? error : refusalFor(error);
      waiting.forEach(({ reject }, i) => {
        if (each[i] !== 'not taken') reject(why);
      });
    } finally {
      for (const one of each) if (typeof one === 'number') this.#own.delete(one);
    }
  }
}

/** What is compiled already saves more where it is, and what another node has forwarded goes no further. */
function isFit(waiting: readonly Waiting[]): boolean {
  if (waiting.some(({ request, mandate }) => request.compiled !== undefined || mandate !== undefined)) return false;
  return waiting.reduce((sum, { request }) => sum + request.changes.length, 0) <= MOST;
}

interface Answered {
  /** Whoever conflicts does so with an entry up to this one; 0: nobody does. */
  readonly head: number;
  readonly each: readonly Outcome[];
}
