import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { PROMETHEUS, Registry } from '../../../../core/base/metrics/index.ts';
import { HTTP1_REASONS, Http1Counters } from '../../../../edge/http/http1/counters.ts';
import { HTTP2_COLUMNS, Http2Counters } from '../../../../edge/http/http2/counters.ts';
import { SERVER_COLUMNS, ServerCounters } from '../../../../edge/http/server/counters.ts';
import { edgeMetrics } from '../../../../edge/http/server/metrics.ts';
import { EdgeCounters } from '../../../../edge/http/server/slices.ts';

function expose(counters: EdgeCounters): Map<string, number> {
  const registry = new Registry();
  edgeMetrics(registry, counters);
  const lines = registry.expose(PROMETHEUS).trim().split('\n');
  return new Map(
    lines
      .filter((line) => !line.startsWith('#'))
      .map((line) => [line.slice(0, line.lastIndexOf(' ')), Number(line.slice(line.lastIndexOf(' ') + 1))]),
  );
}

test('counters of running and ended threads are summed; connections end with their thread', () => {
  const counters = new EdgeCounters();
  const [a, b] = [counters.open(), counters.open()];
  for (const { slice } of [a, b]) {
    const server = new ServerCounters({ memory: slice.server });
    server.count('accepted_tls', 3);
    server.count('accepted_clear');
    server.count('closed');
    new Http1Counters({ memory: slice.http1 }).count('requests');
    new Http2Counters({ memory: slice.http2 }).values[HTTP2_COLUMNS.indexOf('streams')] += 5;
  }
  const both = expose(counters);
  assert.is(both.get('waypost_edge_open_connections'), 6);
  assert.is(both.get('waypost_edge_connections_total{listener="tls"}'), 6);
  assert.is(both.get('waypost_edge_requests_total{version="1.1"}'), 2);
  assert.is(both.get('waypost_edge_requests_total{version="2"}'), 10);
  a.close();
  a.close();
  const values = expose(counters);
  assert.is(values.get('waypost_edge_open_connections'), 3);
  assert.is(values.get('waypost_edge_connections_total{listener="tls"}'), 6);
  assert.is(values.get('waypost_edge_requests_total{version="2"}'), 10);
});

test('every counter is reported once', () => {
  const counters = new EdgeCounters();
  const { slice } = counters.open();
  // Each column a number of its own, by which its sample is known.
  let next = 1000;
  const marks = new Map<number, string>();
  for (const [memory, names] of [
    [slice.server, SERVER_COLUMNS],
    [slice.http1, ['connections', 'connections_closed', 'requests', 'upgrades', 'aborted', 'failed', ...HTTP1_REASONS]],
    [slice.http2, HTTP2_COLUMNS],
  ] as const) {
    const values = new Float64Array(memory);
    assert.is(values.length, names.length);
    names.forEach((name, column) => {
      values[column] = next;
      marks.set(next++, name);
    });
  }
  const events = [...expose(counters).values()];
  // Told as a difference, or by the connections of the server.
  const indirect = ['closed', 'connections', 'connections_closed', 'sessions', 'memory_charged', 'memory_released'];
  const missing = [...marks].filter(([mark, name]) => !events.includes(mark) && !indirect.includes(name));
  assert.equal(missing, []);
  assert.is(
    new Set(events.filter((value) => marks.has(value))).size,
    events.filter((value) => marks.has(value)).length,
  );
});

test('an unknown name is an error', () => {
  const { server } = new EdgeCounters();
  assert.throws(() => server.sum('open' as 'closed'), RangeError);
});

test.run();
