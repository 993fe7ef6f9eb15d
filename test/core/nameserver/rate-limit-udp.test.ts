/** The rate limit, observed by clients at several loopback addresses. */

import { createSocket, type Socket } from 'node:dgram';
import { once } from 'node:events';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { PROMETHEUS, Registry } from '../../../core/base/metrics/index.ts';
import { RCODE } from '../../../core/dns/wire/types.ts';
import { nameserverMetrics } from '../../../core/nameserver/metrics.ts';
import type { NameserverOptions } from '../../../core/nameserver/nameserver.ts';
import type { RateLimitOptions } from '../../../core/nameserver/rate-limit.ts';
import { queryTcp } from '../../support/dns-client.ts';
import { readExposition, sampleOf } from '../../support/exposition.ts';
import { decodeMessage, type Message } from '../../support/message.ts';
import { until } from '../../support/until.ts';
import { ask, type Served, serve } from './fixture.ts';

const PATIENCE_MS = 8000;
/** A token returns only after one second, so that a slow machine does not get more of them. */
const RATE = 1;
const LIMIT: RateLimitOptions = { rate: RATE, slip: 2, allow: false, ipv4Prefix: 24, ipv6Prefix: 56 };

class Source {
  readonly #socket: Socket;
  readonly #port: number;
  readonly responses: Message[] = [];

  private constructor(socket: Socket, port: number) {
    this.#socket = socket;
    this.#port = port;
    socket.on('message', (message) => this.responses.push(decodeMessage(new Uint8Array(message))));
  }

  static async at(address: string, port: number): Promise<Source> {
    const socket = createSocket('udp4');
    socket.bind(0, address);
    await once(socket, 'listening');
    return new Source(socket, port);
  }

  send(packets: readonly Uint8Array[]): void {
    for (const packet of packets) this.#socket.send(packet, this.#port, '127.0.0.1');
  }

  get whole(): Message[] {
    return this.responses.filter(({ header }) => !header.tc);
  }

  get cut(): Message[] {
    return this.responses.filter(({ header }) => header.tc);
  }

  close(): void {
    this.#socket.close();
  }
}

const value = (served: Served, name: string, labels: Record<string, string> = {}): number => {
  const registry = new Registry();
  nameserverMetrics(registry, served.counters);
  return sampleOf(readExposition(registry.expose(PROMETHEUS), 'prometheus'), `waypost_dns_${name}`, labels);
};
const dropped = (served: Served): number =>
  value(served, 'dropped_packets_total', { transport: 'udp', reason: 'rate_limit' });
const slipped = (served: Served): number => value(served, 'rate_limit_slipped_total');
const answered = (served: Served): number => value(served, 'queries_total', { transport: 'udp', family: 'ipv4' });

const test = suite('rate limit over UDP');

async function withServer(
  options: Partial<NameserverOptions>,
  addresses: readonly string[],
  work: (served: Served, sources: readonly Source[]) => Promise<void>,
): Promise<void> {
  const served = await serve(options as Partial<Omit<NameserverOptions, 'log' | 'onThread'>>);
  const sources = await Promise.all(addresses.map((address) => Source.at(address, served.port)));
  try {
    await work(served, sources);
  } finally {
    for (const source of sources) source.close();
    await served.stop();
  }
}

const random = (count: number): Uint8Array[] => Array.from({ length: count }, (_, id) => ask(`nobody${id}`, { id }));

for (const transport of ['batch', 'portable'] as const)
  test(`${transport}: a network is limited over all threads; other networks and TCP are not`, () =>
    withServer(
      { transport, workers: 2, rateLimit: LIMIT },
      ['127.7.1.1', '127.7.1.2', '127.7.2.1'],
      async (served, [first, second, other]) => {
        // 1. A hundred random names from two addresses of one network. The rate is answered
        // completely, and of the rest every second response is truncated.
        first.send(random(50));
        second.send(random(50));
        await until(() => answered(served) + dropped(served) === 100, 'all packets processed', PATIENCE_MS);
        const [cut, gone] = [slipped(served), dropped(served)];
        assert.is(answered(served), 100 - gone);
        // A few tokens may have returned while the packets were in flight.
        const whole = 100 - cut - gone;
        assert.ok(whole >= RATE && whole <= RATE + PATIENCE_MS / 1000, `${whole} complete`);
        assert.ok(Math.abs(cut - gone) <= 2, `${cut} truncated, ${gone} dropped`);
        await until(() => first.responses.length + second.responses.length === 100 - gone, 'responses', PATIENCE_MS);
        assert.is(first.cut.length + second.cut.length, cut);
        for (const { rcode, answer, authority } of [...first.cut, ...second.cut])
          assert.equal([rcode, answer, authority], [RCODE.NXDOMAIN, [], []]);
        // 2. The same network queries an existing name, and another network queries a missing one.
        first.send([ask('host1', { id: 60_001 })]);
        other.send([ask('nobody', { id: 60_002 })]);
        await until(() => other.responses.length === 1 && answered(served) === 102 - gone, 'two more', PATIENCE_MS);
        assert.is(other.whole.length, 1);
        // 3. TCP, from any address.
        const responses = await queryTcp(served.port, random(100));
        assert.ok(responses.every((response) => !decodeMessage(response).header.tc));
        assert.is(dropped(served), gone);
      },
    ));

test('an exempt network gets all responses', () =>
  withServer(
    { rateLimit: { ...LIMIT, allow: ['127.7.3.0/24'] } },
    ['127.7.3.9', '127.7.4.9'],
    async (served, [exempt, limited]) => {
      exempt.send(random(40));
      await until(() => exempt.responses.length === 40, 'forty responses', PATIENCE_MS);
      assert.is(exempt.whole.length, 40);
      limited.send(random(40));
      await until(() => answered(served) + dropped(served) === 80, 'all packets processed', PATIENCE_MS);
      assert.ok(dropped(served) >= 10);
    },
  ));

test('a restarted thread keeps the accounts', () =>
  withServer({ workers: 1, rateLimit: { ...LIMIT, slip: 0 } }, ['127.7.5.1'], async (served, [source]) => {
    // Errors share one account, with one token a second.
    const foreign = (id: number): Uint8Array => ask('host1', { id }).map((byte, i) => (i === 13 ? byte + 1 : byte));
    source.send(Array.from({ length: 20 }, (_, id) => foreign(id)));
    await until(() => answered(served) + dropped(served) === 20, 'all packets processed', PATIENCE_MS);
    const before = dropped(served);
    assert.ok(before >= 20 - RATE - PATIENCE_MS / 1000);
    const thread = served.threads.get('udp 1')!;
    await thread.terminate();
    await until(() => served.listening && served.threads.get('udp 1') !== thread, 'a new thread', PATIENCE_MS);
    source.send(Array.from({ length: 20 }, (_, id) => foreign(id)));
    await until(() => answered(served) + dropped(served) === 40, 'all packets processed', PATIENCE_MS);
    assert.ok(dropped(served) >= before + 20 - RATE - PATIENCE_MS / 1000);
  }));

test('queries with a valid cookie are not limited', () =>
  withServer(
    {
      rateLimit: LIMIT,
      answers: {
        cookies: 'on',
        cookieSecrets: [new Uint8Array(16).fill(7)],
        nsid: '',
        version: '',
        identity: '',
        tcpIdleTimeout: 10_000,
      },
    },
    ['127.7.6.1', '127.7.6.2'],
    async (served, [source, forged]) => {
      const withCookie = (packet: Uint8Array, option: Uint8Array): Uint8Array => {
        const out = Buffer.concat([packet, Uint8Array.of(0, 10, 0, option.length), option]);
        // Length of the rdata of OPT, which is the last record and was empty.
        out.writeUInt16BE(4 + option.length, packet.length - 2);
        return out;
      };
      const client = Uint8Array.of(1, 2, 3, 4, 5, 6, 7, 8);
      source.send([withCookie(ask('host1', { edns: 1232 }), client)]);
      await until(() => source.responses.length === 1, 'a cookie', PATIENCE_MS);
      const options = source.responses[0].opt!.options;
      const cookie = options.slice(4, 4 + ((options[2] << 8) | options[3]));
      assert.is(cookie.length, 24);
      const queries = Array.from({ length: 60 }, (_, id) => withCookie(ask(`nobody${id}`, { id, edns: 1232 }), cookie));
      source.send(queries);
      await until(() => source.responses.length === 61, 'all responses', PATIENCE_MS);
      assert.is(source.cut.length, 0);
      assert.is(dropped(served), 0);
      assert.is(value(served, 'cookies_total', { transport: 'udp', cookie: 'valid' }), 60);
      assert.is(value(served, 'cookies_total', { transport: 'udp', cookie: 'client' }), 1);
      // A cookie is not valid from another address.
      forged.send(queries);
      await until(() => answered(served) + dropped(served) === 121, 'all packets processed', PATIENCE_MS);
      assert.ok(dropped(served) >= 20);
      // A truncated response contains a valid cookie for the next query.
      await until(() => forged.cut.length > 0, 'a truncated response', PATIENCE_MS);
      assert.ok(forged.cut.every(({ opt }) => opt!.options.length === 28));
    },
  ));

test.run();
