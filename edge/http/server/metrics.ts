/** Metrics of the edge. */
import type { Emit, Registry } from '../../../core/base/metrics/index.ts';
import { HTTP1_REASONS } from '../http1/counters.ts';
import { HTTP2_COLUMNS } from '../http2/counters.ts';
import type { ServerColumn } from './counters.ts';
import type { EdgeCounters } from './slices.ts';

/** Metrics with one label, whose values map to columns of the server counters. */
const BY_SERVER_COLUMN: readonly (readonly [
  name: string,
  label: string,
  columns: readonly (readonly [value: string, column: ServerColumn])[],
  help: string,
])[] = [
  [
    'connections',
    'listener',
    [
      ['tls', 'accepted_tls'],
      ['clear', 'accepted_clear'],
    ],
    'Connections to the edge that were accepted.',
  ],
  [
    'connections_refused',
    'reason',
    [
      ['total', 'refused_total'],
      ['address', 'refused_address'],
      ['memory', 'refused_memory'],
      ['site', 'refused_site'],
      ['overload', 'refused_overload'],
    ],
    'Connections closed at once: too many in total or per client, the client network reached its share of memory, the site its share of connections, or the process is overloaded.',
  ],
  [
    'handshakes',
    'kind',
    [
      ['full', 'handshakes_full'],
      ['resumed', 'handshakes_resumed'],
    ],
    'TLS handshakes that were completed.',
  ],
  [
    'tls_connections',
    'version',
    [
      ['1.2', 'tls_1_2'],
      ['1.3', 'tls_1_3'],
    ],
    'TLS connections by version.',
  ],
  [
    'handshake_failures',
    'reason',
    [
      ['timeout', 'handshake_timeout'],
      ['unrecognized_name', 'unrecognized_name'],
      ['proxy_header', 'bad_proxy_header'],
      ['failed', 'handshake_failed'],
    ],
    'Connections that ended before any HTTP: too slow, a server name without a certificate, no valid header of the PROXY protocol, or anything else.',
  ],
  [
    'http_connections',
    'version',
    [
      ['1.1', 'http1'],
      ['2', 'http2'],
    ],
    'Connections by HTTP version.',
  ],
];

/** Registers all metrics of the edge. To be called once. */
export function edgeMetrics(registry: Registry, counters: EdgeCounters): void {
  const counter = (name: string, label: string | null, help: string, read: (emit: Emit) => void): void =>
    registry.read('counter', `waypost_edge_${name}_total`, help, label === null ? [] : [label], read);

  registry.read('gauge', 'waypost_edge_open_connections', 'Connections to the edge now.', [], (emit) =>
    emit(counters.connections),
  );
  registry.read(
    'gauge',
    'waypost_edge_client_memory_bytes',
    'Memory that clients hold: connections, requests and what waits for slow readers; edge.client_memory is its limit.',
    [],
    (emit) => emit(counters.clientMemory),
  );
  for (const [name, label, columns, help] of BY_SERVER_COLUMN)
    counter(name, label, help, (emit) => {
      for (const [value, column] of columns) emit(counters.server.sum(column), value);
    });
  counter('drained_connections_cut', null, 'Connections still busy when the drain timeout expired.', (emit) =>
    emit(counters.server.sum('drain_cut')),
  );
  counter('thread_restarts', null, 'Edge threads restarted after a failure.', (emit) => emit(counters.restarts));
  counter('requests', 'version', 'Requests by version of HTTP; over HTTP/2 every stream that was opened.', (emit) => {
    emit(counters.http1.sum('requests'), '1.1');
    emit(counters.http2.sum('streams'), '2');
  });
  http1Metrics(counter, counters);
  http2Metrics(counter, counters);
}

type AddCounter = (name: string, label: string | null, help: string, read: (emit: Emit) => void) => void;

function http1Metrics(counter: AddCounter, { http1 }: EdgeCounters): void {
  counter(
    'http1_ended',
    'reason',
    'Requests and connections of HTTP/1.1 that were refused or ended, by reason.',
    (emit) => {
      for (const reason of HTTP1_REASONS) emit(http1.sum(reason), reason);
    },
  );
  counter('http1_upgrades', null, 'Requests of HTTP/1.1 that became tunnels.', (emit) => emit(http1.sum('upgrades')));
  counter('http1_aborted', null, 'HTTP/1.1 exchanges aborted before their end.', (emit) => emit(http1.sum('aborted')));
  counter('http1_failed', null, 'Exchanges of HTTP/1.1 whose handler failed.', (emit) => emit(http1.sum('failed')));
}

function http2Metrics(counter: AddCounter, { http2 }: EdgeCounters): void {
  for (const [what, unit] of [
    ['frames', 'Frames'],
    ['bytes', 'Bytes'],
  ])
    counter(`http2_${what}`, 'direction', `${unit} of HTTP/2.`, (emit) => {
      emit(http2.sum(`${what}_received`), 'in');
      emit(http2.sum(`${what}_sent`), 'out');
    });
  counter('http2_refused', 'reason', 'HTTP/2 requests answered without a handler.', (emit) => {
    emit(http2.sum('bad_requests'), 'malformed');
    emit(http2.sum('header_lists_too_large'), 'header_too_large');
  });
  for (const what of ['session', 'stream']) {
    const columns = HTTP2_COLUMNS.filter((name) => name.startsWith(`${what}_`));
    counter(
      `http2_${what}s_ended`,
      'reason',
      `How each ${what} of HTTP/2 ended that did not end well, and sessions that did.`,
      (emit) => {
        for (const column of columns) emit(http2.sum(column), column.slice(what.length + 1));
      },
    );
  }
}
