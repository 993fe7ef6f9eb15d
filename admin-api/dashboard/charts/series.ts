/** Series of a chart: their colours, and sums of them. Pure, so that tests import it. */

/** The colours of series, as tokens `--series-…` of admin-api/ui/style/tokens.css. */
export const HUES = ['blue', 'amber', 'green', 'purple', 'red', 'teal', 'olive', 'grey'] as const;
export type Hue = (typeof HUES)[number];

/** One number for each step. Null: no data, which a chart shows as a gap. */
export type Values = readonly (number | null)[];

export interface Series {
  readonly name: string;
  readonly values: Values;
}

export interface ColouredSeries extends Series {
  readonly hue: Hue;
}

/** The colour of each name in all charts. Successes are green, failures red; others differ. */
const DECLARED: Readonly<Record<string, Hue>> = {
  A: 'blue',
  AAAA: 'teal',
  HTTPS: 'purple',
  MX: 'amber',
  TXT: 'olive',
  NS: 'green',
  NOERROR: 'green',
  NXDOMAIN: 'amber',
  SERVFAIL: 'red',
  REFUSED: 'purple',
  '1xx': 'grey',
  '2xx': 'green',
  '3xx': 'blue',
  '4xx': 'amber',
  '5xx': 'red',
  hit: 'green',
  revalidated: 'teal',
  stale: 'olive',
  miss: 'amber',
  bypass: 'purple',
  none: 'grey',
  cached: 'green',
  origin: 'amber',
  queries: 'blue',
  requests: 'teal',
  bytes: 'purple',
};

/** Colours of names that are not declared. Grey is only for the sum of all others. */
const FREE = HUES.filter((hue) => hue !== 'grey');

export const hueOf = (name: string): Hue => DECLARED[name] ?? 'grey';

/**
 * Gives each series its colour: the declared one, otherwise a free one. Those for which no colour
 * is left become one grey series with their sums. `others`: its name.
 */
export function colourSeries(all: readonly Series[], others: string): readonly ColouredSeries[] {
  const taken = new Set(all.map(({ name }) => DECLARED[name]));
  const rest: Series[] = [];
  const coloured: ColouredSeries[] = [];
  for (const series of all) {
    const hue = DECLARED[series.name] ?? FREE.find((free) => !taken.has(free));
    taken.add(hue);
    if (hue === undefined) rest.push(series);
    else coloured.push({ ...series, hue });
  }
  if (rest.length === 0) return coloured;
  return [...coloured, { name: others, hue: 'grey', values: sumSeries(rest) }];
}

/** The sums of each step. Null only where no series has data. */
export function sumSeries(all: readonly Series[]): Values {
  return (all[0]?.values ?? []).map((_, i) => {
    const known = all.flatMap(({ values }) => values[i] ?? []);
    return known.length === 0 ? null : known.reduce((sum, value) => sum + value, 0);
  });
}

export const totalOf = ({ values }: Pick<Series, 'values'>): number =>
  values.reduce<number>((sum, value) => sum + (value ?? 0), 0);

/** Sums HTTP statuses by their class, such as `4xx`, in the order of classes. */
export function groupStatuses(all: readonly Series[]): readonly Series[] {
  const classes = new Map<string, Series[]>();
  for (const series of all) {
    const name = `${series.name[0]}xx`;
    classes.set(name, [...(classes.get(name) ?? []), series]);
  }
  return [...classes]
    .sort(([a], [b]) => (a < b ? -1 : 1))
    .map(([name, members]) => ({ name, values: sumSeries(members) }));
}

export interface Steps {
  /** Start of the first step, seconds since 1970. */
  readonly from: number;
  /** Length of a step in seconds. */
  readonly step: number;
}

/**
 * The counts of steps that have begun, and null for the others: those in the future, and those
 * before `since` (seconds since 1970), when nothing was counted.
 */
export function knownCounts(counts: readonly number[], { from, step }: Steps, now: number, since = 0): Values {
  return counts.map((count, i) => {
    const start = from + i * step;
    return start <= now && (count > 0 || start + step > since) ? count : null;
  });
}

/** Counts per second. Null for the step that has not ended, whose rate would be too low. */
export function ratesOf(counts: Values, { from, step }: Steps, now: number): Values {
  return counts.map((count, i) => (count === null || from + (i + 1) * step > now ? null : count / step));
}
