/** The traffic of the last seven days, compared with the seven days before. */
import { addressOf } from '../addresses.ts';
import type { Statistics } from '../api/views.ts';
import { api, settle } from '../api.ts';
import { knownCounts, type Series, sumSeries, type Values } from '../charts/series.ts';
import { formatBytes, formatCount } from '../numbers.ts';
import { FailureNote } from '../parts/notes.tsx';
import { useInterval } from '../parts/use-interval.ts';
import { useResource } from '../parts/use-resource.ts';
import { Figure } from '../statistics/figures.tsx';
import { formatTime, parseTime, type Range, rangeBefore, readRange } from '../statistics/range.ts';
import { TEXTS } from '../texts.ts';

const REFRESH_MS = 60_000;
const WEEK = new URLSearchParams({ range: '7d' });

interface Weeks {
  readonly now: number;
  readonly week: Statistics;
  readonly before: Statistics | null;
}

const readStatistics = ({ from, to, step }: Omit<Range, 'name'>) => {
  const query = { from: formatTime(from), to: formatTime(to), step };
  return settle(api.GET('/api/v1/statistics', { params: { query } }));
};

async function readWeeks() {
  const now = Math.floor(Date.now() / 1000);
  const range = readRange(WEEK, now);
  const earlier = rangeBefore(range, now);
  const [week, before] = await Promise.all([readStatistics(range), earlier === null ? null : readStatistics(earlier)]);
  if (!week.ok) return week;
  const weeks: Weeks = { now, week: week.data.statistics, before: before?.ok === true ? before.data.statistics : null };
  return { ...week, data: weeks };
}

export function Traffic() {
  const texts = TEXTS.overview;
  const weeks = useResource(readWeeks);
  useInterval(weeks.load, REFRESH_MS);
  return (
    <section class="overview-traffic" aria-labelledby="traffic">
      <div class="card-head">
        <h2 id="traffic">{texts.traffic}</h2>
        <a href={addressOf('statistics', {}, { range: '7d' })}>{TEXTS.navigation.statistics}</a>
      </div>
      {weeks.failure.value !== null && <FailureNote failure={weeks.failure.value} retry={weeks.load} />}
      {weeks.value.value === null && weeks.failure.value === null && (
        <div class="figures skeleton">
          {[1, 2, 3].map((i) => (
            <div key={i} class="skeleton-block skeleton-figure" />
          ))}
        </div>
      )}
      {weeks.value.value !== null && <Figures {...weeks.value.value} />}
    </section>
  );
}

function Figures({ now, week, before }: Weeks) {
  const texts = TEXTS.statistics;
  const compared = (of: (read: Statistics) => number) =>
    before === null ? {} : { compared: [of(before), of(week)] as const };
  return (
    <dl class="figures">
      <Figure
        name={texts.queries}
        value={formatCount(week.queries.total)}
        series="queries"
        values={sumOf(week, week.queries.by_code, now)}
        {...compared(({ queries }) => queries.total)}
      />
      <Figure
        name={texts.requests}
        value={formatCount(week.requests.total)}
        series="requests"
        values={sumOf(week, week.requests.by_status, now)}
        {...compared(({ requests }) => requests.total)}
      />
      <Figure
        name={texts.bandwidth}
        value={formatBytes(week.bytes.total)}
        series="bytes"
        values={sumOf(week, [{ counts: week.bytes.sent_counts }], now)}
        {...compared(({ bytes }) => bytes.total)}
      />
    </dl>
  );
}

/** The sums of the series for each step, zero where there are none. */
function sumOf(
  { from, step, bytes }: Statistics,
  list: readonly { readonly counts: readonly number[] }[],
  now: number,
): Values {
  const steps = { from: parseTime(from), step };
  const zeros = bytes.sent_counts.map(() => 0);
  const all = [zeros, ...list.map(({ counts }) => counts)];
  return sumSeries(all.map((counts): Series => ({ name: '', values: knownCounts(counts, steps, now) })));
}
