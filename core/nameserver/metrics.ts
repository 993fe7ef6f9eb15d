/** The nameserver's counts by the names under which they are read. */
import type { Registry } from '../base/metrics/index.ts';
import {
  COLUMN,
  COOKIE_LABELS,
  FAMILY_LABELS,
  LATENCY_BOUNDS,
  type NameserverCounters,
  RCODE_LABELS,
  type Transport,
  TYPE_LABELS,
} from './counters.ts';

const TRANSPORTS: readonly Transport[] = ['udp', 'tcp', 'tls', 'https'];

/** Those with connections of their own; the ones of HTTPS are told with the API's. */
const CONNECTED: readonly Transport[] = ['tcp', 'tls'];

/** Columns that are told by transport. */
const BY_TRANSPORT: readonly (readonly [name: string, column: number, help: string])[] = [
  ['truncated_responses', COLUMN.truncated, 'Responses with TC set.'],
  ['nodata_responses', COLUMN.nodata, 'Responses with NOERROR and an empty answer section, referrals not among them.'],
  ['referral_responses', COLUMN.referrals, 'Responses that refer to a delegated zone.'],
];

const UDP_DROPS: readonly (readonly [reason: string, column: number])[] = [
  ['not_query', COLUMN.notQuery],
  ['oversized', COLUMN.oversized],
  ['source_port_zero', COLUMN.sourcePortZero],
  ['fault', COLUMN.fault],
  ['rate_limit', COLUMN.rateLimited],
];
const STREAM_DROPS = UDP_DROPS.filter(([reason]) => reason === 'not_query' || reason === 'fault');

export function nameserverMetrics(registry: Registry, counters: NameserverCounters): void {
  registry.read(
    'counter',
    'waypost_dns_queries_total',
    'DNS queries that were answered, whatever the answer.',
    ['transport', 'family'],
    (emit) => {
      for (const transport of TRANSPORTS)
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
    'DNS responses by their code.',
    ['transport', 'rcode'],
    (emit) => {
      for (const transport of TRANSPORTS)
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
    'DNS queries that were answered, by the type they ask for; "none" when the question could not be read.',
    ['transport', 'type'],
    (emit) => {
      for (const transport of TRANSPORTS)
        for (const [type, label] of TYPE_LABELS.entries()) emit(counters.types(transport, type), transport, label);
    },
  );
  for (const [name, column, help] of BY_TRANSPORT)
    registry.read('counter', `waypost_dns_${name}_total`, help, ['transport'], (emit) => {
      for (const transport of TRANSPORTS) emit(counters.sum(transport, column), transport);
    });
  registry.read(
    'counter',
    'waypost_dns_dropped_packets_total',
    'Messages that got no answer, by the reason.',
    ['transport', 'reason'],
    (emit) => {
      for (const [reason, column] of UDP_DROPS) emit(counters.sum('udp', column), 'udp', reason);
      for (const transport of ['tcp', 'tls', 'https'] as const)
        for (const [reason, column] of STREAM_DROPS) emit(counters.sum(transport, column), transport, reason);
    },
  );
  registry.read('counter', 'waypost_dns_thread_restarts_total', 'DNS threads that ended unasked.', [], (emit) =>
    emit(counters.restarts),
  );
  answerMetrics(registry, counters);
  udpMetrics(registry, counters);
  tcpMetrics(registry, counters);
}

/** What the answers were made from, and where else they were told of. */
function answerMetrics(registry: Registry, counters: NameserverCounters): void {
  const all = (column: number): number =>
    TRANSPORTS.reduce((sum, transport) => sum + counters.sum(transport, column), 0);
  registry.read(
    'counter',
    'waypost_dns_cookies_total',
    "DNS queries that were answered, by their cookie: none, the client's alone, one that we gave it, or one that we did not (RFC 7873).",
    ['transport', 'cookie'],
    (emit) => {
      for (const transport of TRANSPORTS)
        COOKIE_LABELS.forEach((label, cookie) => {
          emit(counters.cookies(transport, cookie), transport, label);
        });
    },
  );
  registry.read(
    'counter',
    'waypost_dns_deferred_total',
    'Messages that the query path leaves to others (UPDATE, transfers, what is signed): handed over, refused since too many were under way, or prohibited: transfers that neither a signature nor the address allows.',
    ['transport', 'outcome'],
    (emit) => {
      for (const transport of TRANSPORTS) {
        emit(counters.sum(transport, COLUMN.deferred), transport, 'taken');
        emit(counters.sum(transport, COLUMN.deferredRefused), transport, 'refused');
        emit(counters.sum(transport, COLUMN.transfersRefused), transport, 'prohibited');
      }
    },
  );
  registry.read(
    'counter',
    'waypost_dns_index_hits_total',
    'Names that queries found in the index with their answers.',
    [],
    (emit) => emit(all(COLUMN.indexHits)),
  );
  registry.read(
    'counter',
    'waypost_dns_store_reads_total',
    'Names whose answers were read from the store, since the index has no room for them.',
    [],
    (emit) => emit(all(COLUMN.storeReads)),
  );
  registry.read('counter', 'waypost_dns_query_log_lines_total', 'Queries put into the query log.', [], (emit) =>
    emit(all(COLUMN.queriesLogged)),
  );
  registry.read(
    'counter',
    'waypost_dns_query_log_dropped_total',
    'Queries that the query log would have told of if there had been room.',
    [],
    (emit) => emit(all(COLUMN.queriesNotLogged)),
  );
}

function udpMetrics(registry: Registry, counters: NameserverCounters): void {
  registry.read(
    'counter',
    'waypost_dns_udp_batches_total',
    'Batches of packets that were received; none where packets come one by one.',
    [],
    (emit) => emit(counters.sum('udp', COLUMN.batches)),
  );
  registry.read(
    'counter',
    'waypost_dns_udp_send_errors_total',
    'Responses that the system did not send: no route, or refused by a filter.',
    [],
    (emit) => emit(counters.sum('udp', COLUMN.sendErrors)),
  );
  registry.read(
    'counter',
    'waypost_dns_rate_limit_slipped_total',
    'Responses over the limit of their rate that were sent all the same, truncated so that the client comes by TCP.',
    [],
    (emit) => emit(counters.sum('udp', COLUMN.rateSlipped)),
  );
  registry.readHistogram(
    'waypost_dns_udp_response_duration_seconds',
    'From the receipt of a batch of packets to its responses being handed to the system, told of each response in it.',
    LATENCY_BOUNDS.map((milliseconds) => milliseconds / 1000),
    () => ({
      counts: Float64Array.from({ length: LATENCY_BOUNDS.length + 1 }, (_, i) => counters.latencies('udp', i)),
      sum: counters.sum('udp', COLUMN.latencySum) / 1000,
    }),
  );
}

/** Connections by what comes over them. */
function tcpMetrics(registry: Registry, counters: NameserverCounters): void {
  const each = (emit: (value: number, ...labels: string[]) => void, column: number, ...labels: string[]): void => {
    for (const transport of CONNECTED) emit(counters.sum(transport, column), transport, ...labels);
  };
  registry.read('gauge', 'waypost_dns_tcp_connections', 'TCP connections that are open.', ['transport'], (emit) =>
    each(emit, COLUMN.tcpOpen),
  );
  registry.read(
    'counter',
    'waypost_dns_tcp_accepted_total',
    'TCP connections that were taken.',
    ['transport'],
    (emit) => each(emit, COLUMN.tcpAccepted),
  );
  registry.read(
    'counter',
    'waypost_dns_tcp_refused_total',
    'TCP connections closed at once, since the limit in all or that of one client was reached.',
    ['transport', 'limit'],
    (emit) => {
      each(emit, COLUMN.tcpRefused, 'all');
      each(emit, COLUMN.tcpRefusedClient, 'client');
    },
  );
  registry.read(
    'counter',
    'waypost_dns_tcp_timeouts_total',
    'TCP connections that were cut: no query came in time, or a query did not come whole or its answer was not read in time.',
    ['transport', 'reason'],
    (emit) => {
      each(emit, COLUMN.tcpIdle, 'idle');
      each(emit, COLUMN.tcpSlow, 'slow');
    },
  );
}
