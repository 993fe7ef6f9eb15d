/**
 * The precision and retention of counts, and the file that stores them. All times are in minutes.
 */
import { join } from 'node:path';
import { open, type RootDatabase } from 'lmdb';
import { privateDatabase } from '../../base/private-file.ts';
import { BINARY, type Binary } from '../../store/environment.ts';
import { makeFolder } from '../../store/folder.ts';

export const STATISTICS_FILE = 'counts.mdb';
const FIRST_MAP_SIZE = 64 << 20;

interface Tier {
  /** The duration of one period. */
  readonly period: number;
  readonly kept: number;
}

const HOUR = 60;
const DAY = 24 * HOUR;

/**
 * Each period is a multiple of the previous tier. A finished period is merged from shorter periods.
 */
export const TIERS: readonly Tier[] = [
  { period: 1, kept: 3 * HOUR },
  { period: 5, kept: 2 * DAY },
  { period: HOUR, kept: 31 * DAY },
];

/** Additional retention, so that a range that starts at a full hour or day is complete. */
export const MARGIN = HOUR;

export const periodStart = (time: number, period: number): number => time - (time % period);

/**
 * The file of the statistics: an LMDB environment of its own, since these counts belong to this
 * node and are no part of the store that nodes copy from each other.
 */
export interface StatisticsFile {
  readonly root: RootDatabase<Buffer, Uint8Array>;
  /** The blocks of each tier. */
  readonly tiers: readonly Binary[];
  /** Tier u8, time u32, part u16 ─► bytes u48, whether its period is complete u8. */
  readonly parts: Binary;
}

/** Throws ConfigError and the errors of LMDB. */
export function openStatisticsFile(directory: string): StatisticsFile {
  makeFolder(directory);
  const root = open<Buffer, Uint8Array>({
    noSubdir: true,
    maxDbs: TIERS.length + 1,
    mapSize: FIRST_MAP_SIZE,
    overlappingSync: false,
    ...BINARY,
    ...privateDatabase(join(directory, STATISTICS_FILE)),
  });
  const table = (name: string): Binary => root.openDB({ name, ...BINARY });
  return root.transactionSync(() => ({
    root,
    tiers: TIERS.map(({ period }) => table(`counts_${period}`)),
    parts: table('parts'),
  }));
}
