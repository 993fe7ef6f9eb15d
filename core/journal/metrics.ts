/** Metrics of commits to the journal. */
import type { Counter, Histogram, Registry } from '../base/metrics/registry.ts';

/** Seconds. A sync takes about a millisecond on a good disk and a hundred on a slow disk. */
const DURATIONS = [0.0005, 0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10];
const SIZES = [1, 2, 4, 8, 16, 32, 64, 128, 256, 512, 1024];

export class JournalMetrics {
  readonly #durations: Histogram;
  readonly #sizes: Histogram;
  readonly #conflicts: Counter;
  readonly #failures: Counter;

  constructor(registry: Registry) {
    this.#durations = registry.histogram(
      'waypost_journal_commit_duration_seconds',
      'Time from the start of a group of commits until its answers are served, including the sync to disk.',
      [],
      DURATIONS,
    );
    this.#sizes = registry.histogram(
      'waypost_journal_group_entries',
      'Number of entries that shared a transaction and a sync.',
      [],
      SIZES,
    );
    this.#conflicts = registry.counter(
      'waypost_journal_conflicts_total',
      'Commits rejected because the data they had read was changed; the request is retried.',
    );
    this.#failures = registry.counter(
      'waypost_journal_failures_total',
      'Groups of commits that failed to be written or applied.',
    );
  }

  /** A group of `entries` is on disk and served, `seconds` after its start. */
  observeCommit(entries: number, seconds: number): void {
    this.#durations.observe(seconds);
    this.#sizes.observe(entries);
  }

  observeConflict(): void {
    this.#conflicts.add(1);
  }

  /** A group was rolled back. Its entries may be retried one by one. */
  observeFailure(): void {
    this.#failures.add(1);
  }
}
