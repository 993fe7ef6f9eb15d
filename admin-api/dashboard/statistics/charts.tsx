/** The charts of statistics: bars for counts, lines for rates. */
import { useMemo } from 'preact/hooks';
import type { Statistics } from '../api/views.ts';
import { Chart } from '../charts/chart.tsx';
import { groupStatuses, knownCounts, ratesOf, type Series, sumSeries, type Values } from '../charts/series.ts';
import { toUnicode } from '../names.ts';
import { formatBytes, formatCount, formatShare } from '../numbers.ts';
import { TEXTS } from '../texts.ts';
import { parseTime } from './range.ts';

interface ChartsProps {
  readonly statistics: Statistics;
  /** Of the range before. Null: it is not known. */
  readonly before: Statistics | null;
  /** Seconds since 1970. */
  readonly now: number;
  /** When counting began, in seconds since 1970. */
  readonly since: number;
  readonly onSelect: (from: number, to: number) => void;
}

export function Charts({ statistics, before, now, since, onSelect }: ChartsProps) {
  const texts = TEXTS.statistics;
  const { step, top_names: names } = statistics;
  const from = parseTime(statistics.from);
  // Charts are rendered again only after a change of the figures.
  const series = useMemo(() => seriesOf(statistics, now, since), [statistics, since]);
  const beforeOf = (of: (known: ReturnType<typeof seriesOf>) => readonly Series[]): Values | undefined =>
    before === null ? undefined : sumSeries(of(seriesOf(before, now, since)));
  const common = {
    ...{ from, step, now, names: texts.cacheResults },
    onSelect: (first: number, last: number) => onSelect(from + first * step, from + (last + 1) * step),
  };
  const bars = { ...common, kind: 'bars', unit: 'count', format: formatCount } as const;
  return (
    <div class="charts">
      {series.types.length > 0 && (
        <Chart {...bars} title={texts.byType} series={series.types} before={beforeOf(({ types }) => types)} />
      )}
      {series.codes.length > 0 && <Chart {...bars} title={texts.byCode} series={series.codes} />}
      {series.statuses.length > 0 && (
        <Chart
          {...bars}
          title={texts.byStatus}
          series={series.statuses}
          before={beforeOf(({ statuses }) => statuses)}
        />
      )}
      {series.cache.length > 0 && <Chart {...bars} title={texts.byCache} series={series.cache} />}
      {statistics.bytes.total > 0 && (
        <Chart
          {...common}
          kind="lines"
          unit="bytes"
          format={(rate) => texts.perSecond(formatBytes(rate))}
          title={texts.bytes}
          series={series.bytes}
        />
      )}
      {statistics.requests.total > 0 && (
        <Chart
          {...common}
          kind="lines"
          unit="share"
          format={formatShare}
          title={texts.cacheShare}
          series={series.share}
        />
      )}
      {names.length > 0 && <Ranking title={texts.topNames} column={texts.name} rows={names.map(nameRow)} />}
      {statistics.requests.by_status.length > 0 && (
        <Ranking
          title={texts.statuses}
          column={texts.status}
          rows={statistics.requests.by_status.map(({ name, total }) => ({ name, count: total, hint: '' }))}
        />
      )}
    </div>
  );
}

/** The series of all charts, with gaps where nothing was counted. */
function seriesOf({ queries, requests, bytes, from: start, step }: Statistics, now: number, since: number) {
  const steps = { from: parseTime(start), step };
  const known = (counts: readonly number[]): Values => knownCounts(counts, steps, now, since);
  const all = (list: readonly { readonly name: string; readonly counts: readonly number[] }[]): Series[] =>
    list.map(({ name, counts }) => ({ name, values: known(counts) }));
  const rates = (counts: readonly number[]): Values => ratesOf(known(counts), steps, now);
  const cache = all(requests.by_cache);
  const served = sumSeries(cache.filter(({ name }) => name === 'hit' || name === 'stale' || name === 'revalidated'));
  const share = sumSeries(cache).map((total, i) => (total === null || total === 0 ? null : (served[i] ?? 0) / total));
  return {
    types: all(queries.by_type),
    codes: all(queries.by_code),
    statuses: groupStatuses(all(requests.by_status)),
    cache,
    bytes: [
      { name: 'cached', values: rates(bytes.cached_counts) },
      { name: 'origin', values: rates(bytes.sent_counts.map((count, i) => count - bytes.cached_counts[i])) },
    ],
    share: [{ name: 'cached', values: share }],
  };
}

interface Row {
  readonly name: string;
  readonly hint: string;
  readonly count: number;
}

function nameRow({ name, queries }: Statistics['top_names'][number]): Row {
  const unicode = toUnicode(name);
  return { name: unicode, hint: unicode === name ? '' : name, count: queries };
}

interface RankingProps {
  readonly title: string;
  readonly column: string;
  readonly rows: readonly Row[];
}

/** The highest counts, each with a bar from zero. */
function Ranking({ title, column, rows }: RankingProps) {
  const greatest = Math.max(1, ...rows.map(({ count }) => count));
  return (
    <section class="chart" aria-label={title}>
      <h2>{title}</h2>
      <table class="numbers ranking">
        <thead>
          <tr>
            <th scope="col">{column}</th>
            <th scope="col">{TEXTS.statistics.count}</th>
          </tr>
        </thead>
        <tbody>
          {rows.map(({ name, hint, count }) => (
            <tr key={name + hint}>
              <td class="cell-name">
                <span class="ranking-bar" style={{ width: `${(100 * count) / greatest}%` }} />
                <span class="ranking-name">
                  {name} {hint !== '' && <span class="hint">{hint}</span>}
                </span>
              </td>
              <td>{formatCount(count)}</td>
            </tr>
          ))}
        </tbody>
      </table>
    </section>
  );
}
