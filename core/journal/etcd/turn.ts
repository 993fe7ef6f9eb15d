/** Fairness between nodes that append at the same time: one that others were sooner than again and again is to be next. */
import type { EtcdLog } from './log.ts';

/** So many times others may be sooner. */
const PASSED_OVER = 8;
/** Milliseconds that another node which is to be next is waited for. It may have ended. */
const PATIENCE = 250;

export class Turn {
  readonly #log: EtcdLog;
  #passedOver = 0;
  #others = { revision: 0, since: 0 };
  /** Of the turn that is this node's, or has lasted for too long; 0: there is none. */
  revision = 0;

  constructor(log: EtcdLog) {
    this.#log = log;
  }

  /** Others were sooner than what waits here. */
  async passedOver(): Promise<void> {
    if (++this.#passedOver < PASSED_OVER || this.revision !== 0) return;
    this.#passedOver = 0;
    // Without etcd there is nobody to be sooner.
    this.revision = await this.#log.claimTurn().catch(() => 0);
  }

  /** An append has come about, which ends the turn. */
  taken(): void {
    this.#passedOver = 0;
    this.revision = 0;
  }

  /** By the revision of the turn that there is: whether another node is to be next. */
  isAnothers(revision: number): boolean {
    if (revision === this.revision) return false;
    this.revision = 0;
    if (revision === 0) return false;
    const now = performance.now();
    if (revision !== this.#others.revision) this.#others = { revision, since: now };
    if (now - this.#others.since < PATIENCE) return true;
    this.revision = revision;
    return false;
  }
}
