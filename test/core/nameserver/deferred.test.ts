/**
 * Messages that the main thread answers: in order, one at a time, only to waiting clients, within
 * limits.
 */

import { createSocket } from 'node:dgram';
import { once } from 'node:events';
import { connect } from 'node:net';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { parseName } from '../../../core/dns/wire/name.ts';
import { signRequest } from '../../../core/dns/wire/tsig.ts';
import { RCODE, TYPE } from '../../../core/dns/wire/types.ts';
import { type AnswerDeferred, type DeferredRequest, MAX_PER_CLIENT } from '../../../core/nameserver/deferred.ts';
import { UdpClient } from '../../support/dns-client.ts';
import { decodeMessage, type Message } from '../../support/message.ts';
import { until } from '../../support/until.ts';
import { encodeUpdate } from '../../support/update-message.ts';
import { ask, byteOf, LIMITS, type Served, serve, TRANSPORTS, V4, V6 } from './fixture.ts';
import { framed, PATIENCE_MS, StreamClient } from './stream-client.ts';

const SHORT_MS = 250;
const AXFR = ask('host1', { type: TYPE.AXFR, id: 77 });
const UNSIGNED = encodeUpdate({ zone: parseName('example.test.') });
const KEY = { name: parseName('key.'), algorithm: 'hmac-sha256', secret: new Uint8Array(32) } as const;
const UPDATE = signRequest(UNSIGNED, KEY, 1_700_000_000).message;

/** A message of `size` bytes that contains its number. */
function numbered(number: number, size = 20): Uint8Array {
  const message = new Uint8Array(size);
  new DataView(message.buffer).setUint32(12, number);
  return message;
}

const numberOf = (message: Uint8Array): number => Buffer.from(message).readUInt32BE(12);

for (const transport of TRANSPORTS) {
  const test = suite<{ served: Served; clients: StreamClient[] }>(`deferred messages, ${transport}`);
  /** The handler on the main thread. */
  let answer: AnswerDeferred;
  let requests: DeferredRequest[] = [];
  let open: () => StreamClient;

  test.before(async (context) => {
    context.clients = [];
    context.served = await serve({
      transport,
      listen: [V4, V6],
      tcp: { ...LIMITS, queryTimeout: SHORT_MS },
      answerDeferred(request) {
        requests.push(request);
        return answer(request);
      },
    });
    open = () => {
      const client = new StreamClient(context.served.port);
      context.clients.push(client);
      return client;
    };
  });
  test.after.each(({ clients }) => {
    requests = [];
    for (const { socket } of clients.splice(0)) socket.destroy();
  });
  test.after(({ served }) => served.stop());

  test('over TCP: all messages arrive in order, between the answers to the queries before and after', async () => {
    answer = async function* () {
      for (let i = 0; i < 5; i++) yield numbered(i);
    };
    const client = open();
    client.socket.write(framed(ask('host1'), AXFR, ask('host2'), AXFR, ask('host3')));
    const responses = await client.answers(13);
    assert.equal(
      [0, 6, 12].map((i) => byteOf(responses[i])),
      [1, 2, 3],
    );
    assert.equal(
      [1, 2, 3, 4, 5, 7, 8, 9, 10, 11].map((i) => numberOf(responses[i])),
      [0, 1, 2, 3, 4, 0, 1, 2, 3, 4],
    );
    const { localPort } = client.socket;
    assert.equal(
      requests.map(({ message, address, port, transport: way }) => [[...message], address, port, way]),
      new Array(2).fill([[...AXFR], '127.0.0.1', localPort, 'tcp']),
    );
  });

  test('over TCP: a client that has closed its sending side gets the complete answer', async () => {
    answer = async function* () {
      for (let i = 0; i < 20; i++) {
        yield numbered(i, 30_000);
        await new Promise((done) => setTimeout(done, 1));
      }
    };
    const client = open();
    client.socket.end(framed(AXFR, ask('host9')));
    const responses = await client.answers(21);
    assert.equal(
      responses.slice(0, 20).map(numberOf),
      Array.from({ length: 20 }, (_, i) => i),
    );
    assert.is(byteOf(responses[20]), 9);
    await client.cut();
  });

  test('over UDP: only one message of the answer is requested', async ({ served }) => {
    let ended = 0;
    answer = async function* ({ message }) {
      try {
        for (let i = 0; ; i++) {
          const response = numbered(i);
          response.set(message.subarray(0, 2));
          yield response;
        }
      } finally {
        ended++;
      }
    };
    const client = await UdpClient.connect(served.port);
    assert.is(numberOf((await client.query(AXFR))!), 0);
    client.close();
    await until(() => ended === requests.length, 'the end of the answer', PATIENCE_MS);
    assert.equal([requests[0].address, requests[0].transport], ['127.0.0.1', 'udp']);
  });

  test('over UDP, bound to any address: the source of the reply is the destination of the query', async () => {
    const any = await serve({
      transport,
      listen: [
        { ...V4, address: '0.0.0.0' },
        { ...V6, address: '::' },
      ],
      async *answerDeferred() {
        yield numbered(5);
      },
    });
    try {
      for (const [type, address, { port }] of [
        ['udp4', '127.0.0.1', any.listen[0]],
        ['udp6', '::1', any.listen[1]],
      ] as const) {
        const socket = createSocket(type);
        socket.connect(port, address);
        await once(socket, 'connect');
        socket.send(AXFR);
        // A connected socket receives packets from its peer only.
        const [reply] = (await once(socket, 'message')) as [Buffer];
        assert.is(numberOf(reply), 5);
        socket.close();
      }
    } finally {
      await any.stop();
    }
  });

  test('a client that does not read: no further messages are requested, and a timeout cancels the request', async () => {
    let created = 0;
    let ended = false;
    answer = async function* () {
      try {
        for (; created < 10_000; created++) yield numbered(created, 60_000);
      } finally {
        ended = true;
      }
    };
    const client = open();
    client.socket.pause();
    client.socket.write(framed(AXFR));
    await until(() => ended, 'the end of the answer', PATIENCE_MS);
    assert.ok(requests[0].cancelled.aborted);
    // The kernel's buffers of both sides hold some messages of 60 KB.
    assert.ok(created < 500, `${created} messages were created`);
    // Other clients are served.
    const other = open();
    other.socket.write(framed(ask('host4')));
    assert.is(byteOf((await other.answers(1))[0]), 4);
  });

  test('an answer that its handler abandons ends, and closes the connection', async () => {
    let ended = false;
    answer = async function* ({ abandon }) {
      setTimeout(() => abandon?.(), 1);
      try {
        for (let i = 0; ; i++) yield numbered(i, 60_000);
      } finally {
        ended = true;
      }
    };
    const client = open();
    client.socket.pause();
    client.socket.write(framed(AXFR));
    await until(() => ended, 'the end of the answer', PATIENCE_MS);
    client.socket.resume();
    await client.cut();
    assert.not(requests[0].cancelled.aborted, 'the client had time left');
  });

  test('a client that disconnects ends the answer, even while the handler waits', async () => {
    let ended = false;
    answer = async function* ({ cancelled }) {
      try {
        yield numbered(0);
        await once(cancelled, 'abort');
        yield numbered(1);
      } finally {
        ended = true;
      }
    };
    const client = open();
    client.socket.write(framed(AXFR));
    await client.answers(1);
    client.socket.resetAndDestroy();
    await until(() => ended, 'the end of the answer', PATIENCE_MS);
    assert.ok(requests[0].cancelled.aborted);
  });

  test('an exception gives SERVFAIL; after a message it closes the connection', async () => {
    // biome-ignore lint/correctness/useYield: it fails before
    answer = async function* () {
      throw new Error('at once');
    };
    const first = open();
    first.socket.write(framed(AXFR, ask('host1')));
    const [failed, next] = await first.answers(2);
    assert.is(decodeMessage(failed).rcode, RCODE.SERVFAIL);
    // The response has the ID and the question of the request.
    assert.equal([failed.slice(0, 2), failed.slice(12)], [AXFR.slice(0, 2), AXFR.slice(12)]);
    assert.is(byteOf(next), 1);
    answer = async function* () {
      yield numbered(0);
      throw new Error('in the middle');
    };
    const second = open();
    second.socket.write(framed(AXFR, ask('host1')));
    await second.cut();
    assert.equal(second.responses.map(numberOf), [0]);
  });

  test('a flood of messages that cause exceptions does not flood the log', async ({ served }) => {
    const MANY = 100;
    answer = async function* ({ message }) {
      if (message.length > 0) throw new Error('repeated failure');
      yield message;
    };
    const before = served.log.length;
    const client = open();
    client.socket.write(framed(...new Array<Uint8Array>(MANY).fill(AXFR)));
    for (const response of await client.answers(MANY)) assert.is(decodeMessage(response).rcode, RCODE.SERVFAIL);
    const lines = served.log.slice(before).filter((line) => line.includes('exception while handling'));
    assert.ok(lines.length < MANY / 2, `${lines.length} lines`);
  });

  test('the pending requests of a client are limited; others get SERVFAIL; finished requests free capacity', async ({
    served,
  }) => {
    let running = 0;
    let maxRunning = 0;
    answer = async function* ({ cancelled }) {
      maxRunning = Math.max(maxRunning, ++running);
      if (!cancelled.aborted) await once(cancelled, 'abort');
      running--;
      yield numbered(0);
    };
    const kept = Array.from({ length: MAX_PER_CLIENT }, () => open());
    for (const { socket } of kept) socket.write(framed(AXFR));
    await until(() => running === MAX_PER_CLIENT, 'all requests running', PATIENCE_MS);
    const surplus = open();
    surplus.socket.write(framed(AXFR));
    assert.is(decodeMessage((await surplus.answers(1))[0]).rcode, RCODE.SERVFAIL);
    const udp = await UdpClient.connect(served.port);
    assert.is(decodeMessage((await udp.query(AXFR))!).rcode, RCODE.SERVFAIL);
    udp.close();
    // Another client has its own limit.
    const socket = connect({ port: served.port, host: '127.0.0.1', localAddress: '127.0.0.2' });
    socket.write(framed(AXFR));
    await until(() => running === MAX_PER_CLIENT + 1, 'the other client served', PATIENCE_MS);
    socket.resetAndDestroy();
    for (const client of kept) client.socket.resetAndDestroy();
    await until(() => running === 0, 'all ended', PATIENCE_MS);
    answer = async function* () {
      yield numbered(3);
    };
    const again = open();
    again.socket.write(framed(AXFR));
    assert.is(numberOf((await again.answers(1))[0]), 3);
    assert.is(maxRunning, MAX_PER_CLIENT + 1);
  });

  test('a flood over UDP is limited, and queries are answered meanwhile', async ({ served }) => {
    let running = 0;
    let most = 0;
    answer = async function* () {
      most = Math.max(most, ++running);
      await new Promise((done) => setTimeout(done, 50));
      running--;
      yield numbered(0);
    };
    const flood = await UdpClient.connect(served.port);
    const client = await UdpClient.connect(served.port);
    for (let i = 0; i < 5000; i++) flood.send(AXFR);
    for (let i = 0; i < 50; i++) assert.is(byteOf(await client.query(ask(`host${i}`, { id: i }))), i);
    await until(() => running === 0, 'all ended', PATIENCE_MS);
    assert.ok(most <= MAX_PER_CLIENT, `${most} concurrent requests`);
    flood.close();
    client.close();
  });

  for (const [allow, taken] of [
    [false, 1],
    [['127.0.0.0/8'], 20],
  ] as const)
    test(`over UDP, beyond the rate of a network: TC and never silence, exempt: ${allow}`, async () => {
      let answers = 0;
      const limited = await serve({
        transport,
        // A token returns after one second.
        deferredUdp: { rate: 1, allow },
        async *answerDeferred({ message }) {
          answers++;
          const response = message.slice(0, 12);
          response[2] |= 0x80;
          response.fill(0, 4);
          yield response;
        },
      });
      const client = await UdpClient.connect(limited.port);
      const responses: Message[] = [];
      for (let id = 0; id < 20; id++) {
        const message = (id % 2 === 0 ? UPDATE : AXFR).slice();
        message[1] = id;
        const response = await client.query(message);
        assert.is.not(response, null, `${id} is answered`);
        responses.push(decodeMessage(response ?? new Uint8Array()));
      }
      client.close();
      await limited.stop();
      const whole = responses.filter(({ header }) => !header.tc);
      assert.is(whole.length, answers);
      // On a slow machine, more tokens return.
      assert.ok(whole.length >= taken, `${whole.length} complete`);
      if (allow === false) assert.ok(whole.length < 20, 'some are beyond the rate');
      // A client that checks only the code must not treat a truncated UPDATE as done.
      for (const [id, { rcode, header }] of responses.entries())
        if (header.tc) assert.is(rcode, id % 2 === 0 ? RCODE.SERVFAIL : RCODE.NOERROR);
    });

  test('over UDP, a message with a valid signature does not count towards the rate', async () => {
    let isGood = true;
    const limited = await serve({
      transport,
      deferredUdp: { rate: 1, allow: false },
      async *answerDeferred({ message, verified }) {
        if (isGood) verified?.();
        const response = message.slice(0, 12);
        response[2] |= 0x80;
        response.fill(0, 4);
        yield response;
      },
    });
    const client = await UdpClient.connect(limited.port);
    const truncated = async (id: number): Promise<boolean> => {
      const message = UPDATE.slice();
      message[1] = id;
      return decodeMessage((await client.query(message))!).header.tc;
    };
    for (let id = 0; id < 20; id++) assert.not(await truncated(id), `${id}`);
    isGood = false;
    let refused = 0;
    for (let id = 20; id < 40; id++) if (await truncated(id)) refused++;
    assert.ok(refused > 0, 'some are beyond the rate');
    client.close();
    await limited.stop();
  });

  test('the DNS thread refuses an unsigned UPDATE, which never reaches the main thread', async ({ served }) => {
    answer = async function* () {
      yield numbered(7);
    };
    const client = open();
    client.socket.write(framed(UNSIGNED, UPDATE));
    const [refused, answered] = await client.answers(2);
    const head = [...UNSIGNED.subarray(0, 2), 0xa8, RCODE.REFUSED, 0, 1, 0, 0, 0, 0, 0, 0];
    assert.equal([...refused], [...head, ...UNSIGNED.subarray(12)]);
    assert.is(numberOf(answered), 7);
    const udp = await UdpClient.connect(served.port);
    assert.is((await udp.query(UNSIGNED))![3] & 15, RCODE.REFUSED);
    udp.close();
    assert.equal(
      requests.map(({ message }) => Buffer.from(message).toString('hex')),
      [Buffer.from(UPDATE).toString('hex')],
    );
  });

  test('the requests of a dead thread are cancelled', async ({ served }) => {
    answer = async function* ({ cancelled }) {
      await once(cancelled, 'abort');
      yield numbered(0);
    };
    const client = open();
    client.socket.write(framed(AXFR));
    await until(() => requests.length === 1, 'the request', PATIENCE_MS);
    void served.threads.get('tcp')!.terminate();
    await until(() => requests[0].cancelled.aborted, 'the end of the request', PATIENCE_MS);
    await client.cut();
    await until(() => served.listening, 'a new thread', PATIENCE_MS);
    const next = open();
    next.socket.write(framed(ask('host5')));
    assert.is(byteOf((await next.answers(1))[0]), 5);
  });

  test('without a handler: REFUSED, and NOTIMP for UPDATE', async () => {
    const served = await serve({ transport });
    try {
      const client = new StreamClient(served.port);
      client.socket.write(framed(AXFR, UPDATE, ask('host6')));
      const responses = await client.answers(3);
      assert.equal(
        responses.map((response) => response[3] & 15),
        [RCODE.REFUSED, RCODE.NOTIMP, RCODE.NOERROR],
      );
      client.socket.destroy();
      const udp = await UdpClient.connect(served.port);
      assert.is((await udp.query(AXFR))![3] & 15, RCODE.REFUSED);
      assert.is((await udp.query(UPDATE))![3] & 15, RCODE.NOTIMP);
      udp.close();
    } finally {
      await served.stop();
    }
  });

  test.run();
}
