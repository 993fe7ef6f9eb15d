/** Passes notices on at a limited rate, since a hostile app can cause any number of them. */
import { TokenBucket } from '../../../core/base/token-bucket.ts';
import type { Notice } from './notices.ts';

/** At once. */
export const BURST = 200;
export const PER_SECOND = 50;
const SUMMARY_MS = 1000;

export class NoticeLog {
  readonly #onNotice: (notice: Notice) => void;
  readonly #now: () => number;
  readonly #rate: TokenBucket;
  #dropped = 0;
  #summary: NodeJS.Timeout | undefined;

  /** `now`: milliseconds of a clock that never goes back. */
  constructor(onNotice: (notice: Notice) => void, now = () => performance.now()) {
    this.#onNotice = onNotice;
    this.#now = now;
    this.#rate = new TokenBucket({ burst: BURST, perSecond: PER_SECOND }, now());
  }

  /** False: the notice would be dropped, so nothing needs to be read for it. */
  hasRoom(): boolean {
    return this.#rate.has(this.#now());
  }

  add(notice: Notice): void {
    if (this.#rate.take(this.#now())) this.#onNotice(notice);
    else this.drop();
  }

  /** Counts a notice that is not passed on. The count follows once a second. */
  drop(): void {
    this.#dropped++;
    this.#summary ??= setTimeout(() => this.flush(), SUMMARY_MS).unref();
  }

  /** Passes the count on now. */
  flush(): void {
    clearTimeout(this.#summary);
    this.#summary = undefined;
    const count = this.#dropped;
    this.#dropped = 0;
    if (count > 0) this.#onNotice({ kind: 'dropped', count });
  }

  close(): void {
    clearTimeout(this.#summary);
    this.#dropped = 0;
  }
}
