/** Filters and counts requests of the live tail. */

/** A request in the API's format. Its texts come from visitors. */
export interface RequestRow {
  /** Unique in the list. */
  readonly key: number;
  readonly node: string;
  readonly time: string;
  readonly client: string;
  readonly scheme: string;
  readonly host: string;
  readonly method: string;
  readonly path: string;
  readonly version: string;
  readonly status: number;
  readonly bytes: number;
  readonly ms: number;
  /** Null: the origin sent no response. Nodes of an earlier version do not send it. */
  readonly origin_ms?: number | null;
  readonly cache: string;
  readonly user_agent: string | null;
}

/** What a list of the most frequent values counts, and a filter compares. */
export const FACETS = ['host', 'path', 'status', 'client', 'cache'] as const;
export type Facet = (typeof FACETS)[number];

export interface RequestFilter extends Partial<Readonly<Record<Facet, string>>> {
  readonly text: string;
  /** The first digit of the status; empty: all. */
  readonly statusClass: string;
}

export function matches(row: RequestRow, { text, statusClass, ...values }: RequestFilter): boolean {
  if (statusClass !== '' && !String(row.status).startsWith(statusClass)) return false;
  for (const facet of FACETS) if ((values[facet] ?? '') !== '' && String(row[facet]) !== values[facet]) return false;
  const wanted = text.trim().toLowerCase();
  return wanted === '' || searchText(row).includes(wanted);
}

/** Values that a list shows. */
const MAX_VALUES = 5;

/** The most frequent values with their counts; those that are equally frequent by their text. */
export function topValues(rows: readonly RequestRow[], facet: Facet): (readonly [value: string, count: number])[] {
  const counts = new Map<string, number>();
  for (const row of rows) counts.set(String(row[facet]), (counts.get(String(row[facet])) ?? 0) + 1);
  const sorted = [...counts].sort(([a, m], [b, n]) => n - m || (a < b ? -1 : 1));
  return sorted.slice(0, MAX_VALUES);
}

export const PERCENTILES = [50, 95, 99] as const;

/** The percentiles of the origin's time by nearest rank. Null: no request reached the origin. */
export function originTimes(rows: readonly RequestRow[]): readonly number[] | null {
  const times = rows.flatMap(({ origin_ms: ms }) => ms ?? []).sort((a, b) => a - b);
  if (times.length === 0) return null;
  return PERCENTILES.map((percent) => times[Math.ceil((percent / 100) * times.length) - 1]);
}

const searchText = ({ method, host, path, client, user_agent }: RequestRow): string =>
  `${method} ${host}${path} ${client} ${user_agent ?? ''}`.toLowerCase();
