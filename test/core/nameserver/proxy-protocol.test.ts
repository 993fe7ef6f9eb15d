/**
 * Headers of the PROXY protocol from trusted proxies, by hand: over UDP and TCP the client that a
 * header states counts, and messages without the header they need are dropped.
 */
import { createSocket, type Socket } from 'node:dgram';
import { once } from 'node:events';
import { connect } from 'node:net';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { RCODE, TYPE } from '../../../core/dns/wire/types.ts';
import { COLUMN } from '../../../core/nameserver/counters.ts';
import { parseAddress } from '../../../core/net/address/index.ts';
import { proxyHeader } from '../../../edge/http/transport/proxy-protocol.ts';
import { decodeMessage } from '../../support/message.ts';
import { until } from '../../support/until.ts';
import { ask, byteOf, LIMITS, type Served, serve, V4 } from './fixture.ts';
import { framed, StreamClient } from './stream-client.ts';

const PROXY = '127.0.0.2';
const TARGET = { address: parseAddress('192.0.2.53')!, port: 53 };
const stating = (client: string): Buffer => proxyHeader('v2', { address: parseAddress(client)!, port: 4711 }, TARGET);
const LOCAL = proxyHeader('v2', null, TARGET);
/** dnsdist states datagrams over UDP, and further fields. */
const asDatagram = (header: Buffer): Buffer => {
  const bytes = Buffer.concat([header, Buffer.of(0xe0, 0, 2, 1, 2)]);
  bytes[13] = (bytes[13] & 0xf0) | 2;
  bytes.writeUInt16BE(bytes.length - 16, 14);
  return bytes;
};
const AXFR = ask('@', { type: TYPE.AXFR, id: 9 });

for (const transport of ['batch', 'portable'] as const) {
  const test = suite<{ served: Served; clients: string[] }>(`PROXY protocol, ${transport}`);

  test.before(async (context) => {
    context.clients = [];
    context.served = await serve({
      transport,
      listen: [V4],
      proxies: [`${PROXY}/32`],
      queryLog: 1,
      tcp: { ...LIMITS, maxPerAddress: 2 },
      transferAllow: ['192.0.2.7/32', '2001:db8::7/128'],
      async *answerDeferred({ message, address }) {
        context.clients.push(address);
        yield message.slice();
      },
    });
  });
  test.after(({ served }) => served.stop());

  const dropped = ({ served }: { served: Served }, over: 'udp' | 'tcp'): number =>
    served.counters.sum(over, COLUMN.badProxyHeader);

  async function datagrams(address: string): Promise<{ socket: Socket; received: Buffer[] }> {
    const socket = createSocket('udp4');
    socket.bind(0, address);
    await once(socket, 'listening');
    const received: Buffer[] = [];
    socket.on('message', (message) => received.push(message));
    return { socket, received };
  }

  const connectFrom = (localAddress: string, port: number): StreamClient =>
    new StreamClient(connect({ port, host: '127.0.0.1', localAddress, allowHalfOpen: true }));

  test('over UDP each datagram has its own client', async (context) => {
    const { socket, received } = await datagrams(PROXY);
    const send = (header: Buffer, id: number) =>
      socket.send(Buffer.concat([header, ask('host1', { id })]), context.served.port, '127.0.0.1');
    send(stating('192.0.2.7'), 1);
    send(asDatagram(stating('2001:db8::7')), 2);
    send(LOCAL, 3);
    await until(() => received.length === 3);
    assert.equal(received.map(byteOf), [1, 1, 1]);
    const lines = () => context.served.log.filter((line) => line.includes('name=host1.'));
    await until(
      () => lines().length === 3,
      () => context.served.log.join(''),
    );
    for (const client of ['192.0.2.7', '2001:db8::7', PROXY])
      assert.ok(
        lines().some((line) => line.includes(`client=${client} `)),
        client,
      );
    socket.close();
  });

  test('a datagram without a valid header is dropped and counted', async (context) => {
    const { socket, received } = await datagrams(PROXY);
    const before = dropped(context, 'udp');
    const header = stating('192.0.2.7');
    const bad = [
      Buffer.alloc(0),
      header.subarray(0, 20),
      Buffer.from(header).fill(0x31, 12, 13),
      Buffer.from(header).fill(0x23, 12, 13),
      Buffer.from(header).fill(0x41, 13, 14),
      Buffer.from('PROXY TCP4 192.0.2.7 192.0.2.53 4711 53\r\n'),
    ];
    for (const start of bad)
      socket.send(
        Buffer.concat([start, start.length === 20 ? Buffer.alloc(0) : ask('host2')]),
        context.served.port,
        '127.0.0.1',
      );
    socket.send(Buffer.concat([header, ask('host3')]), context.served.port, '127.0.0.1');
    await until(() => received.length > 0 && dropped(context, 'udp') === before + bad.length);
    assert.equal(received.map(byteOf), [3]);
    socket.close();
  });

  test('a header from any other client is no header', async (context) => {
    const { socket, received } = await datagrams('127.0.0.1');
    socket.send(Buffer.concat([stating('192.0.2.99'), ask('host4')]), context.served.port, '127.0.0.1');
    socket.send(ask('host5'), context.served.port, '127.0.0.1');
    await until(() => received.some((message) => byteOf(message) === 5));
    assert.not.ok(received.some((message) => byteOf(message) === 4));
    assert.not.ok(context.served.log.some((line) => line.includes('192.0.2.99')));
    const client = connectFrom('127.0.0.1', context.served.port);
    client.socket.write(framed(ask('host6')));
    assert.equal((await client.answers(1)).map(byteOf), [6]);
    client.socket.destroy();
    socket.close();
  });

  test('over TCP the header comes once, in any pieces', async (context) => {
    const client = connectFrom(PROXY, context.served.port);
    const bytes = Buffer.concat([asDatagram(stating('192.0.2.8')), framed(ask('host7'), ask('host8'))]);
    for (let i = 0; i < bytes.length; i += 7) {
      client.socket.write(bytes.subarray(i, i + 7));
      await new Promise(setImmediate);
    }
    assert.equal((await client.answers(2)).map(byteOf), [7, 8]);
    client.socket.write(framed(ask('host9')));
    assert.equal((await client.answers(3)).map(byteOf), [7, 8, 9]);
    const lines = () => context.served.log.filter((line) => /name=host[789]\./.test(line));
    await until(() => lines().length === 3);
    for (const line of lines()) assert.match(line, 'client=192.0.2.8 ');
    client.socket.destroy();
  });

  test('a connection without a valid header is closed and counted', async (context) => {
    const before = dropped(context, 'tcp');
    for (const start of [framed(ask('host10')), Buffer.from(stating('192.0.2.8')).fill(0x41, 13, 14)]) {
      const client = connectFrom(PROXY, context.served.port);
      client.socket.write(Buffer.concat([start, framed(ask('host10'))]));
      await client.cut();
      assert.is(client.responses.length, 0);
      client.socket.destroy();
    }
    await until(() => dropped(context, 'tcp') === before + 2);
  });

  test('connections count for the stated client', async ({ served }) => {
    const open = (client: string): StreamClient => {
      const stream = connectFrom(PROXY, served.port);
      stream.socket.write(Buffer.concat([stating(client), framed(ask('host11'))]));
      return stream;
    };
    const streams = [];
    for (const client of ['192.0.2.21', '192.0.2.21', '192.0.2.22', '192.0.2.22', '192.0.2.23']) {
      const stream = open(client);
      await stream.answers(1);
      streams.push(stream);
    }
    const refused = open('192.0.2.21');
    await refused.cut();
    assert.is(refused.responses.length, 0);
    for (const { socket } of [...streams, refused]) socket.destroy();
  });

  test('access lists hold for the stated client', async (context) => {
    const transfer = async (header: Buffer): Promise<Uint8Array> => {
      const client = connectFrom(PROXY, context.served.port);
      client.socket.write(Buffer.concat([header, framed(AXFR)]));
      const [response] = await client.answers(1);
      client.socket.destroy();
      return response;
    };
    assert.is(decodeMessage(await transfer(stating('192.0.2.9'))).rcode, RCODE.REFUSED);
    assert.is(decodeMessage(await transfer(LOCAL)).rcode, RCODE.REFUSED);
    context.clients.length = 0;
    await transfer(stating('192.0.2.7'));
    await transfer(stating('2001:db8::7'));
    assert.equal(context.clients, ['192.0.2.7', '2001:db8::7']);
  });

  test.run();
}
