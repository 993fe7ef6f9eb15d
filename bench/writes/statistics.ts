/**
 * The value that so many of 100 do not exceed (nearest rank). `values` need not be sorted; NaN when
 * there are none.
 */
export function percentile(values: readonly number[], percent: number): number {
  const sorted = values.toSorted((a, b) => a - b);
  return sorted[Math.max(0, Math.ceil((percent / 100) * sorted.length) - 1)] ?? Number.NaN;
}
