/** Stacks the lines of a chart as areas. */

export interface Line {
  readonly name: string;
  /** One count for each step. */
  readonly counts: readonly number[];
}

/** Sums the lines from the `limit`th on into one line if there are more than `limit`. */
export function limitLines(lines: readonly Line[], limit: number, others: string): readonly Line[] {
  if (lines.length <= limit) return lines;
  const rest = lines.slice(limit - 1);
  const counts = rest[0].counts.map((_, step) => rest.reduce((sum, line) => sum + line.counts[step], 0));
  return [...lines.slice(0, limit - 1), { name: others, counts }];
}

/** For each line, adds the counts of all lines before it. */
export function stackLines(lines: readonly Line[]): number[][] {
  const sums: number[][] = [];
  for (const { counts } of lines) {
    const below = sums.at(-1);
    sums.push(counts.map((count, step) => count + (below?.[step] ?? 0)));
  }
  return sums;
}

/** The sum of all counts of a line. */
export const totalOf = ({ counts }: Line): number => counts.reduce((sum, count) => sum + count, 0);
