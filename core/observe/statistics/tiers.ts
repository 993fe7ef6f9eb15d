/** How precise counts are kept, and for how long. All times are in minutes. */

interface Tier {
  /** The time that the counts of one period cover. */
  readonly period: number;
  readonly kept: number;
}

const HOUR = 60;
const DAY = 24 * HOUR;

/** Each period is a multiple of the one before. A finished period is made from those before. */
export const TIERS: readonly Tier[] = [
  { period: 1, kept: 3 * HOUR },
  { period: 5, kept: 2 * DAY },
  { period: HOUR, kept: 31 * DAY },
];

/** Counts are deleted that much later, so that a range from a full hour or day on is complete. */
export const MARGIN = HOUR;

export const periodStart = (time: number, period: number): number => time - (time % period);
