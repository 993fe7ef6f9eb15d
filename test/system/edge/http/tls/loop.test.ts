/**
 * Connections that come and go in every way: nothing of the system or of OpenSSL stays, and the
 * next client is served.
 */

import { once } from 'node:events';
import { readdirSync } from 'node:fs';
import { connect as connectHttp2 } from 'node:http2';
import { type AddressInfo, connect, createServer } from 'node:net';
import { connect as connectTls } from 'node:tls';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { DescriptorLoop } from '../../../../../core/os/descriptor-loop.ts';
import type { Exchange } from '../../../../../edge/http/exchange/exchange.ts';
import { sharePlaces } from '../../../../../edge/http/tls/places.ts';
import { dial, dialTls, getHttp2, HOST, type Rig, withServer } from '../../../../edge/http/server/rig.ts';
import { depth } from '../../../../support/depth.ts';
import { until } from '../../../../support/until.ts';
import { startHost } from '../../host/host.ts';

const test = suite('edge/http/tls/loop');
const WAVES = depth({ quick: 4, moderate: 4, full: 12 });
/** Waves after those at most, until one adds no memory: under load, V8 collects late. */
const MORE_WAVES = 8;
const WAVE = 2000;
/** Bytes of a response that no socket's buffers take. */
const LARGE = 32 << 20;

const allClosed = ({ counters }: Rig): boolean => counters.get('closed') === counters.get('accepted_tls');

/** A server between a client and this one, that cuts what the client says after so many bytes. */
async function cutHandshake(port: number, bytes: number, how: 'end' | 'reset'): Promise<void> {
  const relay = createServer((near) => {
    const far = connect(port, '127.0.0.1');
    let left = bytes;
    const over = (): void => {
      if (how === 'end') far.end();
      else far.resetAndDestroy();
      near.destroy();
    };
    near.on('error', () => {});
    far.on('error', () => near.destroy());
    far.on('close', () => near.destroy());
    near.on('close', () => {
      if (left > 0) far.destroy();
    });
    far.on('data', (part: Buffer) => near.write(part));
    near.on('data', (part: Buffer) => {
      const now = part.subarray(0, left);
      left -= now.length;
      far.write(now, () => {
        if (left === 0) over();
      });
    });
  });
  relay.listen(0, '127.0.0.1');
  await once(relay, 'listening');
  const { port: relayPort } = relay.address() as AddressInfo;
  await dialTls(relayPort, { ALPNProtocols: ['h2'] }).then(
    (socket) => socket.destroy(), // it needed less
    () => {},
  );
  relay.close();
}

test('an unsupported event loop is reported, and nothing is allocated', () => {
  const { versions } = process;
  const descriptors = (): number => readdirSync('/proc/self/fd').length;
  const before = descriptors();
  const create = (): DescriptorLoop => new DescriptorLoop(sharePlaces(1, 1).fds);
  Object.defineProperty(process, 'versions', { value: { ...versions, uv: '2.0.0' }, configurable: true });
  try {
    for (let i = 0; i < 5; i++) assert.throws(create, /libuv 1 is required, but this is 2\.0\.0/);
  } finally {
    Object.defineProperty(process, 'versions', { value: versions, configurable: true });
  }
  assert.is(descriptors(), before);
  create().close();
});

test('handshakes that are aborted anywhere, by an end or a reset', async () => {
  await withServer(async (rig) => {
    for (let bytes = 1; bytes < 700; bytes += 23)
      for (const how of ['end', 'reset'] as const) await cutHandshake(rig.tlsPort, bytes, how);
    await until(() => allClosed(rig), 'all are closed');
    assert.ok(rig.counters.get('handshake_failed') > 20);
    assert.is((await getHttp2(`https://${HOST}`, rig.tlsPort)).status, 200);
  });
});

test('a ClientHello that comes a byte at a time is served', async () => {
  await withServer(async ({ tlsPort, counters }) => {
    const relay = createServer((near) => {
      const far = connect(tlsPort, '127.0.0.1');
      far.setNoDelay(true);
      far.on('data', (part: Buffer) => near.write(part));
      let last: Promise<void> = Promise.resolve();
      near.on('data', (part: Buffer) => {
        last = last.then(async () => {
          for (const byte of part) {
            await new Promise((done) => far.write(Buffer.of(byte), done));
            await new Promise((done) => setImmediate(done));
          }
        });
      });
      near.on('close', () => far.destroy());
    });
    relay.listen(0, '127.0.0.1');
    await once(relay, 'listening');
    const { port } = relay.address() as AddressInfo;
    assert.is((await getHttp2(`https://${HOST}`, port)).body, 'hello');
    assert.is(counters.get('http2'), 1);
    relay.close();
  });
});

test('a client that disconnects within a body', async () => {
  const body = Buffer.alloc(LARGE);
  const handler = (exchange: Exchange): void => {
    exchange.respond(200, []);
    exchange.write(body);
    exchange.end();
  };
  await withServer(
    async (rig) => {
      for (let i = 0; i < 10; i++) {
        const raw = await dial(rig.tlsPort);
        const socket = connectTls({ socket: raw, servername: HOST, rejectUnauthorized: false, ALPNProtocols: ['h2'] });
        socket.on('error', () => {});
        await once(socket, 'secureConnect');
        const session = connectHttp2(`https://${HOST}`, { createConnection: () => socket });
        session.on('error', () => {});
        const request = session.request({ ':path': '/' });
        request.on('error', () => {});
        await once(request, 'response');
        if (i % 2 === 0) raw.resetAndDestroy();
        else raw.destroy();
      }
      await until(() => allClosed(rig), 'all are closed');
    },
    { handler },
  );
});

test('thousands of connections that are opened, served and closed leak no memory', async () => {
  const host = await startHost();
  const wave = async (count: number): Promise<void> => {
    for (let i = 0; i < count; i += 20)
      await Promise.all(
        Array.from({ length: 20 }, async (_, k) => {
          const raw = await dial(host.tlsPort);
          const socket = await dialTls(0, { socket: raw, servername: 'localhost', ALPNProtocols: ['h2'] });
          if (k % 4 === 0) socket.destroy();
          else if (k % 4 === 1) socket.end();
          else if (k % 4 === 2) socket.end('this is no preface of HTTP/2, and the session ends');
          else raw.resetAndDestroy();
          socket.resume();
          if (!socket.closed) await once(socket, 'close');
        }),
      );
    await host.until('all are closed', ({ connections }) => connections === 0);
  };
  try {
    const memory: number[] = [];
    let growth: number[] = [];
    const isGrowing = (): boolean => growth.every((megabytes) => megabytes >= 2);
    while (memory.length < WAVES || (isGrowing() && memory.length < WAVES + MORE_WAVES)) {
      await wave(WAVE);
      memory.push(await host.memoryAtRest());
      growth = memory.slice(1).map((after, index) => after - memory[index]);
    }
    const { server_accepted_tls, server_http2 } = await host.counters();
    assert.is(server_accepted_tls, memory.length * WAVE);
    // Of those that break off at once, some are gone before the end of the handshake.
    assert.ok(server_http2 >= (memory.length * WAVE) / 3, String(server_http2));
    // An SSL object alone is some 5 KB: 10 MB of each wave, 2.5 of each way to end. What the
    // allocator and V8 keep does not grow with each.
    assert.not(isGrowing(), `MB: ${memory.map((figure) => figure.toFixed(1))}`);
  } finally {
    await host.stop();
  }
});

test.run();
