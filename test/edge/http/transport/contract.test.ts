/**
 * What each Transport promises (edge/http/transport/transport.ts): TCP and TLS over sockets of
 * Node.js, and TLS of edge/http/tls. HTTP/1.1 and HTTP/2 know no more of a connection.
 */
import { createHash } from 'node:crypto';
import { once } from 'node:events';
import { type AddressInfo, connect, createServer, type Socket } from 'node:net';
import { connect as connectTls, type SecureVersion, TLSSocket } from 'node:tls';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { DescriptorLoop } from '../../../../core/os/descriptor-loop.ts';
import { loadLibc } from '../../../../core/os/libc.ts';
import { nextTicketKeys } from '../../../../core/site/tls/ticket-keys.ts';
import { TlsLoop } from '../../../../edge/http/tls/loop.ts';
import { clearPlaces, sharePlaces } from '../../../../edge/http/tls/places.ts';
import { SocketTransport, type Transport, type TransportReceiver } from '../../../../edge/http/transport/transport.ts';
import { certificate, ecKey, pemOfKey } from '../../../support/certificate.ts';
import { freePort } from '../../../support/ports.ts';
import { unverified } from '../../../support/tls-client.ts';
import { until } from '../../../support/until.ts';

const test = suite('edge/http/transport/contract');
const HOST = 'a.test';
const key = ecKey();
const pem = { key: pemOfKey(key), cert: certificate({ name: HOST, key, dnsNames: [HOST] }) };
/** Bytes of writes: about one record, about what is put together of several, and large. */
const SIZES = [1, 16_384, 16_385, 32_768, 65_535, 65_536, 65_537, 70_000, 131_072, 131_073, 1_000_000];
/** Bytes that no buffers of a pair of sockets take. */
const LARGE = 16 << 20;

/** The server's side, and what its receiver hears. */
class Near implements TransportReceiver {
  readonly transport: Transport;
  received = '';
  ends = 0;
  closes = 0;
  onReceived = (): void => {};

  constructor(transport: Transport) {
    this.transport = transport;
    transport.start(this);
  }

  onBytes(bytes: Buffer): void {
    assert.is(this.closes, 0);
    this.received += bytes.toString('latin1');
    this.onReceived();
  }

  onEnd(): void {
    this.ends++;
  }

  onClose(): void {
    this.closes++;
  }
}

interface Server {
  /** Opens a connection. */
  dial(version?: SecureVersion): Promise<{ readonly near: Near; readonly far: Socket }>;
  stop(): Promise<void>;
}

async function dialTls(port: number, maxVersion: SecureVersion = 'TLSv1.3'): Promise<TLSSocket> {
  const options = { port, host: '127.0.0.1', servername: HOST, ALPNProtocols: ['h2'], allowHalfOpen: true, maxVersion };
  const socket = connectTls(unverified(options));
  await once(socket, 'secureConnect');
  return socket;
}

/** A server of Node.js, as edge/http/server/connection.ts uses it. */
async function startNode(isTls: boolean): Promise<Server> {
  const nears: Near[] = [];
  const server = createServer({ allowHalfOpen: true }, (raw) => {
    raw.on('error', () => {});
    if (!isTls) {
      nears.push(new Near(new SocketTransport(raw)));
      return;
    }
    const tls = new TLSSocket(raw, { isServer: true, ...pem, ALPNProtocols: ['h2'] });
    tls.on('error', () => {});
    tls.once('secure', () => nears.push(new Near(new SocketTransport(tls))));
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  return {
    dial: async (version) => {
      const far = isTls ? await dialTls(port, version) : connect({ port, host: '127.0.0.1', allowHalfOpen: true });
      far.on('error', () => {});
      return { near: await lastOf(nears), far };
    },
    stop: async () => void server.close(),
  };
}

async function startNative(): Promise<Server> {
  const places = sharePlaces(100, 100);
  const nears: Near[] = [];
  const descriptors = new DescriptorLoop(places.fds);
  const loop = new TlsLoop({
    loop: descriptors,
    places,
    ticketLifetime: 3600,
    tickets: nextTicketKeys(null),
    accept: () => ({
      policy: null,
      awaitsProxyHeader: false,
      admitSource: () => true,
      share: null,
      begun: () => {},
      admit: () => true,
      certificateFor: () => pem,
      certificateFailed: assert.unreachable,
      handOver: () => assert.unreachable(),
      secured: (connection) => nears.push(new Near(connection)),
      failed: () => {},
      closed: () => {},
    }),
  });
  const port = await freePort();
  loop.listen(loadLibc().openTcp({ address: '127.0.0.1', family: 4, port }, { sharesPort: false }));
  return {
    dial: async (version) => {
      const far = await dialTls(port, version);
      far.on('error', () => {});
      return { near: await lastOf(nears), far };
    },
    stop: async () => {
      await until(() => loop.open === 0, 'all are closed');
      loop.close();
      descriptors.close();
      assert.is(clearPlaces(places), 0, 'nothing of the system is left');
    },
  };
}

/** Connections are opened one at a time. */
async function lastOf(nears: Near[]): Promise<Near> {
  await until(() => nears.length > 0, 'the connection is here');
  return nears.pop() as Near;
}

const settle = async (): Promise<void> => {
  for (let i = 0; i < 20; i++) await new Promise((done) => setImmediate(done));
};

const KINDS: Readonly<Record<string, () => Promise<Server>>> = {
  'TCP by Node.js': () => startNode(false),
  'TLS by node:tls': () => startNode(true),
  'TLS by edge/http/tls': startNative,
};

for (const [kind, start] of Object.entries(KINDS)) {
  const isTls = kind !== 'TCP by Node.js';

  /** One connection. */
  const connected = async (use: (near: Near, far: Socket) => Promise<void>, version?: SecureVersion): Promise<void> => {
    const server = await start();
    const { near, far } = await server.dial(version);
    try {
      await use(near, far);
    } finally {
      near.transport.destroy();
      far.destroy();
      await until(() => near.closes === 1, 'it is closed once');
      await server.stop();
      await settle();
      assert.is(near.closes, 1, 'and not again');
    }
  };

  test(`${kind}: bytes, then the end, once each and in order`, () =>
    connected(async (near, far) => {
      far.resume();
      let sent = '';
      for (let i = 0; i < 200; i++) {
        const part = `${i},`.repeat(1 + (i % 7) * 300);
        sent += part;
        far.write(part);
      }
      far.end();
      await until(() => near.ends === 1, 'the end is here');
      assert.ok(near.received === sent);
      assert.is(near.closes, 0, 'this side is still open');
      near.transport.end();
      await once(far, 'close');
    }));

  test(`${kind}: nothing is delivered while it is paused, nor lost`, () =>
    connected(async (near, far) => {
      let pauses = 0;
      near.onReceived = () => {
        if (pauses++ === 0) near.transport.pause();
      };
      far.write('a');
      await until(() => near.received === 'a', 'it is paused');
      far.write('b'.repeat(300_000));
      far.end();
      await settle();
      assert.is(near.received, 'a');
      assert.is(near.ends, 0);
      near.transport.resume();
      await until(() => near.ends === 1, 'the end is here');
      assert.is(near.received.length, 300_001);
    }));

  test(`${kind}: a receiver that pauses at each part gets all of them, though no more comes`, () =>
    connected(async (near, far) => {
      near.onReceived = () => {
        near.transport.pause();
        setImmediate(() => near.transport.resume());
      };
      const sent = Array.from({ length: 400_000 }, (_, i) => String.fromCharCode(33 + (i % 89))).join('');
      far.write(sent, 'latin1');
      await until(() => near.received.length === sent.length, 'all is here');
      assert.ok(near.received === sent);
    }));

  for (const version of isTls ? (['TLSv1.2', 'TLSv1.3'] as const) : (['TLSv1.3'] as const))
    test(`${kind}: writes of all sizes arrive, with the end behind them (${version})`, () =>
      connected(async (near, far) => {
        const [expected, hash] = [createHash('sha256'), createHash('sha256')];
        let taken = 0;
        far.on('data', (part: Buffer) => {
          taken += part.length;
          hash.update(part);
          if (taken % 7 !== 0) return;
          far.pause();
          setTimeout(() => far.resume(), 5);
        });
        for (const [i, size] of [...SIZES, ...SIZES.toReversed()].entries()) {
          const bytes = Buffer.alloc(size, `write ${i}, `);
          expected.update(bytes);
          let isDuring = true;
          await new Promise<void>((done, fail) => {
            near.transport.write(bytes, (error) => {
              if (error || isDuring) fail(error ?? new Error('done was called during the call'));
              else done();
            });
            isDuring = false;
          });
          assert.is(near.transport.unsent, 0);
        }
        near.transport.end();
        await once(far, 'end'); // without an error: close_notify has come
        assert.is(hash.digest('hex'), expected.digest('hex'));
      }, version));

  test(`${kind}: what has not left of a write falls to 0 as the client reads`, () =>
    connected(async (near, far) => {
      far.pause();
      assert.is(near.transport.unsent, 0);
      let isDone = false;
      near.transport.write(Buffer.alloc(LARGE), () => {
        isDone = true;
      });
      await settle();
      let least = near.transport.unsent;
      assert.ok(least > 0, 'the client reads nothing');
      far.resume();
      await until(() => {
        assert.ok(near.transport.unsent <= least, 'it only falls');
        least = near.transport.unsent;
        return isDone;
      }, 'all is sent');
      assert.is(near.transport.unsent, 0);
    }));

  for (const side of ['the client', 'the server'] as const)
    test(`${kind}: ${side} breaks off amid a write: it is done once, and the connection closes once`, () =>
      connected(async (near, far) => {
        far.pause();
        let done = 0;
        near.transport.write(Buffer.alloc(LARGE), () => {
          done++;
        });
        await settle();
        assert.is(done, 0);
        if (side === 'the client') far.destroy();
        else near.transport.destroy();
        await until(() => near.closes === 1 && done === 1, 'it is closed');
        await settle();
        assert.is(done, 1);
      }));

  test(`${kind}: the end waits for the write, and after it the client is still heard`, () =>
    connected(async (near, far) => {
      let taken = 0;
      const end = once(far, 'end');
      far.on('data', (part: Buffer) => {
        taken += part.length;
      });
      near.transport.write(Buffer.alloc(LARGE), () => {});
      near.transport.end();
      await end;
      assert.is(taken, LARGE);
      far.end('still here');
      await until(() => near.received === 'still here', 'it is heard');
    }));

  test(`${kind}: a closed one accepts all calls, and its writes fail later`, () =>
    connected(async (near, far) => {
      far.destroy();
      near.transport.destroy();
      await until(() => near.closes === 1, 'it is closed');
      const { transport } = near;
      transport.pause();
      transport.resume();
      transport.end();
      transport.destroy();
      let isDuring = true;
      const outcome = new Promise((done) =>
        transport.write(Buffer.from('late'), (error) => done(error instanceof Error && !isDuring)),
      );
      isDuring = false;
      assert.is(await outcome, true);
      assert.is(transport.unacknowledged, 0);
    }));
}

test.run();
