/** Registers the counters of the edge threads as metrics. */
import type { Registry } from '../../core/base/metrics/index.ts';
import {
  CACHE_OUTCOMES,
  ORIGIN_BOUNDS,
  ORIGIN_FAULTS,
  PEER_RESULTS,
  PREFETCH_ENDS,
  REQUEST_COLUMNS,
} from './counters.ts';

/**
 * `sum`: returns the sum of a column of GATEWAY_COLUMNS over all threads. Call this function once.
 */
export function gatewayMetrics(registry: Registry, sum: (column: string) => number): void {
  registry.read(
    'counter',
    'waypost_edge_responses_total',
    'Completed requests by target and status class.',
    ['destination', 'status'],
    (emit) => {
      for (const { destination, status, column } of REQUEST_COLUMNS) {
        const count = sum(column);
        if (count > 0) emit(count, destination, status);
      }
    },
  );
  registry.read('counter', 'waypost_edge_cache_total', 'Requests to sites by cache status.', ['outcome'], (emit) => {
    for (const outcome of CACHE_OUTCOMES) emit(sum(`cache_${outcome}`), outcome);
  });
  registry.read(
    'counter',
    'waypost_edge_cache_peer_requests_total',
    'Cache misses that were requested from the node that owns the URL, by result.',
    ['result'],
    (emit) => {
      for (const result of PEER_RESULTS) emit(sum(`peer_${result}`), result);
    },
  );
  registry.read(
    'counter',
    'waypost_edge_cache_prefetches_total',
    'Purged responses that were to be fetched again, by result.',
    ['result'],
    (emit) => {
      for (const end of PREFETCH_ENDS) emit(sum(`prefetch_${end}`), end);
    },
  );
  registry.read(
    'counter',
    'waypost_edge_origin_faults_total',
    'Requests that failed at the origin, by reason.',
    ['reason'],
    (emit) => {
      for (const fault of ORIGIN_FAULTS) emit(sum(`fault_${fault}`), fault);
    },
  );
  registry.readHistogram(
    'waypost_edge_origin_seconds',
    'Time from sending a request to an origin until its response head arrived.',
    ORIGIN_BOUNDS,
    () => ({
      counts: Float64Array.from([...ORIGIN_BOUNDS, Number.POSITIVE_INFINITY], (bound) => sum(`origin_${bound}`)),
      sum: sum('origin_seconds'),
    }),
  );
  for (const [name, column, help] of [
    ['body_bytes', 'bytes', 'Bytes of the bodies of responses.'],
    ['responses_cut', 'cut', 'Responses not sent completely: the visitor disconnected, or the origin failed.'],
    ['cache_peer_served', 'peer_served', 'Requests of other nodes that the cache of this node answered as the owner.'],
    ['origin_retries', 'retries', 'Requests sent again, to another origin of their pool.'],
    ['statistics_lost', 'statistics_lost', 'Requests missing from the statistics, which were too slow.'],
    ['access_log_dropped', 'log_dropped', 'Access log lines dropped because the log was too slow.'],
  ])
    registry.read('counter', `waypost_edge_${name}_total`, help, [], (emit) => emit(sum(column)));
}
