/** The time range of statistics, as it is in the address. Pure, so that tests import it. */

const HOUR = 3600;
const DAY = 24 * HOUR;

/** Length of each range and step of its charts, in seconds. */
export const RANGES = {
  '1h': { seconds: HOUR, step: 60 },
  '6h': { seconds: 6 * HOUR, step: 300 },
  '24h': { seconds: DAY, step: 900 },
  '7d': { seconds: 7 * DAY, step: HOUR },
  '30d': { seconds: 30 * DAY, step: 6 * HOUR },
} as const;
export type RangeName = keyof typeof RANGES;
export const RANGE_NAMES = Object.keys(RANGES) as RangeName[];
export const DEFAULT_RANGE: RangeName = '24h';

/** How long the API keeps counts in steps of a length, in seconds. */
const KEPT = [
  { step: 60, seconds: 3 * HOUR },
  { step: 300, seconds: 2 * DAY },
  { step: 900, seconds: 2 * DAY },
  { step: HOUR, seconds: 31 * DAY },
  { step: 6 * HOUR, seconds: 31 * DAY },
  { step: DAY, seconds: 31 * DAY },
];
/** More steps than this are too narrow to read. */
const MAX_STEPS = 180;
const LEAST = 120;

export interface Range {
  /** Null: chosen by hand. */
  readonly name: RangeName | null;
  /** Seconds since 1970. */
  readonly from: number;
  readonly to: number;
  readonly step: number;
}

/** The range that an address names; the default if it names none that is kept. */
export function readRange(query: URLSearchParams, now: number): Range {
  const [from, to] = [Number(query.get('from')), Number(query.get('to'))];
  if (Number.isSafeInteger(from) && Number.isSafeInteger(to) && from > 0 && to - from >= LEAST) {
    const step = KEPT.find((kept) => now - from < kept.seconds && (to - from) / kept.step <= MAX_STEPS)?.step;
    if (step !== undefined && to <= now + DAY) return { name: null, from, to, step };
  }
  const chosen = query.get('range');
  const name = RANGE_NAMES.find((candidate) => candidate === chosen) ?? DEFAULT_RANGE;
  const { seconds, step } = RANGES[name];
  // Full steps: the last one has begun and not ended.
  const end = (Math.floor(now / step) + 1) * step;
  return { name, from: end - seconds, to: end, step };
}

/** The range of the same length before. Null: it is no longer kept. */
export function rangeBefore({ from, to, step }: Range, now: number): Omit<Range, 'name'> | null {
  const start = from - (to - from);
  const isKept = KEPT.some((kept) => kept.step === step && now - start < kept.seconds);
  return isKept ? { from: start, to: from, step } : null;
}

/** Formats a time for the API. */
export const formatTime = (seconds: number): string =>
  new Date(seconds * 1000).toISOString().slice(0, 19).replace('T', ' ');

export const parseTime = (text: string): number => Date.parse(`${text.replace(' ', 'T')}Z`) / 1000;

/** The change from one number to another in percent. Null: there is nothing to compare with. */
export const changeOf = (before: number, now: number): number | null =>
  before === 0 ? null : Math.round((100 * (now - before)) / before);
