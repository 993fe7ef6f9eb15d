/** Requests to the admin API over the edge: what one client network leaves to others. */
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { type AdminForward, createAdminForward } from '../../../edge/gateway/admin.ts';
import { GATEWAY_COLUMNS, GatewayCounters } from '../../../edge/gateway/counters.ts';
import { Observer } from '../../../edge/gateway/observer.ts';
import type { RequestBody } from '../../../edge/http/exchange/exchange.ts';
import { until } from '../../support/until.ts';
import { FakeExchange } from '../proxy/fake-exchange.ts';

const CONNECTIONS = 4;
const WHOLE = 64 * 1024;

/** An API that responds to `/held` when the test says so, and to all else at once. */
class Rig {
  readonly seen: string[] = [];
  readonly held: ServerResponse[] = [];
  readonly #server = createServer((request, response) => this.#serve(request, response));
  admin!: AdminForward;

  async start(): Promise<this> {
    await new Promise<void>((resolve) => this.#server.listen(0, '127.0.0.1', resolve));
    const { port } = this.#server.address() as AddressInfo;
    const counters = new GatewayCounters(new SharedArrayBuffer(GATEWAY_COLUMNS.length * 8));
    this.admin = createAdminForward(
      {
        ...{ address: '127.0.0.1', port, field: 'x-waypost-client', secret: 's3cret' },
        ...{ connections: CONNECTIONS, streams: 2, addressOf: (exchange) => exchange.client.address },
      },
      new Observer(counters, null, () => {}),
    );
    return this;
  }

  #serve(request: IncomingMessage, response: ServerResponse): void {
    this.seen.push(`${request.headers['x-waypost-client']?.toString().split(' ')[1]} ${request.url}`);
    request.resume();
    if (request.url === '/held') this.held.push(response);
    else if (request.method === 'GET') response.end('done');
    else request.on('end', () => response.end('done'));
  }

  /** Sends a request; the exchange has the response when `ended` resolves. */
  send(
    address: string,
    path = '/api/v1/domains',
    body?: RequestBody,
  ): { exchange: FakeExchange; ended: Promise<void> } {
    const exchange = new FakeExchange({ address, path, body, method: body === undefined ? 'GET' : 'POST' });
    return { exchange, ended: Promise.resolve(this.admin.handler(exchange)) };
  }

  async answer(address: string, path?: string, body?: RequestBody): Promise<string> {
    const { exchange, ended } = this.send(address, path, body);
    await ended;
    return `${exchange.status} ${exchange.text}`;
  }

  async close(): Promise<void> {
    await this.admin.close();
    this.#server.closeAllConnections();
    this.#server.close();
  }
}

/** A body that announces `length` bytes, sends `first` of them, and then nothing more. */
function unfinished(length: number | undefined, first: number): RequestBody {
  let left = first;
  return {
    length,
    read() {
      if (left === 0) return new Promise(() => {});
      const part = Buffer.alloc(Math.min(left, 16_384));
      left -= part.length;
      return Promise.resolve(part);
    },
    discard() {},
    trailers: [],
  };
}

function whole(bytes: number): RequestBody {
  const parts: (Uint8Array | null)[] = [Buffer.alloc(bytes), null];
  return { length: bytes, read: async () => parts.shift() ?? null, discard() {}, trailers: [] };
}

async function withRig(work: (rig: Rig) => Promise<void>): Promise<void> {
  const rig = await new Rig().start();
  try {
    await work(rig);
  } finally {
    await rig.close();
  }
}

test('bodies that do not end occupy nothing, of a known length or not', () =>
  withRig(async (rig) => {
    for (let i = 0; i < 500; i++) rig.send(`192.0.2.${i % 250}`, '/api/v1/domains', unfinished(100, i % 2));
    for (let i = 0; i < 500; i++) rig.send(`192.0.2.${i % 250}`, '/dns-query', unfinished(undefined, i % 2));
    assert.is(await rig.answer('198.51.100.7'), '200 done');
    assert.is(await rig.answer('198.51.100.7', '/dns-query', whole(1000)), '200 done');
    assert.equal(rig.seen, ['198.51.100.7 /api/v1/domains', '198.51.100.7 /dns-query']);
  }));

test('long bodies of one network, however it spells its addresses, have half of the connections', () =>
  withRig(async (rig) => {
    const flood = (i: number): string => `2001:db8:0:${i.toString(16)}::1`;
    for (let i = 0; i < 200; i++) rig.send(flood(i), '/long', unfinished(1 << 20, WHOLE));
    await until(() => rig.seen.length === CONNECTIONS / 2);
    for (let i = 0; i < 5; i++) assert.is(await rig.answer('198.51.100.7'), '200 done');
    assert.is(await rig.answer('198.51.100.7', '/api/v1/domains', whole(2 * WHOLE)), '200 done');
    assert.is(rig.seen.filter((line) => line.endsWith(' /long')).length, CONNECTIONS / 2);
  }));

test('monitors are answered while every connection is in use', () =>
  withRig(async (rig) => {
    for (let i = 0; i < 100; i++) rig.send(`192.0.2.${i}`, '/held');
    await until(() => rig.held.length === CONNECTIONS);
    for (const path of ['/healthz', '/readyz', '/readyz?x=1', '/metrics'])
      assert.is(await rig.answer('192.0.2.1', path), '200 done', path);
    const waiting = rig.send('198.51.100.7');
    await until(() => {
      for (const response of rig.held.splice(0)) response.end();
      return waiting.exchange.isEnded;
    });
    assert.is(waiting.exchange.status, 200);
  }));

test('a full queue is 503 busy for the network that has most of it', () =>
  withRig(async (rig) => {
    const flood = Array.from({ length: 1024 + CONNECTIONS }, () => rig.send('192.0.2.1', '/held').exchange);
    for (let i = 0; i < CONNECTIONS; i++) rig.send(`203.0.113.${i}`, '/held');
    await until(() => rig.held.length === CONNECTIONS);
    await until(() => flood.some(({ status }) => status === 503));
    const [refused] = flood.filter(({ status }) => status === 503);
    assert.match(refused.text, /busy/);
    assert.is(refused.field('retry-after'), '5');
    const other = rig.send('198.51.100.7');
    for (const response of rig.held.splice(0)) response.end();
    await other.ended;
    assert.is(other.exchange.status, 200);
  }));

test('a client that disconnects frees its slot or leaves the queue', () =>
  withRig(async (rig) => {
    const held = ['192.0.2.1', '192.0.2.2', '192.0.2.3', '192.0.2.4'].map((address) => rig.send(address, '/held'));
    await until(() => rig.held.length === CONNECTIONS);
    const waiting = rig.send('192.0.2.5', '/never');
    waiting.exchange.leave();
    await waiting.ended;
    for (const { exchange, ended } of held) {
      exchange.leave();
      await ended;
    }
    assert.is(await rig.answer('192.0.2.6'), '200 done');
    assert.not(rig.seen.some((line) => line.endsWith('/never')));
  }));

test.run();
