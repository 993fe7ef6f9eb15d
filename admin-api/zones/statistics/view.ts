/** Statistics as the API returns them. */
import type { ClusterStatistics } from '../../../core/cluster/peer-queries.ts';
import { typeName } from '../../../core/dns/wire/mnemonics.ts';
import { formatHost } from '../../../core/dns/wire/name.ts';
import { RCODE } from '../../../core/dns/wire/types.ts';
import {
  CACHE_RESULTS,
  CACHED_BYTES,
  codeOf,
  GROUP,
  groupOf,
  OTHER_RCODE,
  OTHER_TYPE,
  SENT_BYTES,
} from '../../../core/observe/statistics/columns.ts';
import { SUBJECT } from '../../../core/observe/statistics/counts.ts';
import { formatTime } from '../../http/time.ts';
import type { StatisticsRange } from './range.ts';

/** Maximum number of names in a response. */
const TOP_NAMES = 20;

const RCODE_NAMES: ReadonlyMap<number, string> = new Map(Object.entries(RCODE).map(([name, code]) => [code, name]));

const NAME_OF_CODE: Readonly<Record<number, (code: number) => string>> = {
  [GROUP.type]: (type) => (type === OTHER_TYPE ? 'other' : typeName(type)),
  [GROUP.rcode]: (code) => (code === OTHER_RCODE ? 'other' : (RCODE_NAMES.get(code) ?? `RCODE${code}`)),
  [GROUP.status]: String,
  [GROUP.cache]: (code) => CACHE_RESULTS[code] ?? 'none',
};

const sum = (counts: readonly number[]): number => counts.reduce((total, count) => total + count, 0);

/** `kind`: a value of SUBJECT. */
export function viewStatistics(
  range: StatisticsRange,
  kind: number,
  { sum: all, answered, missing }: ClusterStatistics,
) {
  const { from, to, step } = range;
  const seriesOf = (group: number) =>
    all.columns
      .filter(([column]) => groupOf(column) === group)
      .map(([column, counts]) => ({ name: NAME_OF_CODE[group](codeOf(column)), total: sum(counts), counts }))
      .filter(({ total }) => total > 0)
      .sort((a, b) => b.total - a.total || (a.name < b.name ? -1 : 1));
  const totalOf = (series: readonly { total: number }[]): number => sum(series.map(({ total }) => total));
  const zeros = new Array<number>((to - from) / step).fill(0);
  const countsOf = (wanted: number): readonly number[] =>
    all.columns.find(([column]) => column === wanted)?.[1] ?? zeros;
  const byCode = seriesOf(GROUP.rcode);
  const byStatus = seriesOf(GROUP.status);
  return {
    from: formatTime(from),
    to: formatTime(to),
    step,
    queries: { sampling: all.sampling, total: totalOf(byCode), by_type: seriesOf(GROUP.type), by_code: byCode },
    top_names: all.names.slice(0, TOP_NAMES).map(([labels, queries]) => ({ name: nameText(labels, kind), queries })),
    requests: { total: totalOf(byStatus), by_status: byStatus, by_cache: seriesOf(GROUP.cache) },
    bytes: {
      total: sum(countsOf(SENT_BYTES)),
      cached: sum(countsOf(CACHED_BYTES)),
      sent_counts: countsOf(SENT_BYTES),
      cached_counts: countsOf(CACHED_BYTES),
    },
    nodes: { answered, missing },
  };
}

/** `labels`: in wire form; those of a domain are above its apex, without the root. */
function nameText(labels: string, kind: number): string {
  if (labels === '') return '@';
  return formatHost(Buffer.from(kind === SUBJECT.domain ? `${labels}\0` : labels, 'latin1'));
}
