/** Formats differences between clocks. */

const UNITS = [
  [86_400_000, 'days'],
  [3_600_000, 'hours'],
  [60_000, 'minutes'],
  [1000, 'seconds'],
] as const;

/**
 * Returns for example "30.0 days ahead of" or "2.5 hours behind". `relation` replaces the words
 * after the unit.
 */
export function formatDifference(milliseconds: number, relation?: string): string {
  const size = Math.abs(milliseconds);
  const [unit, name] = UNITS.find(([least]) => size >= least) ?? UNITS[UNITS.length - 1];
  const text = `${(size / unit).toFixed(1)} ${name}`;
  return relation === '' ? text : `${text} ${relation ?? (milliseconds > 0 ? 'ahead of' : 'behind')}`;
}
