/** Queries and requests over time, of a domain or of all domains of the account. */
import { useSignal } from '@preact/signals';
import { useEffect, useMemo, useRef } from 'preact/hooks';
import type { Statistics } from '../api/views.ts';
import { api, type Result, settle } from '../api.ts';
import { Chart } from '../charts/chart.tsx';
import type { Line } from '../charts/stack.ts';
import type { Failure } from '../failure.ts';
import { toUnicode } from '../names.ts';
import { formatBytes, formatCount } from '../numbers.ts';
import { FailureNote } from '../parts/notes.tsx';
import { Skeleton } from '../parts/skeleton.tsx';
import { usePageTitle } from '../parts/title.ts';
import { useInterval } from '../parts/use-interval.ts';
import { currentQuery, replaceQuery } from '../router.ts';
import type { ScreenProps } from '../screen.ts';
import { TEXTS } from '../texts.ts';

const HOUR = 3600;
/** Length of each range and step of its charts, in seconds. */
const RANGES = {
  '1h': { seconds: HOUR, step: 60 },
  '6h': { seconds: 6 * HOUR, step: 300 },
  '24h': { seconds: 24 * HOUR, step: 900 },
  '7d': { seconds: 7 * 24 * HOUR, step: 3600 },
  '30d': { seconds: 30 * 24 * HOUR, step: 21_600 },
} as const;
type RangeName = keyof typeof RANGES;
const RANGE_NAMES = Object.keys(RANGES) as RangeName[];
const DEFAULT_RANGE: RangeName = '24h';

const REFRESH_MS = 60_000;

interface RangeQuery {
  readonly from: string;
  readonly step: number;
}

type Read = (query: RangeQuery) => Promise<Result<{ readonly statistics: Statistics }>>;

export function DomainStatistics({ domainId }: ScreenProps) {
  const params = { domain_id: domainId };
  const path = '/api/v1/domains/{domain_id}/statistics';
  return <StatisticsView read={(query) => settle(api.GET(path, { params: { path: params, query } }))} />;
}

export function AccountStatistics() {
  const texts = TEXTS.statistics;
  usePageTitle(texts.title);
  return (
    <>
      <div class="head">
        <h1>{texts.title}</h1>
        <p class="hint">{texts.ofAccount}</p>
      </div>
      <StatisticsView read={(query) => settle(api.GET('/api/v1/statistics', { params: { query } }))} />
    </>
  );
}

function StatisticsView({ read }: { readonly read: Read }) {
  const texts = TEXTS.statistics;
  const chosen = currentQuery.value.get('range');
  const range = RANGE_NAMES.find((name) => name === chosen) ?? DEFAULT_RANGE;
  const statistics = useSignal<Statistics | null>(null);
  const failure = useSignal<Failure | null>(null);
  const wanted = useRef(range);
  wanted.current = range;
  const load = async (): Promise<void> => {
    const { seconds, step } = RANGES[range];
    const result = await read({ from: timeBefore(seconds), step });
    // The user has selected another range meanwhile.
    if (wanted.current !== range) return;
    failure.value = result.ok ? null : result.failure;
    if (result.ok) statistics.value = result.data.statistics;
  };
  useEffect(() => {
    statistics.value = null;
    failure.value = null;
    void load();
  }, [range]);
  useInterval(load, REFRESH_MS);
  return (
    <>
      <div class="tools">
        {/* biome-ignore lint/a11y/useSemanticElements: a fieldset shows its legend */}
        <div class="ranges" role="group" aria-label={texts.range}>
          {RANGE_NAMES.map((name) => (
            <button
              key={name}
              type="button"
              class="button"
              aria-pressed={name === range}
              onClick={() => replaceQuery({ range: name === DEFAULT_RANGE ? '' : name })}
            >
              {texts.ranges[name]}
            </button>
          ))}
        </div>
        <p class="hint">{texts.refreshed}</p>
      </div>
      {failure.value !== null && <FailureNote failure={failure.value} retry={load} />}
      {statistics.value === null && failure.value === null && <Skeleton />}
      {statistics.value !== null && <Figures statistics={statistics.value} />}
    </>
  );
}

/** Formats a time for the API. */
function timeBefore(seconds: number): string {
  const milliseconds = Date.now() - seconds * 1000;
  return new Date(milliseconds).toISOString().slice(0, 19).replace('T', ' ');
}

function Figures({ statistics }: { readonly statistics: Statistics }) {
  const texts = TEXTS.statistics;
  const { queries, requests, bytes, nodes } = statistics;
  const isEmpty = queries.total === 0 && requests.total === 0;
  return (
    <>
      {nodes.missing.length > 0 && <p class="note note-warning">{texts.missing(nodes.missing)}</p>}
      {isEmpty && nodes.answered.length > 0 && (
        <section class="empty">
          <h2>{texts.empty}</h2>
          <p>{texts.emptyHint}</p>
        </section>
      )}
      {!isEmpty && (
        <>
          <dl class="figures">
            <Figure name={texts.queries} value={formatCount(queries.total)} />
            <Figure name={texts.requests} value={formatCount(requests.total)} />
            <Figure name={texts.bandwidth} value={formatBytes(bytes.total)} />
            <Figure name={texts.fromCache} value={formatShare(bytes.cached, bytes.total)} />
          </dl>
          <p class="hint sampling">{queries.sampling > 1 ? texts.sampled(queries.sampling) : texts.exact}</p>
          <Charts statistics={statistics} />
        </>
      )}
    </>
  );
}

function Figure({ name, value }: { readonly name: string; readonly value: string }) {
  return (
    <div>
      <dt>{name}</dt>
      <dd>{value}</dd>
    </div>
  );
}

const formatShare = (part: number, whole: number): string =>
  whole === 0 ? TEXTS.none : `${Math.round((100 * part) / whole)} %`;

function Charts({ statistics }: { readonly statistics: Statistics }) {
  const texts = TEXTS.statistics;
  const { queries, requests, bytes, top_names, step } = statistics;
  const from = Date.parse(`${statistics.from.replace(' ', 'T')}Z`) / 1000;
  // Charts are rendered again only after a change of the lines.
  const lines = useMemo(
    () => ({
      cache: requests.by_cache.map(({ name, counts }) => ({ name: cacheText(name), counts })),
      bytes: [
        { name: texts.cachedBytes, counts: bytes.cached_counts },
        {
          name: texts.originBytes,
          counts: bytes.sent_counts.map((count, i) => count - bytes.cached_counts[i]),
        },
      ],
    }),
    [statistics],
  );
  const chart = (title: string, shown: readonly Line[], format = formatCount) =>
    shown.length > 0 && <Chart {...{ title, lines: shown, from, step, format }} />;
  return (
    <div class="charts">
      {chart(texts.byType, queries.by_type)}
      {chart(texts.byCode, queries.by_code)}
      {top_names.length > 0 && <TopNames names={top_names} />}
      {chart(texts.byStatus, requests.by_status)}
      {chart(texts.byCache, lines.cache)}
      {bytes.total > 0 && chart(texts.bytes, lines.bytes, formatBytes)}
    </div>
  );
}

function cacheText(name: string): string {
  const texts: Readonly<Record<string, string>> = TEXTS.statistics.cacheResults;
  return texts[name] ?? name;
}

function TopNames({ names }: { readonly names: Statistics['top_names'] }) {
  const texts = TEXTS.statistics;
  return (
    <section class="chart" aria-label={texts.topNames}>
      <h2>{texts.topNames}</h2>
      <table class="numbers">
        <thead>
          <tr>
            <th scope="col">{texts.name}</th>
            <th scope="col">{texts.count}</th>
          </tr>
        </thead>
        <tbody>
          {names.map(({ name, queries }) => {
            const unicode = toUnicode(name);
            return (
              <tr key={name}>
                <td class="cell-name">
                  {unicode} {unicode !== name && <span class="hint">{name}</span>}
                </td>
                <td>{formatCount(queries)}</td>
              </tr>
            );
          })}
        </tbody>
      </table>
    </section>
  );
}
