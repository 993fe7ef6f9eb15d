import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { HttpMetrics } from '../../../../admin-api/http/metrics.ts';
import { createLogger } from '../../../../core/base/log/index.ts';
import { OPENMETRICS, PROMETHEUS, Registry, selectFormat } from '../../../../core/base/metrics/index.ts';
import { registerProcessMetrics } from '../../../../core/base/process-metrics.ts';
import { JournalMetrics } from '../../../../core/journal/metrics.ts';
import { indexMetrics, journalHeadMetrics, readinessMetrics, storeMetrics } from '../../../../core/store/metrics.ts';
import { type ReadFamily, readExposition, sampleOf } from '../../../support/exposition.ts';
import fc, { ANY_CHARACTER } from '../../../support/fc.ts';
import { singleNodeTasks } from '../../../support/tasks.ts';

const test = suite('core/metrics');

/** The samples of both formats, which must be equal. */
function read(registry: Registry): Map<string, ReadFamily> {
  const families = readExposition(registry.expose(PROMETHEUS), 'prometheus');
  assert.equal(readExposition(registry.expose(OPENMETRICS), 'openmetrics'), families);
  return families;
}

test('the text, byte for byte', () => {
  const registry = new Registry();
  const counter = registry.counter('waypost_tests_total', 'Tests "run".', ['kind']);
  counter.add(1, 'a');
  counter.add(2.5, 'a');
  registry.read('gauge', 'waypost_heat', 'Back\\slash\nline.', [], (emit) => emit(Number.POSITIVE_INFINITY));
  registry.histogram('waypost_wait_seconds', 'Waits.', [], [0.1, 1]).observe(0.1);
  const body = (counterFamily: string, help: string): string => `# HELP ${counterFamily} ${help}
# TYPE ${counterFamily} counter
waypost_tests_total{kind="a"} 3.5
# HELP waypost_heat Back\\\\slash\\nline.
# TYPE waypost_heat gauge
waypost_heat +Inf
# HELP waypost_wait_seconds Waits.
# TYPE waypost_wait_seconds histogram
waypost_wait_seconds_bucket{le="0.1"} 1
waypost_wait_seconds_bucket{le="1"} 1
waypost_wait_seconds_bucket{le="+Inf"} 1
waypost_wait_seconds_sum 0.1
waypost_wait_seconds_count 1
`;
  assert.is(registry.expose(PROMETHEUS), body('waypost_tests_total', 'Tests "run".'));
  assert.is(registry.expose(OPENMETRICS), `${body('waypost_tests', 'Tests \\"run\\".')}# EOF\n`);
});

test('any label value is read back unchanged, and different values stay separate', () => {
  const nasty = fc.oneof(
    fc.string({ unit: ANY_CHARACTER }),
    fc.constantFrom('"', '\\', '\n', '\\n', 'a",b="c', '"} 1\nforged_total 5', '{', ',', '', '\r', '\u2028'),
    fc.array(fc.constantFrom('"', '\\', '\n', 'n', ',', '='), { maxLength: 8 }).map((parts) => parts.join('')),
  );
  fc.assert(
    fc.property(fc.uniqueArray(fc.tuple(nasty, nasty), { selector: (pair) => JSON.stringify(pair) }), (pairs) => {
      const registry = new Registry();
      const counter = registry.counter('hostile_total', 'Hostile.', ['one', 'two']);
      const histogram = registry.histogram('hostile_seconds', 'Hostile.', ['one', 'two'], [1]);
      pairs.forEach((pair, i) => {
        counter.add(i + 1, ...pair);
        histogram.observe(i, ...pair);
      });
      const families = read(registry);
      assert.equal([...families.keys()], ['hostile_total', 'hostile_seconds']);
      pairs.forEach(([first, second], i) => {
        assert.is(sampleOf(families, 'hostile_total', { one: first, two: second }), i + 1);
        assert.is(sampleOf(families, 'hostile_seconds_count', { one: first, two: second }), 1);
      });
      assert.is(families.get('hostile_total')!.samples.length, pairs.length);
    }),
  );
});

test('a value counts in the first bucket whose bound is not below it', () => {
  const registry = new Registry();
  const histogram = registry.histogram('waypost_wait_seconds', 'Waits.', ['who'], [0.1, 1, 10]);
  for (const value of [0, 0.1, 0.100001, 1, 9, 10, 11, 1e9]) histogram.observe(value, 'x');
  const families = read(registry);
  const bucket = (le: string): number => sampleOf(families, 'waypost_wait_seconds_bucket', { who: 'x', le });
  assert.equal([bucket('0.1'), bucket('1'), bucket('10'), bucket('+Inf')], [2, 4, 6, 8]);
  assert.is(sampleOf(families, 'waypost_wait_seconds_sum', { who: 'x' }), 1e9 + 31.200001);
});

test('names follow the conventions', () => {
  const registry = new Registry();
  registry.counter('waypost_a_total', 'A.');
  for (const make of [
    () => registry.counter('waypost_a_total', 'Taken.'),
    () => registry.counter('waypost_b', 'Without _total.'),
    () => registry.read('gauge', 'waypost_b_total', 'With it.', [], () => {}),
    () => registry.counter('waypost-b_total', 'A dash.'),
    () => registry.counter('1b_total', 'A digit.'),
    () => registry.counter('waypost_b_total', 'A bucket label.', ['le']),
    () => registry.counter('waypost_b_total', 'A reserved one.', ['__name__']),
    () => registry.histogram('waypost_b_seconds', 'A bad one.', ['a-b'], [1]),
  ])
    assert.throws(make, /is not a valid|already exists/);
});

test('the format is selected by the Accept header', () => {
  const cases: readonly (readonly [string | undefined, typeof PROMETHEUS])[] = [
    [undefined, PROMETHEUS],
    ['*/*', PROMETHEUS],
    ['text/plain;version=0.0.4', PROMETHEUS],
    ['application/openmetrics-text', OPENMETRICS],
    [
      'application/openmetrics-text;version=1.0.0;q=0.5,application/openmetrics-text;version=0.0.1;q=0.4,text/plain',
      OPENMETRICS,
    ],
    ['text/plain, Application/OpenMetrics-Text ; q=0.1', OPENMETRICS],
    ['application/openmetrics-text;q=0, text/plain', PROMETHEUS],
    ['application/openmetrics-text;q=0.000', PROMETHEUS],
    ['application/openmetrics-textual', PROMETHEUS],
    [',;,', PROMETHEUS],
  ];
  for (const [accept, format] of cases) assert.is(selectFormat(accept), format, accept);
});

test('HTTP: arbitrary methods and routes from clients produce few labels', () => {
  const registry = new Registry();
  const http = new HttpMetrics(registry);
  http.observe('GET', '/api/v1/domains/:id', 200, 0.002);
  http.observe('GET', '/api/v1/domains/:id', 404, 0.2);
  for (let i = 0; i < 100; i++) http.observe(`X${i}`, null, 404, 0.001);
  http.observe('get', null, 405, 0.001);
  const families = read(registry);
  const requests = (method: string, route: string, status: string): number =>
    sampleOf(families, 'waypost_http_requests_total', { method, route, status });
  assert.is(requests('GET', '/api/v1/domains/:id', '200'), 1);
  assert.is(requests('GET', '/api/v1/domains/:id', '404'), 1);
  assert.is(requests('other', 'none', '404'), 100);
  assert.is(families.get('waypost_http_requests_total')!.samples.length, 4);
  const labels = { method: 'GET', route: '/api/v1/domains/:id' };
  assert.is(sampleOf(families, 'waypost_http_request_duration_seconds_count', labels), 2);
  assert.is(sampleOf(families, 'waypost_http_request_duration_seconds_bucket', { ...labels, le: '0.0025' }), 1);
});

test('the journal, the store, the index, readiness', () => {
  const registry = new Registry();
  const journal = new JournalMetrics(registry);
  journal.observeCommit(3, 0.25);
  journal.observeCommit(1, 0.5);
  journal.observeConflict();
  journal.observeFailure();
  const root = { getStats: () => ({ mapSize: 4096 * 100, lastPageNumber: 9, pageSize: 4096, numReaders: 2 }) };
  storeMetrics(registry, { root, tables: new Map([['records', { getStats: () => ({ entryCount: 7 }) }]]) });
  indexMetrics(registry, {
    filling: null,
    stats: { names: 5, inStore: 1, slots: 1024, arenaUsed: 640, arenaCapacity: 6400 },
  });
  journalHeadMetrics(registry, { head: 42 });
  const state = { ok: false };
  readinessMetrics(registry, () => state);
  const families = read(registry);
  const expected: Readonly<Record<string, number>> = {
    waypost_journal_commit_duration_seconds_count: 2,
    waypost_journal_commit_duration_seconds_sum: 0.75,
    waypost_journal_group_entries_sum: 4,
    waypost_journal_conflicts_total: 1,
    waypost_journal_failures_total: 1,
    waypost_journal_sequence: 42,
    waypost_index_complete: 1,
    waypost_store_map_bytes: 409_600,
    waypost_store_used_bytes: 40_960,
    waypost_store_readers: 2,
    waypost_index_names: 5,
    waypost_index_names_in_store: 1,
    waypost_index_slots: 1024,
    waypost_index_arena_used_bytes: 640,
    waypost_index_arena_size_bytes: 6400,
    waypost_ready: 0,
  };
  for (const [name, value] of Object.entries(expected)) assert.is(sampleOf(families, name), value, name);
  assert.is(sampleOf(families, 'waypost_store_entries', { table: 'records' }), 7);
  state.ok = true;
  assert.is(sampleOf(read(registry), 'waypost_ready'), 1);
});

test('the process reports its own metrics', async () => {
  const registry = new Registry();
  const observed = registerProcessMetrics(
    registry,
    { version: '1.2.3', commit: '0123456789ab', date: null },
    { tasks: singleNodeTasks(), log: createLogger({ level: 'error', format: 'text' }) },
  );
  try {
    const before = readExposition(registry.expose(PROMETHEUS), 'prometheus');
    const collections = (families: Map<string, ReadFamily>): number =>
      families
        .get('nodejs_gc_duration_seconds')!
        .samples.filter(({ name }) => name.endsWith('_count'))
        .reduce((sum, { value }) => sum + value, 0);
    assert.is(
      sampleOf(before, 'waypost_build_info', { version: '1.2.3', commit: '0123456789ab', node: process.version }),
      1,
    );
    const started = sampleOf(before, 'process_start_time_seconds');
    assert.ok(started > Date.now() / 1000 - 3600 && started <= Date.now() / 1000, String(started));
    assert.ok(sampleOf(before, 'process_resident_memory_bytes') > 10e6);
    // Produces some garbage and some CPU time.
    const end = Date.now() + 5000;
    let garbage: object[] = [];
    while (collections(readExposition(registry.expose(PROMETHEUS), 'prometheus')) === 0 && Date.now() < end) {
      garbage = Array.from({ length: 100_000 }, (_, i) => ({ i }));
      await new Promise((done) => setTimeout(done, 1));
    }
    const after = readExposition(registry.expose(PROMETHEUS), 'prometheus');
    assert.ok(garbage.length > 0 && collections(after) > 0);
    for (const name of ['process_cpu_seconds_total', 'nodejs_eventloop_active_seconds_total'])
      assert.ok(sampleOf(after, name) > sampleOf(before, name), name);
  } finally {
    observed.stop();
  }
});

test('the last request of a bucket is its exemplar, in OpenMetrics only', () => {
  const registry = new Registry();
  const metrics = new HttpMetrics(registry);
  metrics.observe('GET', '/a', 200, 0.0004, '00000000000000aa');
  metrics.observe('GET', '/a', 200, 0.0003, '00000000000000ab');
  metrics.observe('GET', '/a', 200, 60, '00000000000000ac');
  metrics.observe('GET', '/a', 200, 0.002);
  read(registry);
  assert.not.match(registry.expose(PROMETHEUS), / # \{/);
  const lines = registry
    .expose(OPENMETRICS)
    .split('\n')
    .filter((line) => line.includes(' # {'));
  assert.is(lines.length, 2);
  assert.match(
    lines[0],
    /^waypost_http_request_duration_seconds_bucket\{method="GET",route="\/a",le="0.0005"\} 2 # \{request_id="00000000000000ab"\} 0.0003 \d+\.\d{3}$/,
  );
  assert.match(lines[1], /le="\+Inf"\} 4 # \{request_id="00000000000000ac"\} 60 /);
});

test.run();
