/** Since when what is applied here may be older than the log. Times are milliseconds of performance.now(). */
export class Freshness {
  /** When the last look began that etcd answered; null: there was none since the start. */
  lookedAt: number | null = null;
  /** All that the log held then is applied here; null: that was never so since the start. */
  currentAt: number | null = null;
  /** What the log was seen to hold that is not applied yet. */
  #ahead: { readonly sequence: number; readonly at: number } | null = null;

  /** A linearizable look at the log that began at `at` saw its end at `last`, while `applied` was applied here. */
  looked(at: number, last: number, applied: number): void {
    this.lookedAt = at;
    if (last <= applied) {
      this.currentAt = at;
      this.#ahead = null;
      return;
    }
    this.applied(applied);
    // The first of several such looks: where something is written all the time, the log is always a little ahead.
    this.#ahead ??= { sequence: last, at };
  }

  applied(sequence: number): void {
    if (this.#ahead === null || sequence < this.#ahead.sequence) return;
    this.currentAt = this.#ahead.at;
    this.#ahead = null;
  }
}
