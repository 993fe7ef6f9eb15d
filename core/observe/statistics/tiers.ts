/** The precision and retention of counts. All times are in minutes. */

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
