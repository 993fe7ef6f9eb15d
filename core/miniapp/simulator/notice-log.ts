/** Passes notices on at a limited rate, since a hostile app can cause any number of them. */
import type { Notice } from './notices.ts';

/** At once. */
const BURST = 200;
const PER_SECOND = 50;
const SUMMARY_MS = 1000;

export class NoticeLog {
  readonly #onNotice: (notice: Notice) => void;
  #tokens = BURST;
  #filledAt = performance.now();
  #dropped = 0;
  #summary: NodeJS.Timeout | undefined;

  constructor(onNotice: (notice: Notice) => void) {
    this.#onNotice = onNotice;
  }

  /** False: the notice would be dropped, so nothing needs to be read for it. */
  hasRoom(): boolean {
    const now = performance.now();
    this.#tokens = Math.min(BURST, this.#tokens + ((now - this.#filledAt) / 1000) * PER_SECOND);
    this.#filledAt = now;
    return this.#tokens >= 1;
  }

  add(notice: Notice): void {
    if (this.hasRoom()) {
      this.#tokens--;
      this.#onNotice(notice);
    } else this.drop();
  }

  /** Counts a notice that is not passed on. The count follows once a second. */
  drop(): void {
    this.#dropped++;
    this.#summary ??= setTimeout(() => this.#summarize(), SUMMARY_MS).unref();
  }

  close(): void {
    clearTimeout(this.#summary);
  }

  #summarize(): void {
    this.#summary = undefined;
    const count = this.#dropped;
    this.#dropped = 0;
    this.#onNotice({ kind: 'dropped', count });
  }
}
