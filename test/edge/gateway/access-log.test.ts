/** The access log: contents of a line, sampling, and limited memory without a reader. */
import { setTimeout as sleep } from 'node:timers/promises';
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { AccessLog } from '../../../edge/gateway/access-log.ts';
import type { Exchange } from '../../../edge/http/exchange/exchange.ts';
import type { Site } from '../../../edge/sites/site.ts';
import { FakeExchange } from '../proxy/fake-exchange.ts';

interface Sent {
  readonly lines: string;
  readonly taken: SharedArrayBuffer;
}

function open(every: number) {
  const sent: Sent[] = [];
  let dropped = 0;
  const log = new AccessLog({
    addressOf: () => '203.0.113.9',
    every,
    send: (lines, taken) => sent.push({ lines, taken }),
    onDropped: (lines) => {
      dropped += lines;
    },
  });
  return {
    log,
    sent,
    dropped: () => dropped,
    lines: () => sent.flatMap(({ lines }) => lines.split('\n').slice(0, -1)),
  };
}

const SITE = { domain: 'site.test' } as Site;

const end = (log: AccessLog, exchange: Exchange): void =>
  log.recordEnd({ exchange, site: SITE, requestId: 'r1', status: 200, bytes: 5, cache: 'hit', originMs: -1 });

test('a line has client, request and outcome, but no query, no header field and no secret', () => {
  const { log, lines } = open(1);
  const exchange = new FakeExchange({
    authority: 'www.site.test:8443',
    path: '/a"b\\?token=verysecret',
    headers: ['authorization', 'Bearer verysecret', 'cookie', 'sid=verysecret', 'referer', 'https://x/?verysecret'],
  });
  log.recordStart(exchange);
  end(log, exchange);
  log.close();
  const [line] = lines();
  assert.not.match(line, /verysecret/);
  const { time, ms, ...rest } = JSON.parse(line);
  assert.ok(Math.abs(Date.parse(time) - Date.now()) < 60_000);
  assert.ok(ms >= 0);
  assert.equal(rest, {
    client: '203.0.113.9',
    scheme: 'https',
    host: 'www.site.test',
    method: 'GET',
    path: '/a"b\\',
    version: '1.1',
    status: 200,
    bytes: 5,
    cache: 'hit',
    origin_ms: null,
    domain: 'site.test',
    request_id: 'r1',
  });
  end(log, exchange);
  log.close();
  assert.is(lines().length, 1, 'once');
});

test('one request in ten is logged', () => {
  const { log, lines } = open(10);
  for (let i = 0; i < 1000; i++) {
    const exchange = new FakeExchange();
    log.recordStart(exchange);
    end(log, exchange);
  }
  log.close();
  assert.ok(Math.abs(lines().length - 100) <= 1, `${lines().length} lines`);
});

test('without a reader, a limited number of lines waits and the rest is counted; with a reader, logging continues', async () => {
  const { log, sent, dropped, lines } = open(1);
  const write = (count: number): void => {
    for (let i = 0; i < count; i++) {
      const exchange = new FakeExchange({ path: `/${'x'.repeat(1000)}` });
      log.recordStart(exchange);
      end(log, exchange);
    }
  };
  write(5000);
  assert.ok(dropped() > 0);
  assert.is(sent.length, 2, 'the batches in flight are not written yet');
  const before = dropped();
  for (const { taken } of sent.splice(0)) Atomics.add(new Int32Array(taken), 0, 1);
  for (let i = 0; i < 1200 && sent.length === 0; i++) await sleep(50);
  assert.ok(lines().length > 500, 'the waiting lines are sent');
  write(1);
  assert.is(dropped(), before);
});

test.run();
