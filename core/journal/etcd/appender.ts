/**
 * Appends groups to the log, next to other nodes that append: which node is next, and what became
 * of an append without a response.
 */
import { setTimeout as sleep } from 'node:timers/promises';
import type { Head } from '../applied-head.ts';
import type { Link } from '../apply/applier.ts';
import type { Group } from '../commit/commit-queue.ts';
import { EtcdUnavailable } from '../etcd-client/errors.ts';
import { encodeGroup } from './etcd-keys.ts';
import type { Appended, EtcdLog, LogState, Mandates } from './shared-log.ts';

/** Milliseconds before a retry. */
const RETRY_PAUSE = 50;

/**
 * Appends groups to the log. If an append gets no response, determines whether etcd carried it out.
 */
export class Appender {
  /** The etcd revision of the latest known write of the head that is applied here. */
  headRevision = 0;

  /** `deadline`: milliseconds after which an append without a response is given up. */
  constructor(
    private readonly log: EtcdLog,
    private readonly deadline: number,
  ) {}

  /**
   * Appends a group after `head`, with the revision of a claim and with mandates: see
   * EtcdLog.append. If the outcome is unknown, it is determined first. Rejects with EtcdRefused,
   * and with EtcdUnavailable; its `mayHappen` means that the group may be in the log anyway.
   */
  async append({ links, hash }: Group, head: Head, claim: number, mandates: Mandates): Promise<Appended> {
    const encoded = encodeGroup(links.map(({ bytes }) => bytes));
    const deadline = performance.now() + this.deadline;
    const next = { sequence: head.sequence + links.length, hash };
    let isInDoubt = false;
    for (;;) {
      try {
        const position = { head, revision: this.headRevision };
        if (!isInDoubt) return await this.log.append(encoded, position, next, claim, mandates);
        const outcome = await this.log.fence(position);
        if ('state' in outcome) return findAppended(outcome.state, links) ?? outcome;
        this.headRevision = outcome.revision;
        isInDoubt = false;
      } catch (error) {
        isInDoubt ||= error instanceof EtcdUnavailable && error.mayHappen;
        // This error concerns the check of the outcome. The group may still be in the log.
        if (!(error instanceof EtcdUnavailable) || performance.now() > deadline)
          throw isInDoubt ? new EtcdUnavailable((error as Error).message, true, error) : error;
        await sleep(RETRY_PAUSE);
      }
    }
  }
}

function findAppended({ groups }: LogState, links: readonly Link[]): { revision: number } | null {
  const found = groups.find(({ first }) => first === links[0].applied.entry.sequence);
  if (found?.entries.length !== links.length) return null;
  return found.entries.every((bytes, i) => bytes.equals(links[i].bytes)) ? { revision: found.revision } : null;
}

/**
 * Milliseconds of taking turns after a lost append or an awaited group; at least MIN_ROUNDS rounds
 * of all writers.
 */
const TAKE_TURNS_FOR = 1000;
const MIN_ROUNDS = 2;
/**
 * Maximum wait for a group of another node: WAIT_FACTOR times the duration of our groups, and at
 * most MAX_WAIT milliseconds. Maximum wait for a claim in milliseconds.
 */
const WAIT_FACTOR = 3;
const MAX_WAIT = 1000;
const MAX_CLAIM_WAIT = 250;
/** Lost races after which the next append is claimed. */
const CLAIM_AFTER = 8;

/**
 * Decides which node appends next when several nodes write. An append that loses the race wastes
 * work here and in etcd, so a node waits for groups of other nodes before its own:
 *
 *   - After it has lost an append, or an awaited group has arrived, a node takes turns for a while.
 *     It waits for as many groups as there were between its last two groups.
 *   - While another node has a claim in etcd, it waits for one more group. Every append compares
 *     the claim.
 *
 * A node that loses too often, for example because it is farther from etcd, claims the next append.
 * The wait is limited: to the duration of a few groups when taking turns, and to 250 ms for a
 * claim. After that, the next append of any node takes over the claim.
 */
export class Turns {
  /** A time of performance.now(). */
  #takesTurnsUntil = 0;
  /** Groups of other nodes since our last group. */
  #foreignGroups = 0;
  /** Groups of other nodes to wait for before our next. */
  #expected = 0;
  /** Duration of a group in milliseconds, smoothed. */
  #duration = 10;
  #lostRaces = 0;
  /** The claim of another node. */
  #foreignClaim = { claim: 0, since: 0 };
  #onArrival: () => void = () => {};
  /**
   * The revision of the claim for our appends: our own claim, or a claim of another node that has
   * timed out; 0: none.
   */
  claim = 0;

  /** `writers`: returns the number of other writers. */
  constructor(
    private readonly log: Pick<EtcdLog, 'claimTurn'>,
    private readonly writers: () => number,
  ) {}

  /** Duration of a group in milliseconds, smoothed; at most the maximum wait for a claim. */
  get groupDuration(): number {
    return Math.min(MAX_CLAIM_WAIT, this.#duration);
  }

  /** Whether this node must wait for groups of other nodes. */
  get mustWait(): boolean {
    return this.#foreignGroups < this.#expected && performance.now() < this.#takesTurnsUntil;
  }

  /** Resolves when a group arrived, or after the maximum wait. */
  async waitForGroup(): Promise<void> {
    const over = new AbortController();
    const arrival = new Promise<boolean>((resolve) => {
      this.#onArrival = () => resolve(true);
    });
    const timeout = sleep(this.#maxWait(), false, { signal: over.signal }).catch(() => false);
    if (await Promise.race([arrival, timeout])) this.#takeTurns();
    else this.#expected = this.#foreignGroups;
    over.abort();
  }

  #takeTurns(): void {
    const round = this.#duration * (1 + this.writers());
    this.#takesTurnsUntil = performance.now() + Math.max(TAKE_TURNS_FOR, MIN_ROUNDS * round);
  }

  #maxWait(): number {
    const rest = this.#foreignClaim.since + MAX_CLAIM_WAIT - performance.now();
    return this.#foreignClaim.claim !== 0 && rest > 0 ? rest : Math.min(MAX_WAIT, WAIT_FACTOR * this.#duration);
  }

  /** A group arrived; it may be our own. */
  noteArrival(): void {
    this.#onArrival();
  }

  /** Groups of other nodes were applied. */
  noteForeignGroups(count: number): void {
    this.#foreignGroups += count;
  }

  /** Another node appended before the pending commits of this node. */
  async noteLostRace(): Promise<void> {
    if (this.mustWait || ++this.#lostRaces < CLAIM_AFTER || this.claim !== 0) return;
    this.#lostRaces = 0;
    // Without etcd no other node can append either.
    this.claim = await this.log.claimTurn().catch(() => 0);
  }

  /**
   * An append of this node lost the race. `claim`: the revision of the current claim, 0 for none;
   * `ahead`: number of known groups of other nodes that are not applied yet.
   */
  noteLostAppend(claim: number, ahead: number): void {
    const now = performance.now();
    this.#takeTurns();
    if (claim !== this.#foreignClaim.claim)
      this.#foreignClaim = { claim: claim === this.claim ? 0 : claim, since: now };
    if (claim === this.claim) return;
    this.claim = 0;
    if (claim === 0) return;
    if (now - this.#foreignClaim.since < MAX_CLAIM_WAIT) this.#expected = this.#foreignGroups + ahead + 1;
    else this.claim = claim;
  }

  /**
   * An append of this node succeeded, which ends its claim. `milliseconds`: from the check of the
   * commits until they were applied.
   */
  noteAppend(milliseconds: number): void {
    this.#duration += (milliseconds - this.#duration) / 8;
    this.#expected = Math.min(this.#foreignGroups, this.writers());
    this.#foreignGroups = 0;
    this.#lostRaces = 0;
    this.#foreignClaim = { claim: 0, since: 0 };
    this.claim = 0;
  }
}
