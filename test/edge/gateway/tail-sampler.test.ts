/** The sampler of the live tail: contents of a line, limits, and no work without watchers. */
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { type DomainSample, EXPIRY_MS, MAX_LINES, TailSampler } from '../../../edge/gateway/tail-sampler.ts';
import type { Exchange } from '../../../edge/http/exchange/exchange.ts';
import type { Site } from '../../../edge/sites/site.ts';
import { FakeExchange } from '../proxy/fake-exchange.ts';

function rig(random = () => 0) {
  const sent: DomainSample[] = [];
  const clock = { now: 0 };
  const sampler = new TailSampler({
    addressOf: () => '203.0.113.9',
    send: (samples) => void sent.push(...samples),
    random,
    now: () => clock.now,
  });
  const end = (exchange: Exchange, domainId = '7', originMs = -1): void =>
    sampler.recordEnd({ exchange, site: { domainId } as Site, status: 200, bytes: 5, cache: 'hit', originMs });
  const serve = (path = '/', domainId = '7'): void => {
    const exchange = new FakeExchange({ path });
    sampler.recordStart(exchange);
    end(exchange, domainId);
  };
  return { sampler, sent, clock, end, serve };
}

const paths = ({ requests }: DomainSample): string[] => requests.map((text) => JSON.parse(text).path);

test('a line has request and outcome, but no query and no field except User-Agent', () => {
  const { sampler, sent, clock, end } = rig();
  sampler.watch(['7']);
  const agent = '<img src=x onerror=alert(1)>\u2028"\\';
  const exchange = new FakeExchange({
    authority: 'www.site.test:8443',
    path: '/a<b>?token=verysecret',
    headers: ['authorization', 'Bearer verysecret', 'user-agent', agent, 'cookie', 'sid=verysecret'],
  });
  sampler.recordStart(exchange);
  clock.now = 12.345;
  end(exchange, '7', 7.06);
  sampler.flush();
  const [{ domainId, requests, omitted }] = sent;
  assert.equal([domainId, omitted, requests.length], ['7', 0, 1]);
  assert.not.match(requests[0], /verysecret|\n/);
  const { time, ...rest } = JSON.parse(requests[0]);
  assert.ok(Math.abs(Date.parse(time) - Date.now()) < 60_000);
  assert.equal(rest, {
    client: '203.0.113.9',
    scheme: 'https',
    host: 'www.site.test',
    method: 'GET',
    path: '/a<b>',
    version: '1.1',
    status: 200,
    bytes: 5,
    ms: 12.3,
    origin_ms: 7.1,
    cache: 'hit',
    user_agent: agent,
  });
});

test('long paths and user agents are cut; without a user agent it is null', () => {
  const { sampler, sent, end } = rig();
  sampler.watch(['7']);
  for (const headers of [[], ['user-agent', 'u'.repeat(5000)]]) {
    const exchange = new FakeExchange({ path: `/${'p'.repeat(5000)}`, headers });
    sampler.recordStart(exchange);
    end(exchange);
  }
  sampler.flush();
  const [without, long] = sent[0].requests.map((text) => JSON.parse(text));
  assert.equal([without.path.length, without.user_agent, without.origin_ms], [512, null, null]);
  assert.is(long.user_agent.length, 256);
});

test('samples only watched domains, and only requests that began after the start', () => {
  const { sampler, sent, end, serve } = rig();
  serve();
  const early = new FakeExchange();
  sampler.recordStart(early);
  sampler.watch(['7']);
  end(early);
  serve('/', '8');
  sampler.flush();
  assert.equal(sent, []);
  serve();
  sampler.watch([]);
  serve();
  sampler.flush();
  assert.is(sent.length, 1);
  assert.is(sent[0].requests.length, 1);
});

test('of many requests, a uniform sample in the order of their ends', () => {
  // Replaces the places in turn.
  let turn = 0;
  const { sampler, sent, serve } = rig(() => (turn++ % 20) / 20);
  sampler.watch(['7', '8']);
  for (let i = 0; i < 1000; i++) serve(`/${i}`);
  serve('/other', '8');
  sampler.flush();
  const [busy, quiet] = sent;
  assert.equal([busy.requests.length, busy.omitted], [MAX_LINES, 1000 - MAX_LINES]);
  const order = paths(busy).map((path) => Number(path.slice(1)));
  assert.equal(
    order,
    order.toSorted((a, b) => a - b),
  );
  assert.equal([paths(quiet), quiet.omitted], [['/other'], 0]);
});

test('domains are limited, and expire unless they are named again', () => {
  const { sampler, sent, clock, serve } = rig();
  sampler.watch(Array.from({ length: 500 }, (_, i) => String(i)));
  for (let i = 0; i < 500; i++) serve('/', String(i));
  sampler.flush();
  assert.is(sent.filter(({ requests }) => requests.length > 0).length, 100);
  assert.ok(sent.every(({ requests, omitted }) => requests.length + omitted > 0));
  sampler.watch(['7']);
  clock.now += EXPIRY_MS;
  serve();
  sampler.flush();
  assert.is(sent.length, 501);
  clock.now++;
  serve();
  sampler.flush();
  assert.is(sent.length, 501, 'the main thread has stopped naming them');
});

test.run();
