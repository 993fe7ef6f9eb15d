/** Messages between the main thread and the statistics thread. */
import type { StartReport } from '../../os/supervised-thread.ts';
import type { NodeStatistics, StatisticsQuery } from './query.ts';
import type { SampleRing } from './sample-ring.ts';

export interface StatisticsData {
  readonly directory: string;
  /** Of each DNS thread, and of DNS over HTTPS. */
  readonly rings: readonly SampleRing[];
  readonly maxBytes: number;
  /** One word: 1 while writing is disabled because the disk is almost full. */
  readonly readOnly: SharedArrayBuffer;
  /** One 32-bit word: the seconds by which the clock is ahead. */
  readonly clockError: SharedArrayBuffer;
  /** See Pulse. */
  readonly pulse: SharedArrayBuffer;
}

export type ToStatistics =
  /** Counts of sites: see Collector.addSites. */
  | { readonly kind: 'sites'; readonly number: number; readonly counts: Float64Array }
  | { readonly kind: 'read'; readonly number: number; readonly query: StatisticsQuery }
  | { readonly kind: 'stop' };

export type FromStatistics =
  | StartReport
  /** The counts with this number were added. */
  | { readonly kind: 'added'; readonly number: number }
  /** Null: they could not be read. */
  | { readonly kind: 'answer'; readonly number: number; readonly answer: NodeStatistics | null }
  | { readonly kind: 'figures'; readonly figures: StatisticsFigures };

export interface StatisticsFigures {
  readonly samples: number;
  readonly droppedSamples: number;
  readonly diskBytes: number;
  /** The fault since the last stored minute; null: none. */
  readonly fault: string | null;
}
