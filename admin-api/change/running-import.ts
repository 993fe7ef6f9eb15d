/** The progress of an import, in memory of the node that imports. */
import type { ImportProgress, ImportPhase as StagedPhase } from '../../core/journal/journal.ts';
import type { Id } from '../../core/store/keys.ts';
import { nowSeconds } from '../http/time.ts';

/**
 * In order: `queued` until its turn; `reading` the file, or `comparing` it for a preview;
 * `committing` until the journal stages it, or to the end if it is not staged; then the phases of
 * the journal.
 */
export const IMPORT_PHASES = [
  ...(['queued', 'reading', 'comparing', 'committing'] as const),
  ...(['waiting', 'records', 'answers', 'serving', 'cleanup'] satisfies StagedPhase[] as StagedPhase[]),
] as const;

export type ImportPhase = (typeof IMPORT_PHASES)[number];

/** Percent of a whole import at the start and the end of each phase, as of 300,000 records. */
const SHARES: Readonly<Record<ImportPhase, readonly [number, number]>> = {
  queued: [0, 0],
  reading: [0, 0],
  comparing: [0, 0],
  committing: [35, 35],
  waiting: [35, 35],
  records: [35, 65],
  answers: [65, 80],
  serving: [80, 90],
  cleanup: [90, 100],
};

export interface ImportTarget {
  /** The owner of the domain. */
  readonly accountId: Id;
  readonly domain: string;
  /** Null: the import creates the domain. */
  readonly domainId: Id | null;
}

export class RunningImport implements ImportProgress {
  readonly startedAt = nowSeconds();
  phase: ImportPhase = 'queued';
  done = 0;
  /** Records of the file; null: not read yet. */
  recordCount: number | null = null;
  #total = 0;

  /** `callerId`: the account whose turn it takes. */
  constructor(
    readonly requestId: string,
    readonly callerId: Id,
    readonly target: ImportTarget,
  ) {}

  begin(phase: ImportPhase, total = 0): void {
    this.phase = phase;
    this.done = 0;
    this.#total = total;
  }

  /** An estimate of the part of the import that is done. It falls when a conflict repeats it. */
  get percent(): number {
    const [from, to] = SHARES[this.phase];
    return this.#total === 0 ? from : Math.floor(from + ((to - from) * this.done) / this.#total);
  }

  get writtenRecords(): number {
    if (this.phase === 'records') return this.done;
    return SHARES[this.phase][0] < SHARES.records[1] ? 0 : (this.recordCount ?? 0);
  }
}
