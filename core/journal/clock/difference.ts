/** Differences between clocks, in words. */

const UNITS = [
  [86_400_000, 'days'],
  [3_600_000, 'hours'],
  [60_000, 'minutes'],
  [1000, 'seconds'],
] as const;

/** "30.0 days ahead of", "2.5 hours behind"; with `relation`, that instead. */
export function formatDifference(milliseconds: number, relation?: string): string {
  const size = Math.abs(milliseconds);
  const [unit, name] = UNITS.find(([least]) => size >= least) ?? UNITS[UNITS.length - 1];
  const text = `${(size / unit).toFixed(1)} ${name}`;
  return relation === '' ? text : `${text} ${relation ?? (milliseconds > 0 ? 'ahead of' : 'behind')}`;
}
