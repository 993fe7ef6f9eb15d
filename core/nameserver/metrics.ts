/** Registers the nameserver's counters as metrics. */
import type { Registry } from '../base/metrics/index.ts';
import { isStream, TRANSPORT_NAMES } from '../net/address/client.ts';
import {
  COLUMN,
  COOKIE_LABELS,
  FAMILY_LABELS,
  LATENCY_BOUNDS,
  type NameserverCounters,
  RCODE_LABELS,
  TYPE_LABELS,
} from './counters.ts';

/** Transports with connections of their own. The metrics of the API include those of HTTPS. */
const CONNECTED = TRANSPORT_NAMES.filter((_, transport) => isStream(transport));

/** Columns that are reported for each transport. */
const BY_TRANSPORT: readonly (readonly [name: string, column: number, help: string])[] = [
  ['truncated_responses', COLUMN.truncated, 'Responses with TC set.'],
  ['nodata_responses', COLUMN.nodata, 'Responses with NOERROR and an empty answer section, without referrals.'],
  ['referral_responses', COLUMN.referrals, 'Referrals to a delegated zone.'],
];

const UDP_DROPS: readonly (readonly [reason: string, column: number])[] = [
  ['not_query', COLUMN.notQuery],
  ['oversized', COLUMN.oversized],
  ['source_port_zero', COLUMN.sourcePortZero],
  ['bad_proxy_header', COLUMN.badProxyHeader],
  ['fault', COLUMN.fault],
  ['rate_limit', COLUMN.rateLimited],
];
const STREAM_DROPS = UDP_DROPS.filter(([reason]) => ['not_query', 'bad_proxy_header', 'fault'].includes(reason));

export function nameserverMetrics(registry: Registry, counters: NameserverCounters): void {
  registry.read(
    'counter',
    'waypost_dns_queries_total',
    'DNS queries that got a response of any kind.',
    ['transport', 'family'],
    (emit) => {
      for (const transport of TRANSPORT_NAMES)
        FAMILY_LABELS.forEach((label, family) => {
          let sum = 0;
          for (let code = 0; code < RCODE_LABELS.length; code++) sum += counters.answers(transport, family, code);
          emit(sum, transport, label);
        });
    },
  );
  registry.read(
    'counter',
    'waypost_dns_responses_total',
    'DNS responses by response code.',
    ['transport', 'rcode'],
    (emit) => {
      for (const transport of TRANSPORT_NAMES)
        RCODE_LABELS.forEach((label, code) => {
          if (label === undefined) return;
          let sum = 0;
          for (let family = 0; family < FAMILY_LABELS.length; family++)
            sum += counters.answers(transport, family, code);
          emit(sum, transport, label);
        });
    },
  );
  registry.read(
    'counter',
    'waypost_dns_queries_by_type_total',
    'DNS queries that got a response, by query type; "none" if the question was not readable.',
    ['transport', 'type'],
    (emit) => {
      for (const transport of TRANSPORT_NAMES)
        for (const [type, label] of TYPE_LABELS.entries()) emit(counters.types(transport, type), transport, label);
    },
  );
  for (const [name, column, help] of BY_TRANSPORT)
    registry.read('counter', `waypost_dns_${name}_total`, help, ['transport'], (emit) => {
      for (const transport of TRANSPORT_NAMES) emit(counters.sum(transport, column), transport);
    });
  registry.read(
    'counter',
    'waypost_dns_dropped_packets_total',
    'Messages that were dropped without a response, by reason.',
    ['transport', 'reason'],
    (emit) => {
      for (const [reason, column] of UDP_DROPS) emit(counters.sum('udp', column), 'udp', reason);
      for (const transport of TRANSPORT_NAMES.filter((name) => name !== 'udp'))
        for (const [reason, column] of STREAM_DROPS) emit(counters.sum(transport, column), transport, reason);
    },
  );
  registry.read('counter', 'waypost_dns_thread_restarts_total', 'DNS threads that stopped unexpectedly.', [], (emit) =>
    emit(counters.restarts),
  );
  answerMetrics(registry, counters);
  udpMetrics(registry, counters);
  tcpMetrics(registry, counters);
}

/** Metrics on how queries were answered, and on the query log. */
function answerMetrics(registry: Registry, counters: NameserverCounters): void {
  const all = (column: number): number =>
    TRANSPORT_NAMES.reduce((sum, transport) => sum + counters.sum(transport, column), 0);
  registry.read(
    'counter',
    'waypost_dns_cookies_total',
    'DNS queries that got a response, by cookie: none, client cookie only, valid or invalid server cookie (RFC 7873).',
    ['transport', 'cookie'],
    (emit) => {
      for (const transport of TRANSPORT_NAMES)
        COOKIE_LABELS.forEach((label, cookie) => {
          emit(counters.cookies(transport, cookie), transport, label);
        });
    },
  );
  registry.read(
    'counter',
    'waypost_dns_deferred_total',
    'Messages that the query path defers to other handlers (updates, transfers, signed messages): handed over, refused because too many were in flight, or prohibited because neither signature nor address permits the transfer.',
    ['transport', 'outcome'],
    (emit) => {
      for (const transport of TRANSPORT_NAMES) {
        emit(counters.sum(transport, COLUMN.deferred), transport, 'taken');
        emit(counters.sum(transport, COLUMN.deferredRefused), transport, 'refused');
        emit(counters.sum(transport, COLUMN.transfersRefused), transport, 'prohibited');
      }
    },
  );
  registry.read(
    'counter',
    'waypost_dns_index_hits_total',
    'Lookups that found the name and its answers in the index.',
    [],
    (emit) => emit(all(COLUMN.indexHits)),
  );
  registry.read(
    'counter',
    'waypost_dns_store_reads_total',
    'Lookups that read the answers from the store because the index has no room for them.',
    [],
    (emit) => emit(all(COLUMN.storeReads)),
  );
  registry.read('counter', 'waypost_dns_query_log_lines_total', 'Queries written to the query log.', [], (emit) =>
    emit(all(COLUMN.queriesLogged)),
  );
  registry.read(
    'counter',
    'waypost_dns_query_log_dropped_total',
    'Queries missing from the query log because its buffer was full.',
    [],
    (emit) => emit(all(COLUMN.queriesNotLogged)),
  );
}

function udpMetrics(registry: Registry, counters: NameserverCounters): void {
  registry.read(
    'counter',
    'waypost_dns_udp_batches_total',
    'Batches of packets received; 0 with the portable transport.',
    [],
    (emit) => emit(counters.sum('udp', COLUMN.batches)),
  );
  registry.read(
    'counter',
    'waypost_dns_udp_send_errors_total',
    'Responses that the system failed to send: no route, or rejected by a filter.',
    [],
    (emit) => emit(counters.sum('udp', COLUMN.sendErrors)),
  );
  registry.read(
    'counter',
    'waypost_dns_rate_limit_slipped_total',
    'Responses over the rate limit that were sent truncated, so that the client retries over TCP.',
    [],
    (emit) => emit(counters.sum('udp', COLUMN.rateSlipped)),
  );
  registry.readHistogram(
    'waypost_dns_udp_response_duration_seconds',
    'Time from receiving a batch of packets to sending its responses, counted for each response.',
    LATENCY_BOUNDS.map((milliseconds) => milliseconds / 1000),
    () => ({
      counts: Float64Array.from({ length: LATENCY_BOUNDS.length + 1 }, (_, i) => counters.latencies('udp', i)),
      sum: counters.sum('udp', COLUMN.latencySum) / 1000,
    }),
  );
}

/** Metrics on the connections of each transport. */
function tcpMetrics(registry: Registry, counters: NameserverCounters): void {
  const each = (emit: (value: number, ...labels: string[]) => void, column: number, ...labels: string[]): void => {
    for (const transport of CONNECTED) emit(counters.sum(transport, column), transport, ...labels);
  };
  registry.read('gauge', 'waypost_dns_tcp_connections', 'Open TCP connections.', ['transport'], (emit) =>
    each(emit, COLUMN.tcpOpen),
  );
  registry.read('counter', 'waypost_dns_tcp_accepted_total', 'Accepted TCP connections.', ['transport'], (emit) =>
    each(emit, COLUMN.tcpAccepted),
  );
  registry.read(
    'counter',
    'waypost_dns_tcp_refused_total',
    'TCP connections closed immediately because of the total limit or the limit per client.',
    ['transport', 'limit'],
    (emit) => {
      each(emit, COLUMN.tcpRefused, 'all');
      each(emit, COLUMN.tcpRefusedClient, 'client');
    },
  );
  registry.read(
    'counter',
    'waypost_dns_tcp_timeouts_total',
    'TCP connections closed by a timeout: idle, an incomplete query, or an unread response.',
    ['transport', 'reason'],
    (emit) => {
      each(emit, COLUMN.tcpIdle, 'idle');
      each(emit, COLUMN.tcpSlow, 'slow');
    },
  );
}
