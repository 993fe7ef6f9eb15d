/**
 * Writes the rows of many refreshes in one entry: 10,000 zones without changes must not write
 * 10,000 entries.
 */
import type { Logger } from '../../base/log/index.ts';
import { write } from '../../journal/draft/draft.ts';
import { type Id, idKey } from '../../store/keys.ts';
import { type SecondaryRow, secondaries } from '../../store/rows.ts';
import { BY, type CommitParts } from './commit.ts';

/** Milliseconds for which rows are collected. */
const GATHER_MS = 500;
const RETRY_MS = 5000;
/** Maximum of rows per entry, which take a few milliseconds to apply. */
const MAX_ROWS = 200;

export class RowBatch {
  readonly #rows = new Map<Id, SecondaryRow>();
  #timer: NodeJS.Timeout | null = null;
  #writing: Promise<void> | null = null;
  #isStopped = false;

  constructor(private readonly parts: CommitParts & { readonly log: Logger }) {}

  add(row: SecondaryRow): void {
    this.#rows.set(row.domainId, row);
    this.#later(GATHER_MS);
  }

  async stop(): Promise<void> {
    this.#isStopped = true;
    if (this.#timer !== null) clearTimeout(this.#timer);
    await this.#writing;
  }

  #later(ms: number): void {
    if (this.#isStopped || this.#timer !== null || this.#writing !== null) return;
    this.#timer = setTimeout(() => {
      this.#timer = null;
      this.#writing = this.#write().then((isDone) => {
        this.#writing = null;
        if (this.#rows.size > 0) this.#later(isDone ? 0 : RETRY_MS);
      });
    }, ms);
    this.#timer.unref();
  }

  /** Never rejects; returns whether rows were written. */
  async #write(): Promise<boolean> {
    const { environment, journal, log } = this.parts;
    const rows = [...this.#rows.values()].slice(0, MAX_ROWS);
    try {
      await write(environment, journal, BY, (draft) => {
        for (const row of rows) {
          const stored = draft.row(secondaries, idKey(row.domainId));
          // The zone was deleted, or transferred or confirmed by another node.
          if (stored === undefined || stored.serial !== row.serial) continue;
          if ((stored.refreshedAt ?? 0) > (row.refreshedAt ?? 0)) continue;
          draft.put(secondaries, row);
        }
      });
    } catch (error) {
      // For example without a quorum. The rows stay queued.
      log.debug('cannot store the states of secondary zones; retrying', { error: error as Error });
      return false;
    }
    for (const row of rows) if (this.#rows.get(row.domainId) === row) this.#rows.delete(row.domainId);
    return true;
  }
}
