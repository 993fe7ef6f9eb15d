/** Lines of the request logs of customers: fields, sampling, limits. */
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import type { DomainLines } from '../../../core/site/logs/deliverer.ts';
import { DEFAULT_FIELDS, LOG_FIELDS, type LogPlan } from '../../../core/site/logs/document.ts';
import { formatLine, type LogEntry, LogLines, truncateAddress } from '../../../edge/gateway/log-lines.ts';
import type { Site } from '../../../edge/sites/site.ts';
import { FakeExchange } from '../proxy/fake-exchange.ts';

const NODE = { nodeName: 'a', addressOf: () => '203.0.113.9' };
const ALL: LogPlan = { sample: 1, fields: LOG_FIELDS, clientAddress: 'full' };
const site = (domainId = '7'): Site => ({ domainId }) as Site;

function entry(exchange = new FakeExchange(), more: Partial<LogEntry> = {}): LogEntry {
  return {
    ...{ exchange, site: site(), requestId: 'abc-1', status: 200, bytes: 5, cache: 'miss', originMs: 12.34 },
    fault: null,
    ...more,
  };
}

function rig(random = () => 0) {
  const sent: (readonly DomainLines[])[] = [];
  const processed: SharedArrayBuffer[] = [];
  let dropped = 0;
  const lines = new LogLines({
    ...NODE,
    send(batch, memory) {
      sent.push(batch);
      processed.push(memory);
    },
    onDropped: (count) => {
      dropped += count;
    },
    random,
    now: () => 0,
  });
  const serve = (plan = ALL, domainId = '7', path = '/'): void => {
    const exchange = new FakeExchange({ path });
    lines.recordStart(exchange, plan);
    lines.recordEnd(entry(exchange, { site: site(domainId) }), plan);
  };
  return { lines, sent, serve, dropped: () => dropped, process: () => Atomics.add(new Int32Array(processed[0]), 0, 1) };
}

test('a line is JSON with the chosen fields in order', () => {
  const exchange = new FakeExchange({
    authority: 'www.site.test:8443',
    path: '/a"b?token=1',
    headers: ['user-agent', 'x\u2028"\n', 'referer', 'https://other.test/', 'cookie', 'verysecret'],
  });
  const line = formatLine(entry(exchange), ALL, 1.26, { ...NODE, nodeName: 'node a' });
  assert.not.match(line, /\n|verysecret/);
  const { time, ...rest } = JSON.parse(line);
  assert.ok(Math.abs(Date.parse(time) - Date.now()) < 60_000);
  assert.equal(rest, {
    node: 'node a',
    client: '203.0.113.9',
    scheme: 'https',
    host: 'www.site.test',
    method: 'GET',
    path: '/a"b',
    query: 'token=1',
    version: '1.1',
    status: 200,
    bytes: 5,
    ms: 1.3,
    cache: 'miss',
    origin_ms: 12.3,
    fault: null,
    referer: 'https://other.test/',
    user_agent: 'x\u2028"\n',
    request_id: 'abc-1',
    sample: 1,
  });
  const few: LogPlan = { ...ALL, fields: ['status', 'query', 'origin_ms', 'fault', 'request_id'] };
  const hit = entry(new FakeExchange(), { originMs: -1, fault: 'refused', requestId: '' });
  assert.is(
    formatLine(hit, few, 0, NODE),
    '{"status":200,"query":"","origin_ms":null,"fault":"refused","request_id":null}',
  );
  assert.not.match(formatLine(entry(exchange), { ...ALL, fields: DEFAULT_FIELDS }, 0, NODE), /token|other\.test/);
});

test('client addresses can be truncated or omitted', () => {
  assert.is(truncateAddress('198.51.100.7'), '198.51.100.0');
  assert.is(truncateAddress('2001:db8:1:2:3::4'), '2001:db8:1::');
  const client = (clientAddress: LogPlan['clientAddress']): string =>
    formatLine(entry(), { ...ALL, fields: ['client'], clientAddress }, 0, NODE);
  assert.is(client('truncated'), '{"client":"203.0.113.0"}');
  assert.is(client('omitted'), '{"client":null}');
});

test('the sample is decided at the start; an exchange without a start has no line', () => {
  const values = [0.1, 0.3, 0.2, 0.9];
  const { lines, sent, serve } = rig(() => values.shift() ?? 0);
  for (let i = 0; i < 4; i++) serve({ ...ALL, sample: 0.25 });
  lines.recordEnd(entry(), ALL);
  lines.close();
  assert.equal(
    sent.map((batch) => batch.map(({ domainId, lines: count }) => [domainId, count])),
    [[[7, 2]]],
  );
});

test('lines of each domain are separate and complete', () => {
  const { lines, sent, serve } = rig();
  serve(ALL, '7', '/a');
  serve(ALL, '8', '/b');
  serve(ALL, '7', '/c');
  lines.close();
  const paths = sent[0].map(({ domainId, text }) => [
    domainId,
    ...text
      .trimEnd()
      .split('\n')
      .map((line) => JSON.parse(line).path),
  ]);
  assert.equal(paths, [
    [7, '/a', '/c'],
    [8, '/b'],
  ]);
  assert.ok(sent[0].every(({ text, lines: count }) => text.endsWith('\n') && text.split('\n').length === count + 1));
});

test('a main thread that does not keep up bounds the memory, and each dropped line is counted', () => {
  const { lines, sent, serve, dropped, process } = rig();
  const plan: LogPlan = { ...ALL, fields: ['path'] };
  const path = `/${'p'.repeat(2000)}`;
  const total = 3000;
  for (let i = 0; i < total; i++) serve(plan, '7', path);
  assert.is(sent.length, 2);
  process();
  serve(plan, '8');
  lines.close();
  const all = sent.flat();
  const count = (key: 'lines' | 'dropped'): number => all.reduce((sum, domain) => sum + domain[key], 0);
  assert.is(count('lines') + count('dropped'), total + 1);
  assert.ok(count('dropped') > 2000);
  assert.ok(all.every(({ text }) => text.length < 300 * 1024));
  assert.is(dropped(), 0);
  for (let domainId = 1; domainId <= 3 * 4096; domainId++) serve(plan, String(domainId));
  assert.ok(dropped() > 0);
});

test('domains that are flooded leave room for the lines of others', () => {
  const { lines, sent, serve, process } = rig();
  const plan: LogPlan = { ...ALL, fields: ['path'] };
  const path = `/${'p'.repeat(2000)}`;
  for (let i = 0; i < 20_000; i++) serve(plan, String(i % 10), path);
  for (let i = 0; i < 5; i++) serve(plan, '99', path);
  process();
  lines.close();
  const [other, ...more] = sent.flat().filter(({ domainId }) => domainId === 99);
  assert.equal([other.lines, other.dropped, more], [5, 0, []]);
});

test.run();
