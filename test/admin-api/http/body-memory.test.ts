/** Memory of bodies and of unread responses is bounded, and a client leaves room for others. */
import { once } from 'node:events';
import { connect, type Socket } from 'node:net';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { BodyMemory, Charge, holderAt } from '../../../admin-api/http/body-memory.ts';
import { errorResponse } from '../../../admin-api/http/errors.ts';
import type { Handler, Listening } from '../../../admin-api/http/transport.ts';
import { depth } from '../../support/depth.ts';
import fc from '../../support/fc.ts';
import { SEED } from '../../support/seed.ts';
import { until } from '../../support/until.ts';
import { forEachTransport, type Make, OPTIONS } from './transports.ts';

const unit = suite('shares of memory');

unit('a holder gets no more than it leaves for others', () => {
  const memory = new BodyMemory(1200);
  assert.not(memory.take('a', 601));
  assert.ok(memory.take('a', 600));
  assert.not(memory.take('a', 1));
  assert.ok(memory.take('b', 300));
  assert.not(memory.take('b', 1));
  assert.ok(memory.take('c', 150));
  memory.release('a', 600);
  assert.ok(memory.take('b', 100));
  assert.is(memory.held, 550);
});

unit('the networks of one /48 are one holder', () => {
  assert.is(holderAt('2001:db8:0:1::1'), holderAt('2001:db8:0:2::1'));
  assert.is.not(holderAt('192.0.2.1'), holderAt('192.0.2.2'));
});

unit('generated: the limit holds, a newcomer always has room, and all is given back', () => {
  const step = fc.record({
    holder: fc.constantFrom('a', 'b', 'c', 'd'),
    bytes: fc.integer({ min: 1, max: 400 }),
    ends: fc.boolean(),
  });
  fc.assert(
    fc.property(fc.array(step, { maxLength: 60 }), (steps) => {
      const memory = new BodyMemory(1000);
      const charges = new Map<string, Charge>();
      for (const { holder, bytes, ends } of steps) {
        const charge = charges.get(holder) ?? new Charge(memory, holder);
        charges.set(holder, charge);
        charge.take(bytes);
        if (ends) {
          charge.end();
          charges.delete(holder);
        }
        assert.ok(memory.held <= 1000);
        // Each of four holders leaves half of what was free; half of that is a newcomer's.
        const newcomer = new Charge(memory, 'newcomer');
        assert.ok(newcomer.take(30), `${memory.held} held`);
        newcomer.end();
      }
      for (const charge of charges.values()) charge.end();
      assert.is(memory.held, 0);
    }),
    { seed: SEED, numRuns: depth({ quick: 200, moderate: 1000, full: 10_000 }) },
  );
});

unit.run();

const LIMIT = 1 << 20;
const BODY = 200_000;
const LONG = 16 << 20;

const handler: Handler = async (request) => {
  try {
    if (request.path === '/long') return { status: 200, headers: {}, body: Buffer.alloc(LONG, 'x') };
    const { length } = await request.body(LIMIT);
    return { status: 200, headers: {}, body: String(length) };
  } catch (error) {
    return errorResponse(error, 'id');
  }
};

interface Client {
  readonly socket: Socket;
  text: string;
}

async function open(port: number, from: string): Promise<Client> {
  const socket = connect({ port, host: '127.0.0.1', localAddress: from });
  const client = { socket, text: '' };
  socket.on('error', () => {});
  await once(socket, 'connect');
  return client;
}

function receive(client: Client): void {
  client.socket.on('data', (chunk: Buffer) => (client.text += chunk.toString('latin1')));
}

const put = (length: number, bytes: number): string =>
  `PUT / HTTP/1.1\r\nHost: localhost\r\nContent-Length: ${length}\r\n\r\n${'x'.repeat(bytes)}`;

function contract(make: Make, name: string): void {
  const test = suite(`memory of bodies, ${name}`);
  // The bodies below last until their clients leave.
  const timeouts = { ...OPTIONS.timeouts, body: 600_000, write: 600_000 };

  const withServer = async (memory: BodyMemory, work: (port: number) => Promise<void>): Promise<void> => {
    const listening: Listening = await make({ timeouts, memory }).listen({ address: '127.0.0.1', port: 0 }, handler);
    try {
      await work(listening.port);
      await until(
        () => memory.held === 0,
        () => `${memory.held} bytes are still charged`,
      );
    } finally {
      await listening.close();
    }
  };

  test('unfinished bodies of one client have half; the next one is 503 busy, and others are served', async () => {
    const memory = new BodyMemory(LIMIT);
    await withServer(memory, async (port) => {
      const flood: Client[] = [];
      for (let i = 0; i < 12; i++) {
        const client = await open(port, '127.0.0.9');
        receive(client);
        client.socket.write(put(BODY + 1, BODY));
        flood.push(client);
      }
      await until(() => flood.some(({ text }) => text.includes('"busy"')));
      const [refused] = flood.filter(({ text }) => text.includes('"busy"'));
      assert.match(refused.text, /^HTTP\/1\.1 503 /);
      assert.match(refused.text, /retry-after: 5\r\n/i);
      assert.ok(memory.held <= LIMIT / 2);
      const other = await open(port, '127.0.0.3');
      receive(other);
      other.socket.write(put(BODY, BODY));
      await until(() => other.text.endsWith(String(BODY)));
      for (const { socket } of [...flood, other]) socket.destroy();
    });
  });

  test('unread responses of one client have half; further ones are cut, and others are served', async () => {
    const memory = new BodyMemory(4 * LONG);
    await withServer(memory, async (port) => {
      const flood: Client[] = [];
      let cut = 0;
      for (let i = 0; i < 8; i++) {
        const client = await open(port, '127.0.0.9');
        client.socket.once('close', () => cut++);
        client.socket.pause();
        client.socket.write('GET /long HTTP/1.1\r\nHost: localhost\r\n\r\n');
        flood.push(client);
      }
      await until(() => memory.held > LONG);
      assert.ok(memory.held <= 2 * LONG);
      const other = await open(port, '127.0.0.3');
      let received = 0;
      other.socket.on('data', (chunk: Buffer) => (received += chunk.length));
      other.socket.write('GET /long HTTP/1.1\r\nHost: localhost\r\n\r\n');
      await until(() => received > LONG);
      // A client that reads sees the end of the connection in place of the rest.
      for (const { socket } of flood) socket.resume();
      await until(() => cut > 0 || memory.held === 0);
      for (const { socket } of [...flood, other]) socket.destroy();
    });
  });

  test.run();
}

await forEachTransport(contract);
