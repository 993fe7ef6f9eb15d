/**
 * DNS over TCP (RFC 7766): pipelining, partial messages, timeouts, limits, and misbehaving clients.
 */

import { once } from 'node:events';
import { connect } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { RCODE, TYPE } from '../../../core/dns/wire/types.ts';
import type { TcpLimits } from '../../../core/nameserver/worker.ts';
import { decodeMessage } from '../../support/message.ts';
import { Random } from '../../support/random.ts';
import { until } from '../../support/until.ts';
import { ask, byteOf, LIMITS, type Served, serve, TRANSPORTS } from './fixture.ts';
import { framed, PATIENCE_MS, StreamClient } from './stream-client.ts';

const SHORT_MS = 250;

for (const transport of TRANSPORTS) {
  const test = suite<{ served: Served; clients: StreamClient[] }>(`TCP, ${transport}`);
  let open: (served?: Served) => StreamClient;

  test.before(async (context) => {
    context.served = await serve({ transport });
    context.clients = [];
    open = (served = context.served) => {
      const client = new StreamClient(served.port);
      context.clients.push(client);
      return client;
    };
  });
  test.after.each(({ clients }) => {
    for (const { socket } of clients.splice(0)) socket.destroy();
  });
  test.after(async ({ served }) => {
    await served.stop();
    assert.equal(
      served.log.filter((line) => /exception|DNS thread/.test(line)),
      [],
    );
  });

  /** Starts a nameserver with its own limits for one test. */
  async function withLimits(limits: Partial<TcpLimits>, work: (served: Served) => Promise<void>): Promise<void> {
    const served = await serve({ transport, tcp: { ...LIMITS, ...limits } });
    try {
      await work(served);
      // Whatever the test did, the next client must be served.
      const next = open(served);
      next.socket.write(framed(ask('host99')));
      assert.is(byteOf((await next.answers(1))[0]), 99);
    } finally {
      await served.stop();
    }
  }

  test('a hundred queries in one write are answered in order', async () => {
    const client = open();
    client.socket.write(framed(...Array.from({ length: 100 }, (_, id) => ask(`host${id}`, { id }))));
    const responses = await client.answers(100);
    assert.equal(
      responses.map((response) => [(response[0] << 8) | response[1], byteOf(response)]),
      responses.map((_, i) => [i, i]),
    );
  });

  test('a message may be split at every byte', async () => {
    const message = framed(ask('host3', { edns: 1232 }));
    const clients = Array.from({ length: message.length - 1 }, () => open());
    await Promise.all(
      clients.map(async ({ socket }, i) => {
        await once(socket, 'connect');
        await new Promise((done) => socket.write(message.subarray(0, i + 1), done));
        await sleep(20);
        socket.write(message.subarray(i + 1));
      }),
    );
    for (const client of clients) assert.is(byteOf((await client.answers(1))[0]), 3);
  });

  test('two messages, byte by byte', async () => {
    const client = open();
    for (const byte of framed(ask('host1'), ask('host2'))) {
      client.socket.write(Uint8Array.of(byte));
      await sleep(1);
    }
    assert.equal((await client.answers(2)).map(byteOf), [1, 2]);
  });

  test('two and a half messages in one segment, the rest later', async () => {
    const client = open();
    const bytes = framed(ask('host1'), ask('host2'), ask('host3'));
    client.socket.write(bytes.subarray(0, bytes.length - 10));
    assert.equal((await client.answers(2)).map(byteOf), [1, 2]);
    client.socket.write(bytes.subarray(bytes.length - 10));
    assert.equal((await client.answers(3)).map(byteOf), [1, 2, 3]);
  });

  test('a client that closes its sending side still gets the answers', async () => {
    const client = open();
    client.socket.end(framed(ask('host8'), ask('largest', { type: TYPE.TXT })));
    const [first, second] = await client.answers(2);
    assert.is(byteOf(first), 8);
    assert.is(decodeMessage(second).answer.length, 247);
    await client.cut();
  });

  test('a response of nearly 65,535 bytes is not truncated', async () => {
    const client = open();
    client.socket.write(framed(ask('largest', { type: TYPE.TXT, edns: 512 })));
    const [response] = await client.answers(1);
    const { header, answer } = decodeMessage(response);
    assert.ok(response.length > 64_000);
    assert.is(header.tc, false);
    assert.is(answer.length, 247);
  });

  test('four thousand short queries with long responses: all are answered in order', async () => {
    const client = open();
    const count = 4000;
    client.socket.write(framed(...Array.from({ length: count }, (_, id) => ask('long', { type: TYPE.TXT, id }))));
    const responses = await client.answers(count);
    assert.equal(
      responses.map((response) => (response[0] << 8) | response[1]),
      responses.map((_, i) => i),
    );
  });

  const refusals: readonly [what: string, bytes: Uint8Array][] = [
    ['length 0', Uint8Array.of(0, 0)],
    ['a message shorter than a header', Uint8Array.of(0, 5, 1, 2, 3, 4, 5)],
    ['a response', framed(ask('host1').map((byte, i) => (i === 2 ? byte | 0x80 : byte)))],
    ['garbage', Buffer.concat([Uint8Array.of(0, 40), new Random(7).bytes(4), new Uint8Array(36).fill(0xff)])],
  ];
  for (const [what, bytes] of refusals)
    test(`${what}: closed or FORMERR; earlier queries are answered, other clients continue`, async () => {
      const bystander = open();
      const client = open();
      client.socket.write(Buffer.concat([framed(ask('host1')), bytes]));
      await until(() => client.responses.length > 0, 'the first answer', PATIENCE_MS);
      assert.is(byteOf(client.responses[0]), 1);
      if (what === 'garbage') client.socket.end();
      await client.cut();
      for (const response of client.responses.slice(1)) assert.ok(decodeMessage(response).rcode !== RCODE.NOERROR);
      bystander.socket.write(framed(ask('host2')));
      assert.is(byteOf((await bystander.answers(1))[0]), 2);
    });

  test('a reset within a message or a response affects no other client', async () => {
    for (let i = 0; i < 20; i++) {
      const client = open();
      await once(client.socket, 'connect');
      client.socket.write(
        i % 2 === 0 ? framed(ask('host1')).subarray(0, 9) : framed(ask('largest', { type: TYPE.TXT })),
      );
      await sleep(i % 5);
      client.socket.resetAndDestroy();
    }
    const client = open();
    client.socket.write(framed(ask('host4')));
    assert.is(byteOf((await client.answers(1))[0]), 4);
  });

  test('idle timeout: a connection without a query is closed, also after an answer', () =>
    withLimits({ idleTimeout: SHORT_MS }, async (served) => {
      const silent = open(served);
      const answered = open(served);
      answered.socket.write(framed(ask('host1')));
      await answered.answers(1);
      await Promise.all([silent.cut(), answered.cut()]);
    }));

  test('query timeout: an incomplete message, and a message that arrives too slowly', () =>
    withLimits({ queryTimeout: SHORT_MS }, async (served) => {
      const short = open(served);
      short.socket.write(Buffer.concat([Uint8Array.of(0xff, 0xff), ask('host1')]));
      const slow = open(served);
      slow.socket.write(Uint8Array.of(0, 200));
      const drip = setInterval(() => slow.socket.writable && slow.socket.write(Uint8Array.of(0)), 50);
      await Promise.all([short.cut(), slow.cut()]).finally(() => clearInterval(drip));
      assert.is(short.responses.length, 0);
    }));

  test('a client that never reads is disconnected, others are not affected', () =>
    withLimits({ queryTimeout: SHORT_MS }, async (served) => {
      const unread = open(served);
      unread.socket.pause();
      unread.socket.write(framed(...Array.from({ length: 2000 }, () => ask('largest', { type: TYPE.TXT }))));
      const other = open(served);
      for (let i = 0; i < 10; i++) {
        other.socket.write(framed(ask(`host${i}`)));
        assert.is(byteOf((await other.answers(i + 1))[i]), i);
      }
      await sleep(SHORT_MS * 4);
      unread.socket.resume();
      await until(() => unread.closed || unread.ended, 'the connection closed', PATIENCE_MS);
      assert.ok(unread.responses.length < 2000);
    }));

  test('limit per address', () =>
    withLimits({ maxPerAddress: 3 }, async (served) => {
      const kept = Array.from({ length: 3 }, () => open(served));
      for (const { socket } of kept) socket.write(framed(ask('host1')));
      for (const client of kept) await client.answers(1);
      const surplus = open(served);
      surplus.socket.write(framed(ask('host1')));
      await surplus.cut();
      assert.is(surplus.responses.length, 0);
      // Another address has capacity.
      const socket = connect({ port: served.port, host: '127.0.0.1', localAddress: '127.0.0.2' });
      socket.write(framed(ask('host2')));
      const [chunk] = (await once(socket, 'data')) as [Buffer];
      assert.is(byteOf(new Uint8Array(chunk.subarray(2))), 2);
      socket.destroy();
      // A closed connection frees capacity.
      for (const client of kept) client.socket.destroy();
      await answeredAgain(served);
    }));

  test('too many connections: the one that has waited longest is closed for a new client', () =>
    withLimits({ maxConnections: 2 }, async (served) => {
      const silent = open(served);
      const slow = open(served);
      slow.socket.write(Uint8Array.of(0, 100));
      await sleep(1200);
      const next = open(served);
      next.socket.write(framed(ask('host5')));
      assert.is(byteOf((await next.answers(1))[0]), 5);
      await Promise.race([silent.cut(), slow.cut()]);
      assert.is([silent, slow].filter(({ closed, ended }) => closed || ended).length, 1);
    }));

  test('a client with many connections closes none of a client with fewer, however long that waits', () =>
    withLimits({ maxConnections: 5, maxPerAddress: 5 }, async (served) => {
      const openFrom = async (localAddress: string): Promise<StreamClient> => {
        const client = new StreamClient(connect({ port: served.port, host: '127.0.0.1', localAddress }));
        client.socket.write(framed(ask('host1')));
        await client.answers(1);
        return client;
      };
      const kept = await openFrom('127.0.0.2');
      const many: StreamClient[] = [];
      for (let i = 0; i < 4; i++) many.push(await openFrom('127.0.0.3'));
      await sleep(1200);
      many.push(await openFrom('127.0.0.3'));
      await many[0].cut();
      kept.socket.write(framed(ask('host2')));
      await kept.answers(2);
      for (const { socket } of [kept, ...many]) socket.destroy();
    }));

  test('too many connections of some clients: those with fewer are served at once, and stay', () =>
    withLimits({ maxConnections: 8, maxPerAddress: 4 }, async (served) => {
      const openFrom = (localAddress: string): StreamClient => {
        const to = { port: served.port, host: '127.0.0.1', localAddress, allowHalfOpen: true };
        const client = new StreamClient(connect(to));
        client.socket.write(framed(ask('host1')));
        return client;
      };
      const many = ['127.0.0.2', '127.0.0.3'].map((address) => [1, 2, 3, 4].map(() => openFrom(address)));
      for (const client of many.flat()) await client.answers(1);
      const few = [];
      for (const address of ['127.0.0.4', '127.0.0.5', '127.0.0.4']) {
        const client = openFrom(address);
        few.push(client);
        await client.answers(1);
      }
      const isClosed = ({ closed, ended }: StreamClient): boolean => closed || ended;
      await until(() => many.flat().filter(isClosed).length === 3, 'three closed connections', PATIENCE_MS);
      for (const clients of many) assert.ok(clients.filter(isClosed).length <= 2);
      for (const client of few) {
        client.socket.write(framed(ask('host2')));
        await client.answers(2);
      }
      for (const { socket } of [...many.flat(), ...few]) socket.destroy();
    }));

  test('a connection beyond the limit of all is closed', () =>
    withLimits({ maxConnections: 2 }, async (served) => {
      const kept = [open(served), open(served)];
      for (const client of kept) client.socket.write(framed(ask('host1')));
      for (const client of kept) await client.answers(1);
      const surplus = open(served);
      await surplus.cut();
      for (const client of kept) client.socket.destroy();
      await answeredAgain(served);
    }));

  /** Retries, because the server may notice the end of a connection with a delay. */
  async function answeredAgain(served: Served): Promise<void> {
    for (let attempt = 0; attempt < 100; attempt++) {
      const client = open(served);
      client.socket.write(framed(ask('host1')));
      await until(
        () => client.responses.length > 0 || client.ended || client.closed,
        'an answer or the end of the connection',
        PATIENCE_MS,
      );
      client.socket.destroy();
      await sleep(20);
      if (client.responses.length > 0) return;
    }
    throw new Error('the slots were not released');
  }

  test.run();
}
