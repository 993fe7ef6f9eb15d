/** Forwards notices at a limited rate, because a hostile app can cause any number. */
import { TokenBucket } from '../../../core/base/token-bucket.ts';
import type { Notice } from './notices.ts';

/** Burst. */
export const BURST = 200;
export const PER_SECOND = 50;
const SUMMARY_MS = 1000;

export class NoticeLog {
  readonly #now: () => number;
  readonly #rate: TokenBucket;
  #dropped = 0;
  #summary: NodeJS.Timeout | undefined;

  /** `now`: milliseconds of a monotonic clock. */
  constructor(
    private readonly onNotice: (notice: Notice) => void,
    now = () => performance.now(),
  ) {
    this.#now = now;
    this.#rate = new TokenBucket({ burst: BURST, perSecond: PER_SECOND }, now());
  }

  /** False: the notice would be dropped, so the caller need not read its data. */
  hasRoom(): boolean {
    return this.#rate.has(this.#now());
  }

  add(notice: Notice): void {
    if (this.#rate.take(this.#now())) this.onNotice(notice);
    else this.drop();
  }

  /** Counts a dropped notice. The count is reported once a second. */
  drop(): void {
    this.#dropped++;
    this.#summary ??= setTimeout(() => this.flush(), SUMMARY_MS).unref();
  }

  /** Reports the count now. */
  flush(): void {
    clearTimeout(this.#summary);
    this.#summary = undefined;
    const count = this.#dropped;
    this.#dropped = 0;
    if (count > 0) this.onNotice({ kind: 'dropped', count });
  }

  close(): void {
    clearTimeout(this.#summary);
    this.#dropped = 0;
  }
}
