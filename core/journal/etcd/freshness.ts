/**
 * Tracks since when the applied state of this node may be older than that of other nodes. Times are
 * milliseconds of performance.now().
 */
export class Freshness {
  /** Start of the last successful read of the log; null: none since the start. */
  lookedAt: number | null = null;
  /** All entries known at this time are applied here; null: never since the start. */
  currentAt: number | null = null;
  /** The first known entry that is not applied yet. */
  #ahead: { readonly sequence: number; readonly at: number } | null = null;

  /**
   * A linearizable read of the log that started at `at` returned `last` as its end; `applied` was
   * applied here at that time. A read overrides earlier reports.
   */
  noteRead(at: number, last: number, applied: number): void {
    this.lookedAt = at;
    if (last <= applied) this.#ahead = null;
    this.noteReport(at, last, applied);
  }

  /**
   * Another node reported at `at` that it had applied no more than `last`. A report cannot clear a
   * known missing entry.
   */
  noteReport(at: number, last: number, applied: number): void {
    this.noteApplied(applied);
    // Keeps the earliest missing entry: under continuous writes, other nodes are always slightly
    // ahead.
    if (last > applied) this.#ahead ??= { sequence: last, at };
    else if (this.#ahead === null) this.currentAt = Math.max(at, this.currentAt ?? at);
  }

  noteApplied(sequence: number): void {
    if (this.#ahead === null || sequence < this.#ahead.sequence) return;
    this.currentAt = this.#ahead.at;
    this.#ahead = null;
  }
}
