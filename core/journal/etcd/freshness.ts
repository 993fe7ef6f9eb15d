/** Since when what is applied here may be older than what others know. Times are milliseconds of performance.now(). */
export class Freshness {
  /** When the last look at the log began that etcd answered; null: there was none since the start. */
  lookedAt: number | null = null;
  /** Nobody is known to have known more then than is applied here by now; null: that was never so since the start. */
  currentAt: number | null = null;
  /** What is known of that is not applied yet. */
  #ahead: { readonly sequence: number; readonly at: number } | null = null;

  /** A linearizable look at the log that began at `at` saw its end at `last`, while `applied` was applied here. It has the last word. */
  looked(at: number, last: number, applied: number): void {
    this.lookedAt = at;
    if (last <= applied) this.#ahead = null;
    this.heard(at, last, applied);
  }

  /** Other nodes said by `at` that they have applied no more than `last`. What is known to be missing stays so, whoever is heard. */
  heard(at: number, last: number, applied: number): void {
    this.applied(applied);
    // The first of several: where something is written all the time, the others are always a little ahead.
    if (last > applied) this.#ahead ??= { sequence: last, at };
    else if (this.#ahead === null) this.currentAt = Math.max(at, this.currentAt ?? at);
  }

  applied(sequence: number): void {
    if (this.#ahead === null || sequence < this.#ahead.sequence) return;
    this.currentAt = this.#ahead.at;
    this.#ahead = null;
  }
}
