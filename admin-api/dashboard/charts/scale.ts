/** Axes of charts: round values, and times that people name. Pure, so that tests import it. */

const MINUTE = 60;
const HOUR = 3600;
const DAY = 86_400;
const INTERVALS = [
  MINUTE,
  5 * MINUTE,
  10 * MINUTE,
  15 * MINUTE,
  30 * MINUTE,
  HOUR,
  2 * HOUR,
  3 * HOUR,
  6 * HOUR,
  12 * HOUR,
  DAY,
  2 * DAY,
  7 * DAY,
];

/** What the values of an axis are. `bytes` have ticks of 1, 2, 5 … KiB. */
export type Unit = 'count' | 'rate' | 'bytes' | 'share';

/**
 * About `wanted` round values from zero on; the last one is the end of the axis and not below
 * `greatest`. Counts have whole values only, and shares end at 1.
 */
export function valueTicks(greatest: number, unit: Unit, wanted = 4): number[] {
  if (unit === 'share') return [0, 0.25, 0.5, 0.75, 1];
  if (greatest === 0) return [0, 1];
  const base = unit === 'bytes' ? 1024 ** Math.max(0, Math.floor(Math.log(Math.max(greatest, 1)) / Math.log(1024))) : 1;
  const least = unit === 'count' ? 1 : 0;
  const step = Math.max(roundUp(greatest / base / wanted), least) * base;
  const count = Math.max(1, Math.ceil(greatest / step - 1e-9));
  return Array.from({ length: count + 1 }, (_, i) => i * step);
}

/** The next of 1, 2, 5, 10, 20 … */
function roundUp(value: number): number {
  const power = 10 ** Math.floor(Math.log10(value));
  const digit = [1, 2, 5, 10].find((candidate) => candidate * power >= value * (1 - 1e-9)) ?? 10;
  return digit * power;
}

/** Times of ticks in seconds, at most `most`: round in the time zone of the browser. */
export function timeTicks(
  from: number,
  to: number,
  most: number,
): { readonly interval: number; readonly times: number[] } {
  const interval =
    INTERVALS.find((length) => (to - from) / length <= most) ?? Math.ceil((to - from) / most / DAY) * DAY;
  const times: number[] = [];
  for (let time = firstTick(from, interval); time <= to; time = nextTick(time, interval)) times.push(time);
  return { interval, times };
}

const offsetAt = (time: number): number => new Date(time * 1000).getTimezoneOffset() * MINUTE;

function firstTick(from: number, interval: number): number {
  const offset = offsetAt(from);
  return Math.ceil((from - offset) / interval) * interval + offset;
}

/** A day is not always 24 hours long. */
function nextTick(time: number, interval: number): number {
  const next = time + interval;
  return interval < DAY ? next : next + offsetAt(next) - offsetAt(time);
}
