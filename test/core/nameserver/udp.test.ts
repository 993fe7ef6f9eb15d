/** UDP over both transports: responses, their source address, and their size. */
import { createSocket, type Socket } from 'node:dgram';
import { once } from 'node:events';
import { setTimeout as sleep } from 'node:timers/promises';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import type { ListenAddress } from '../../../core/config/index.ts';
import { RCODE, TYPE } from '../../../core/dns/wire/types.ts';
import { queryAll, UdpClient } from '../../support/dns-client.ts';
import { decodeMessage } from '../../support/message.ts';
import { freePort } from '../../support/ports.ts';
import { Random } from '../../support/random.ts';
import { ask, byteOf, type Served, serve, UDP_PAYLOAD, V4, V6 } from './fixture.ts';

const REPLY_MS = 2000;

/** Queries from a connected socket, which receives only replies from the queried address. */
async function askAt(address: string, port: number, packet: Uint8Array): Promise<Uint8Array | null> {
  const socket = await connected(address, port);
  try {
    for (let attempt = 0; attempt < 3; attempt++) {
      socket.send(packet);
      const [reply] = (await Promise.race([once(socket, 'message'), sleep(REPLY_MS, [null])])) as [Buffer | null];
      if (reply !== null) return new Uint8Array(reply);
    }
    return null;
  } finally {
    socket.close();
  }
}

async function connected(address: string, port: number): Promise<Socket> {
  const socket = createSocket({ type: address.includes(':') ? 'udp6' : 'udp4', recvBufferSize: 1 << 20 });
  socket.connect(port, address);
  await once(socket, 'connect');
  return socket;
}

for (const transport of ['batch', 'portable'] as const) {
  const test = suite<{ served: Served; client: UdpClient }>(`UDP, ${transport}`);

  test.before(async (context) => {
    context.served = await serve({ transport, listen: [V4, V6], workers: 2 });
    context.client = await UdpClient.connect(context.served.port);
  });
  test.after(async ({ served, client }) => {
    client.close();
    await served.stop();
    assert.is(
      served.log.find((line) => line.includes('exception')),
      undefined,
    );
  });

  test('IPv4 and IPv6', async ({ served }) => {
    assert.is(served.transport, transport);
    const [four, six] = served.listen;
    assert.is(byteOf(await askAt('127.0.0.1', four.port, ask('host4'))), 4);
    assert.is(byteOf(await askAt('::1', six.port, ask('host6'))), 6);
  });

  test('a thousand concurrent queries are all answered correctly', async ({ client }) => {
    const packets = Array.from({ length: 1000 }, (_, id) => ask(`host${id % 100}`, { id }));
    const responses = await queryAll(client, packets, 1000);
    assert.equal(
      responses.map(byteOf),
      packets.map((_, id) => id % 100),
    );
  });

  test('the response keeps the case of the question', async ({ client }) => {
    const packet = ask('HoSt7', { id: 7 });
    const response = await client.query(packet);
    assert.is(byteOf(response), 7);
    assert.equal(decodeMessage(response!).question, packet.slice(12));
    assert.equal(response!.slice(response!.length - 16, response!.length - 14), Uint8Array.of(0xc0, 12));
  });

  const sizes: readonly [what: string, name: string, edns: number | undefined, truncated: boolean][] = [
    ['512 without EDNS', 'medium', undefined, true],
    ['size 0 counts as 512', 'medium', 0, true],
    ['511 counts as 512', 'medium', 511, true],
    ['512', 'medium', 512, true],
    ['4,096', 'medium', 4096, false],
    ['the configured size is the maximum', 'long', 65_535, true],
  ];
  for (const [what, name, edns, truncated] of sizes)
    test(`EDNS size: ${what}`, async ({ client }) => {
      const response = (await client.query(ask(name, { type: TYPE.TXT, id: 9, edns })))!;
      const message = decodeMessage(response);
      assert.is(message.rcode, RCODE.NOERROR);
      assert.is(message.header.tc, truncated);
      assert.is(message.answer.length, truncated ? 0 : 8);
      assert.is(message.opt?.size, edns === undefined ? undefined : UDP_PAYLOAD);
      assert.ok(response.length <= Math.min(Math.max(edns ?? 512, 512), UDP_PAYLOAD));
    });

  for (const size of [1600, 1601, 2000, 4096])
    test(`a request of ${size} bytes is answered`, async ({ client }) => {
      const plain = ask('host7', { id: 7, edns: 1232 });
      // An option for private use (RFC 6891 9), which is ignored.
      const option = new Uint8Array(size - plain.length);
      new DataView(option.buffer).setUint16(0, 65_001);
      new DataView(option.buffer).setUint16(2, option.length - 4);
      const packet = Uint8Array.from([...plain, ...option]);
      new DataView(packet.buffer).setUint16(plain.length - 2, option.length);
      assert.is(byteOf(await client.query(packet)), 7);
    });

  test('among malformed packets, only the valid ones are answered, and correctly', async ({ served }) => {
    const random = new Random(20_211);
    const socket = await connected('127.0.0.1', served.port);
    const replies: Buffer[] = [];
    socket.on('message', (reply) => replies.push(reply));
    const response = ask('host1', { id: 60_001 });
    response[2] |= 0x80;
    const oversize = new Uint8Array(4096);
    oversize.set(ask('host1', { id: 60_002 }));
    // Only the name in the question is damaged, so that the packet cannot look like a response. The
    // response is FORMERR. A packet beyond the slot of a batch gets none.
    const garbage = ask('host1', { id: 60_003 });
    garbage[12] = 0x7f;
    let sent = 0;
    const isAnswered = (): boolean => replies.filter((reply) => reply.readUInt16BE(0) < sent).length >= sent;
    for (let round = 0; round < 10; round++) {
      for (let i = 0; i < 40; i++) {
        const kind = random.below(5);
        if (kind === 0) socket.send(ask(`host${sent % 100}`, { id: sent++ }));
        else if (kind === 1) socket.send(random.bytes(random.below(12)));
        else socket.send([response, oversize, garbage][kind - 2]);
      }
      // The server's buffer holds one round of packets, not all of them.
      for (let waited = 0; waited < 1000 && !isAnswered(); waited++) await sleep(5);
    }
    socket.close();
    const good = replies
      .filter((reply) => reply.readUInt16BE(0) < sent)
      .sort((x, y) => x.readUInt16BE(0) - y.readUInt16BE(0));
    assert.equal(
      good.map((reply) => byteOf(reply)),
      Array.from({ length: sent }, (_, i) => i % 100),
    );
    for (const reply of replies.filter((packet) => packet.readUInt16BE(0) >= sent)) {
      assert.is.not(reply.readUInt16BE(0), 60_001);
      assert.is(decodeMessage(reply).rcode, RCODE.FORMERR);
    }
  });

  test('bound to any address, the source of the reply is the destination of the query', async () => {
    const port = await freePort();
    const listen: ListenAddress[] = [
      { address: '0.0.0.0', port, family: 4 },
      { address: '::', port, family: 6 },
    ];
    const served = await serve({ transport, listen });
    try {
      // 127.0.0.2 is not the address of an interface, so node:dgram cannot receive it as
      // destination.
      const addresses = ['127.0.0.1', '::1', ...(transport === 'batch' ? ['127.0.0.2', '127.0.0.3'] : [])];
      for (const address of addresses) assert.is(byteOf(await askAt(address, port, ask('host5'))), 5, address);
    } finally {
      await served.stop();
    }
  });

  test('several addresses with one port', async () => {
    const port = await freePort();
    const addresses = ['127.0.0.1', '127.0.0.2', '127.0.0.3'];
    const listen = addresses.map((address): ListenAddress => ({ address, port, family: 4 }));
    const served = await serve({ transport, listen });
    try {
      for (const address of addresses) assert.is(byteOf(await askAt(address, port, ask('host6'))), 6, address);
      assert.is(await refused('127.0.0.4', port), true);
    } finally {
      await served.stop();
    }
  });

  test.run();
}

/** Whether the port refuses packets. */
async function refused(address: string, port: number): Promise<boolean> {
  const socket = await connected(address, port);
  const error = once(socket, 'message').then(
    () => false,
    (reason: NodeJS.ErrnoException) => reason.code === 'ECONNREFUSED',
  );
  socket.send(ask('host1'));
  const result = await Promise.race([error, sleep(REPLY_MS, false)]);
  socket.close();
  return result;
}
