/** Whether what a node has in use stays flat. */
import { median } from '../dns/rounds.ts';
import type { Sample } from './samples.ts';

/** Seconds after which nothing may grow. */
export const SETTLED = 20 * 60;
/** Seconds of each of the two compared parts: those after `SETTLED`, and the last ones. */
const PART = 10 * 60;
/** By which memory may grow. */
export const MOST_GROWTH = 0.05;
/** By which the number of descriptors may grow: connections of the load come and go. */
const MOST_DESCRIPTORS = 8;

export interface Flatness {
  readonly node: string;
  readonly what: string;
  /** Medians. */
  readonly first: number;
  readonly last: number;
  /** 0.05: grown by 5 %. */
  readonly growth: number;
  readonly isFlat: boolean;
}

/** The judged values of a node that ran all the time; none of a soak shorter than both parts. */
export function judge(samples: readonly Sample[], node: string): Flatness[] {
  const own = samples.filter((sampled) => sampled.node === node);
  const end = own.at(-1)?.at ?? 0;
  const first = own.filter(({ at }) => at >= SETTLED && at < SETTLED + PART);
  const last = own.filter(({ at }) => at > end - PART && at >= SETTLED + PART);
  if (first.length === 0 || last.length === 0) return [];
  const compare = (what: string, read: (sampled: Sample) => number, isFlat: (a: number, b: number) => boolean) => {
    const [a, b] = [median(first.map(read)), median(last.map(read))];
    return { node, what, first: a, last: b, growth: b / a - 1, isFlat: isFlat(a, b) };
  };
  const grows = (a: number, b: number): boolean => b <= a * (1 + MOST_GROWTH);
  return [
    compare('own memory', ({ anonymous }) => anonymous, grows),
    // The database grows with the audit log, and its mapped pages with it.
    compare('mapped memory less the database', ({ mapped, store }) => Math.max(0, mapped - store), grows),
    compare(
      'descriptors',
      ({ descriptors }) => descriptors,
      (a, b) => b <= a + MOST_DESCRIPTORS,
    ),
  ];
}
