/** Queries and requests over time, of a domain or of all domains of the account. */
import { useSignal } from '@preact/signals';
import { useEffect, useRef } from 'preact/hooks';
import type { Statistics } from '../api/views.ts';
import { api, type Result, settle } from '../api.ts';
import { knownCounts, sumSeries, type Values } from '../charts/series.ts';
import { domainOf } from '../domain.ts';
import type { Failure } from '../failure.ts';
import { formatBytes, formatCount, formatShare } from '../numbers.ts';
import { FailureNote } from '../parts/notes.tsx';
import { usePageTitle } from '../parts/title.ts';
import { useInterval } from '../parts/use-interval.ts';
import { currentQuery, replaceQuery } from '../router.ts';
import type { ScreenProps } from '../screen.ts';
import { Charts } from '../statistics/charts.tsx';
import { Figure } from '../statistics/figures.tsx';
import { DEFAULT_RANGE, formatTime, parseTime, RANGE_NAMES, rangeBefore, readRange } from '../statistics/range.ts';
import { TEXTS } from '../texts.ts';

const REFRESH_MS = 60_000;

interface RangeQuery {
  readonly from: string;
  readonly to: string;
  readonly step: number;
}

type Read = (query: RangeQuery) => Promise<Result<{ readonly statistics: Statistics }>>;

export function DomainStatistics({ domainId }: ScreenProps) {
  const params = { domain_id: domainId };
  const path = '/api/v1/domains/{domain_id}/statistics';
  const created = domainOf(domainId).domain.value?.created_at;
  return (
    <StatisticsView
      since={created === undefined ? 0 : parseTime(created)}
      read={(query) => settle(api.GET(path, { params: { path: params, query } }))}
    />
  );
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
      <StatisticsView since={0} read={(query) => settle(api.GET('/api/v1/statistics', { params: { query } }))} />
    </>
  );
}

interface Shown {
  readonly statistics: Statistics;
  /** Of the range of the same length before. Null: it is not kept, or cannot be read. */
  readonly before: Statistics | null;
  /** When they were read, in seconds since 1970. */
  readonly now: number;
}

const nowSeconds = (): number => Math.floor(Date.now() / 1000);

function StatisticsView({ since, read }: { readonly since: number; readonly read: Read }) {
  const texts = TEXTS.statistics;
  const chosen = ['range', 'from', 'to'].map((name) => currentQuery.value.get(name) ?? '').join(' ');
  const { name: rangeName } = readRange(currentQuery.value, nowSeconds());
  const shown = useSignal<Shown | null>(null);
  const failure = useSignal<Failure | null>(null);
  const wanted = useRef(chosen);
  wanted.current = chosen;
  const load = async (): Promise<void> => {
    const now = nowSeconds();
    const range = readRange(currentQuery.value, now);
    const earlier = rangeBefore(range, now);
    const [result, before] = await Promise.all([
      read(queryOf(range)),
      earlier === null ? null : read(queryOf(earlier)),
    ]);
    // The user has selected another range meanwhile.
    if (wanted.current !== chosen) return;
    failure.value = result.ok ? null : result.failure;
    if (!result.ok) return;
    shown.value = {
      statistics: result.data.statistics,
      before: before?.ok === true ? before.data.statistics : null,
      now,
    };
  };
  useEffect(() => {
    shown.value = null;
    failure.value = null;
    void load();
  }, [chosen]);
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
              aria-pressed={name === rangeName}
              onClick={() => replaceQuery({ range: name === DEFAULT_RANGE ? '' : name, from: '', to: '' })}
            >
              {texts.ranges[name]}
            </button>
          ))}
        </div>
        <p class="hint">{rangeName === null ? texts.chosen : texts.refreshed}</p>
      </div>
      {failure.value !== null && <FailureNote failure={failure.value} retry={load} />}
      {shown.value === null && failure.value === null && <ChartSkeleton />}
      {shown.value !== null && <Figures {...shown.value} since={since} />}
    </>
  );
}

const queryOf = ({ from, to, step }: { from: number; to: number; step: number }): RangeQuery => ({
  ...{ from: formatTime(from), to: formatTime(to), step },
});

/** The shape of what comes. */
function ChartSkeleton() {
  return (
    <div class="skeleton">
      <p class="hidden" role="status">
        {TEXTS.loading}
      </p>
      <div class="figures">
        {[1, 2, 3, 4].map((i) => (
          <div key={i} class="skeleton-block skeleton-figure" />
        ))}
      </div>
      <div class="charts">
        {[1, 2, 3, 4].map((i) => (
          <div key={i} class="skeleton-block skeleton-chart" />
        ))}
      </div>
    </div>
  );
}

function Figures({ statistics, before, now, since }: Shown & { readonly since: number }) {
  const texts = TEXTS.statistics;
  const { queries, requests, bytes, nodes } = statistics;
  const isEmpty = queries.total === 0 && requests.total === 0;
  const steps = { from: parseTime(statistics.from), step: statistics.step };
  const sumOf = (list: readonly { readonly counts: readonly number[] }[]): Values => {
    const zeros = bytes.sent_counts.map(() => 0);
    const all = [zeros, ...list.map(({ counts }) => counts)];
    return sumSeries(all.map((counts) => ({ name: '', values: knownCounts(counts, steps, now, since) })));
  };
  const compared = (of: (read: Statistics) => number) =>
    before === null ? {} : { compared: [of(before), of(statistics)] as const };
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
            <Figure
              name={texts.queries}
              value={formatCount(queries.total)}
              series="queries"
              values={sumOf(queries.by_code)}
              {...compared((read) => read.queries.total)}
            />
            <Figure
              name={texts.requests}
              value={formatCount(requests.total)}
              series="requests"
              values={sumOf(requests.by_status)}
              {...compared((read) => read.requests.total)}
            />
            <Figure
              name={texts.bandwidth}
              value={formatBytes(bytes.total)}
              series="bytes"
              values={sumOf([{ counts: bytes.sent_counts }])}
              {...compared((read) => read.bytes.total)}
            />
            <Figure
              name={texts.fromCache}
              value={bytes.total === 0 ? TEXTS.none : formatShare(bytes.cached / bytes.total)}
              series="cached"
              values={sumOf([{ counts: bytes.cached_counts }])}
            />
          </dl>
          <p class="hint sampling">{queries.sampling > 1 ? texts.sampled(queries.sampling) : texts.exact}</p>
          <Charts
            {...{ statistics, before, now, since }}
            onSelect={(from, to) => replaceQuery({ range: '', from: String(from), to: String(to) })}
          />
        </>
      )}
    </>
  );
}
