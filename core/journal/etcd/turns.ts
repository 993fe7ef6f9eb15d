/**
 * Who appends next when several nodes have something to write. An append that comes second is work for nothing, here, in etcd and on its disks, so a node lets groups of others by
 * before its own:
 *
 *   as many as came between its last two, while it has lost an append lately, or let one by that came: nodes that all have much to write go round;
 *   one more while another node's claim stands in etcd, which every append compares.
 *
 * A node that is passed over again and again, as one further from etcd, claims the next place. Who does not come is waited for once: a node that goes round for as long as a few groups
 * take, one with a claim for a quarter of a second; then its claim is taken over by whoever appends.
 */
import { setTimeout as sleep } from 'node:timers/promises';
import type { EtcdLog } from './shared-log.ts';

/** Others are let by for so many milliseconds after an append was lost or a group came that was waited for; at least for so many rounds of all that write. */
const KEPT = 1000;
const ROUNDS = 2;
/** A group of another is waited for so many times as long as ours take, and at most so many milliseconds; a claim for so many. */
const PATIENCE = 3;
const MOST = 1000;
const MOST_OF_CLAIM = 250;
/** After so many times that others were sooner the next place is claimed. */
const PASSED_OVER = 8;

export class Turns {
  readonly #log: Pick<EtcdLog, 'claimTurn'>;
  readonly #writers: () => number;
  /** Of performance.now(). */
  #keptUntil = 0;
  /** Groups of others since our last one. */
  #seen = 0;
  /** So many are let by before our next. */
  #expected = 0;
  /** Milliseconds that a group takes, smoothed. */
  #took = 10;
  #passedOver = 0;
  /** Of another node. */
  #theirs = { claim: 0, since: 0 };
  #wake: () => void = () => {};
  /** The revision of the claim that our appends go by: our own, or one that was waited for in vain; 0: none. */
  claim = 0;

  /** `writers`: how many others there are. */
  constructor(log: Pick<EtcdLog, 'claimTurn'>, writers: () => number) {
    this.#log = log;
    this.#writers = writers;
  }

  /** Milliseconds that a group takes, smoothed; no more than are waited for anyone. */
  get took(): number {
    return Math.min(MOST_OF_CLAIM, this.#took);
  }

  /** Whether others are to be let by first. */
  get areTheirs(): boolean {
    return this.#seen < this.#expected && performance.now() < this.#keptUntil;
  }

  /** Resolves when a group came, or was waited for long enough. */
  async letBy(): Promise<void> {
    const over = new AbortController();
    const arrival = new Promise<boolean>((resolve) => {
      this.#wake = () => resolve(true);
    });
    const late = sleep(this.#patience(), false, { signal: over.signal }).catch(() => false);
    if (await Promise.race([arrival, late])) this.#keep();
    else this.#expected = this.#seen;
    over.abort();
  }

  #keep(): void {
    const round = this.#took * (1 + this.#writers());
    this.#keptUntil = performance.now() + Math.max(KEPT, ROUNDS * round);
  }

  #patience(): number {
    const left = this.#theirs.since + MOST_OF_CLAIM - performance.now();
    return this.#theirs.claim !== 0 && left > 0 ? left : Math.min(MOST, PATIENCE * this.#took);
  }

  /** A group came; it may be our own. */
  groupArrived(): void {
    this.#wake();
  }

  /** So many groups of others are applied. */
  others(count: number): void {
    this.#seen += count;
  }

  /** Others were sooner than what waits here. */
  async passedOver(): Promise<void> {
    if (this.areTheirs || ++this.#passedOver < PASSED_OVER || this.claim !== 0) return;
    this.#passedOver = 0;
    // Without etcd there is nobody to be sooner.
    this.claim = await this.#log.claimTurn().catch(() => 0);
  }

  /** An append of ours came second; `claim`: the revision of the one that stands, 0 for none; `ahead`: groups of others that are known and not applied yet. */
  lost(claim: number, ahead: number): void {
    const now = performance.now();
    this.#keep();
    if (claim !== this.#theirs.claim) this.#theirs = { claim: claim === this.claim ? 0 : claim, since: now };
    if (claim === this.claim) return;
    this.claim = 0;
    if (claim === 0) return;
    if (now - this.#theirs.since < MOST_OF_CLAIM) this.#expected = this.#seen + ahead + 1;
    else this.claim = claim;
  }

  /** One came first, which ends the claim that it went by; from its check until it was applied it took so many milliseconds. */
  won(milliseconds: number): void {
    this.#took += (milliseconds - this.#took) / 8;
    this.#expected = Math.min(this.#seen, this.#writers());
    this.#seen = 0;
    this.#passedOver = 0;
    this.#theirs = { claim: 0, since: 0 };
    this.claim = 0;
  }
}
