/** The figures of a chart as CSV (RFC 4180). Pure, so that tests import it. */
import { type ColouredSeries, type Steps, sumSeries } from './series.ts';

/** Names come from visitors: a spreadsheet must not take one as a formula. */
const FORMULA = /^[=+\-@\t\r]/;

function cell(value: string | number | null): string {
  if (value === null) return '';
  const text = typeof value === 'string' && FORMULA.test(value) ? `'${value}` : String(value);
  return /[",\n]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text;
}

/** One line for each step with data, with its start in UTC. `nameOf`: the heading of a series. */
export function toCsv(
  series: readonly ColouredSeries[],
  { from, step }: Steps,
  nameOf: (name: string) => string,
): string {
  const isKnown = sumSeries(series);
  const lines = isKnown.flatMap((known, i) => {
    if (known === null) return [];
    const time = `${new Date((from + i * step) * 1000).toISOString().slice(0, 19)}Z`;
    return [[time, ...series.map(({ values }) => values[i])]];
  });
  const all = [['time', ...series.map(({ name }) => nameOf(name))], ...lines];
  return all.map((line) => `${line.map(cell).join(',')}\r\n`).join('');
}
