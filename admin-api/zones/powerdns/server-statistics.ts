/**
 * The statistics of PowerDNS that have an equivalent here, from the metrics of this node. There are
 * no rings: queries and their clients are not stored.
 */
import type { Registry } from '../../../core/base/metrics/index.ts';
import { unprocessable } from './errors.ts';

type Labels = Readonly<Record<string, string>>;

interface Value {
  readonly labels: Labels;
  readonly value: number;
}

interface Item {
  readonly name: string;
  readonly type: 'StatisticItem' | 'MapStatisticItem' | 'RingStatisticItem';
  readonly size?: string;
  readonly value: string | readonly { readonly name: string; readonly value: string }[];
}

/** The values of a metric whose labels match. */
class Metrics {
  readonly #values = new Map<string, Value[]>();

  constructor(registry: Registry) {
    for (const { name, samples } of registry.families())
      for (const { suffix, labels, value } of samples) {
        const key = name + suffix;
        const values = this.#values.get(key);
        const read = { labels: readLabels(labels), value };
        if (values === undefined) this.#values.set(key, [read]);
        else values.push(read);
      }
  }

  values(name: string, wanted: Labels = {}): readonly Value[] {
    const all = this.#values.get(name) ?? [];
    return all.filter(({ labels }) => Object.entries(wanted).every(([label, value]) => labels[label] === value));
  }

  sum(name: string, wanted?: Labels): number {
    return this.values(name, wanted).reduce((sum, { value }) => sum + value, 0);
  }
}

const readLabels = (text: string): Labels =>
  Object.fromEntries([...text.matchAll(/(\w+)="((?:[^"\\]|\\.)*)"/g)].map(([, name, value]) => [name, value]));

const QUERIES = 'waypost_dns_queries_total';
const RESPONSES = 'waypost_dns_responses_total';
/** Transports that PowerDNS counts as TCP. */
const STREAMS = ['tcp', 'tls'];
const RINGS = [
  'logmessages',
  'noerror-queries',
  'nxdomain-queries',
  'queries',
  'remotes',
  'remotes-corrupt',
  'remotes-unauth',
  'servfail-queries',
  'unauth-queries',
];
const MICROSECONDS = 1_000_000;
const MILLISECONDS = 1000;

/** All items, or the one with this name. Throws InvalidError. */
export function readStatistics(registry: Registry, wanted: string | undefined, withRings: boolean): Item[] {
  const metrics = new Metrics(registry);
  const items: Item[] = [
    ...Object.entries(countsOf(metrics))
      .sort(([a], [b]) => (a < b ? -1 : 1))
      .map(([name, value]): Item => ({ name, type: 'StatisticItem', value: String(Math.round(value)) })),
    ...mapsOf(metrics),
  ];
  const rings = RINGS.map((name): Item => ({ name, size: '0', type: 'RingStatisticItem', value: [] }));
  if (wanted === undefined) return withRings ? [...items, ...rings] : items;
  const found = [...items, ...rings].filter(({ name }) => name === wanted);
  if (found.length === 0) throw unprocessable('Unknown statistic name');
  return found;
}

function countsOf(metrics: Metrics): Record<string, number> {
  const streams = (name: string, labels: Labels = {}): number =>
    STREAMS.reduce((sum, transport) => sum + metrics.sum(name, { ...labels, transport }), 0);
  const packets = (rcode: string): number => metrics.sum(RESPONSES, { rcode });
  const { user, system } = process.cpuUsage();
  const updates = metrics.sum('waypost_dns_updates_total');
  const duration = 'waypost_dns_udp_response_duration_seconds';
  const responses = metrics.sum(`${duration}_count`);
  return {
    'corrupt-packets': packets('FORMERR'),
    'dnsupdate-answers': updates,
    'dnsupdate-changes': metrics.sum('waypost_dns_updates_total', { rcode: 'NOERROR' }),
    'dnsupdate-queries': updates,
    'dnsupdate-refused': metrics.sum('waypost_dns_updates_total', { rcode: 'REFUSED' }),
    latency: responses === 0 ? 0 : (metrics.sum(`${duration}_sum`) / responses) * MICROSECONDS,
    'noerror-packets': packets('NOERROR'),
    'nxdomain-packets': packets('NXDOMAIN'),
    'open-tcp-connections': metrics.sum('waypost_dns_tcp_connections'),
    'overload-drops': metrics.sum('waypost_dns_dropped_packets_total', { reason: 'rate_limit' }),
    'real-memory-usage': metrics.sum('process_resident_memory_bytes'),
    'servfail-packets': packets('SERVFAIL'),
    'sys-msec': system / MILLISECONDS,
    'tcp-answers': streams(RESPONSES),
    'tcp-queries': streams(QUERIES),
    'tcp4-queries': streams(QUERIES, { family: 'ipv4' }),
    'tcp6-queries': streams(QUERIES, { family: 'ipv6' }),
    'udp-answers': metrics.sum(RESPONSES, { transport: 'udp' }),
    'udp-queries': metrics.sum(QUERIES, { transport: 'udp' }),
    'udp4-queries': metrics.sum(QUERIES, { transport: 'udp', family: 'ipv4' }),
    'udp6-queries': metrics.sum(QUERIES, { transport: 'udp', family: 'ipv6' }),
    'unauth-packets': packets('REFUSED'),
    uptime: process.uptime(),
    'user-msec': user / MILLISECONDS,
  };
}

function mapsOf(metrics: Metrics): Item[] {
  return [
    mapItem('response-by-qtype', metrics.values('waypost_dns_queries_by_type_total'), 'type'),
    mapItem('response-by-rcode', metrics.values(RESPONSES), 'rcode'),
  ];
}

/** Sums over all transports. Omits zero counts, as PowerDNS does. */
function mapItem(name: string, values: readonly Value[], label: string): Item {
  const sums = new Map<string, number>();
  for (const { labels, value } of values)
    if (value > 0) sums.set(labels[label], (sums.get(labels[label]) ?? 0) + value);
  const value = [...sums].map(([key, sum]) => ({ name: key, value: String(sum) }));
  return { name, type: 'MapStatisticItem', value };
}
