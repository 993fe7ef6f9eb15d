/** A small line without axes. The figure beside it says the same, so it is hidden from readers. */
import type { Hue, Values } from './series.ts';

interface SparklineProps {
  readonly values: Values;
  readonly hue: Hue;
}

const WIDTH = 120;
const HEIGHT = 32;

export function Sparkline({ values, hue }: SparklineProps) {
  const greatest = Math.max(1e-9, ...values.map((value) => value ?? 0));
  const x = (i: number): string => ((i * WIDTH) / Math.max(values.length - 1, 1)).toFixed(1);
  const y = (value: number): string => (HEIGHT - 1 - (value / greatest) * (HEIGHT - 3)).toFixed(1);
  const runs: [number, number][][] = [[]];
  for (const [i, value] of values.entries()) {
    if (value === null) runs.push([]);
    else runs.at(-1)?.push([i, value]);
  }
  const drawn = runs.filter((run) => run.length > 0);
  const line = drawn.map(
    (run) => `M${run.map(([i, value]) => `${x(i)} ${y(value)}`).join('L')}${run.length === 1 ? 'h1' : ''}`,
  );
  const area = drawn.map((run) => {
    const [first, last] = [run[0][0], run[run.length - 1][0]];
    return `M${x(first)} ${HEIGHT}L${run.map(([i, value]) => `${x(i)} ${y(value)}`).join('L')}L${x(last)} ${HEIGHT}z`;
  });
  return (
    <svg
      class="sparkline"
      viewBox={`0 0 ${WIDTH} ${HEIGHT}`}
      preserveAspectRatio="none"
      aria-hidden="true"
      style={{ color: `var(--series-${hue})` }}
    >
      <path class="sparkline-area" d={area.join('')} />
      <path class="sparkline-line" d={line.join('')} />
    </svg>
  );
}
