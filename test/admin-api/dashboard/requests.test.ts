/** The live requests of the dashboard: events in pieces, and the filter. */
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { EventParser } from '../../../admin-api/dashboard/requests/event-parser.ts';
import {
  matches,
  originTimes,
  type RequestRow,
  topValues,
} from '../../../admin-api/dashboard/requests/request-filter.ts';

test('events are read wherever the pieces end; comments are none', () => {
  const text =
    'retry: 2000\n\n: heartbeat\n\nevent: requests\ndata: {"a":"event: x"}\n\nid: 7\nevent: change\ndata: 1\ndata: 2\n\ndata: 3\n\nevent: open';
  const expected = [
    { event: 'requests', data: '{"a":"event: x"}' },
    { event: 'change', data: '1\n2' },
    { event: 'message', data: '3' },
  ];
  for (const size of [1, 2, 7, 1000]) {
    const parser = new EventParser();
    const events = [];
    for (let at = 0; at < text.length; at += size) events.push(...parser.push(text.slice(at, at + size)));
    assert.equal(events, expected, `pieces of ${size}`);
  }
});

test('text without an end is not kept', () => {
  const parser = new EventParser();
  for (let i = 0; i < 10; i++) assert.equal(parser.push('x'.repeat(1 << 20)), []);
  parser.push('\n\n');
  assert.equal(parser.push('data: 1\n\n'), [{ event: 'message', data: '1' }]);
});

const row: RequestRow = {
  ...{ key: 1, node: 'n1', time: '2026-01-01T00:00:00.000Z', client: '192.0.2.1', scheme: 'https' },
  ...{ host: 'www.example.com', method: 'GET', path: '/A<b>', version: '2', status: 404, bytes: 5, ms: 1 },
  ...{ cache: 'miss', user_agent: 'Mozilla/5.0' },
};

test('the filter searches method, address, client and user agent, and the class of the status', () => {
  for (const [text, statusClass, expected] of [
    ['', '', true],
    ['example.com/a<', '', true],
    [' 192.0.2.1 ', '', true],
    ['MOZILLA', '', true],
    ['get', '4', true],
    ['', '4', true],
    ['', '2', false],
    ['example.org', '', false],
    ['miss', '', false],
  ] as const)
    assert.is(matches(row, { text, statusClass }), expected, `${text} ${statusClass}`);
  assert.is(matches({ ...row, user_agent: null }, { text: 'null', statusClass: '' }), false);
});

test('values of the lists filter exactly, and are ordered by their count', () => {
  for (const [filter, expected] of [
    [{ host: 'www.example.com', status: '404', cache: 'miss' }, true],
    [{ host: 'example.com' }, false],
    [{ path: '/A<b>', client: '192.0.2.1' }, true],
    [{ status: '4' }, false],
    [{ cache: '' }, true],
  ] as const)
    assert.is(matches(row, { text: '', statusClass: '', ...filter }), expected, JSON.stringify(filter));
  const rows = ['/c', '/a', '/b', '/c', '/d', '/e', '/f', '/a', '/c'].map((path) => ({ ...row, path }));
  const paths = Object.entries({ '/c': 3, '/a': 2, '/b': 1, '/d': 1, '/e': 1 });
  assert.equal(topValues(rows, 'path'), paths);
});

test('percentiles of the origin are by nearest rank, without requests that it did not see', () => {
  const times = [...Array.from({ length: 100 }, (_, i) => 100 - i), null, undefined];
  const rows = times.map((ms) => ({ ...row, origin_ms: ms }));
  assert.equal(originTimes(rows), [50, 95, 99]);
  assert.equal(originTimes(rows.slice(-3)), [1, 1, 1]);
  assert.is(originTimes(rows.slice(-2)), null);
});

test.run();
