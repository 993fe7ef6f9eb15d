/** Connections of strangers to the peer port, next to those of members. */
import { type AddressInfo, connect, Socket } from 'node:net';
import { connect as connectTls } from 'node:tls';
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import {
  HANDSHAKE_BURST,
  MAX_PENDING,
  MAX_PENDING_OF_MEMBERS,
  MAX_PER_MEMBER,
  PeerAdmission,
} from '../../../core/cluster/peer-admission.ts';
import { PeerServer, type PeerServerOptions } from '../../../core/cluster/peer-server.ts';
import type { PeerTls } from '../../../core/cluster/peer-tls.ts';
import { SnapshotSender } from '../../../core/cluster/snapshot.ts';
import { certificate, ecKey, pemOfKey } from '../../support/certificate.ts';
import { removeFolder, temporaryFolder } from '../../support/temp.ts';
import { until } from '../../support/until.ts';

const authority = { name: 'authority.cluster.test', key: ecKey() };
const ca = certificate({ ...authority, ca: true });

function tlsOf(name: string): PeerTls {
  const key = ecKey();
  return { ca, certificate: certificate({ name, key, issuer: authority, dnsNames: [name] }), key: pemOfKey(key) };
}

const own = tlsOf('a');
const member = tlsOf('b');
const removed = tlsOf('removed');

const ends: (() => unknown)[] = [];
test.after.each(async () => {
  for (const end of ends.splice(0).reverse()) await end();
});

/** Many addresses are this machine's: each is a network of its own. */
const network = (i: number): string => `127.1.${i >> 8}.${i & 255}`;

interface Opened {
  readonly server: PeerServer;
  readonly port: number;
  open(from: string): Socket;
  /** Status of a request with a certificate; 0: the connection was closed before. */
  ask(from: string, tls?: PeerTls): Promise<number>;
}

async function open(options: Partial<PeerServerOptions> = {}): Promise<Opened> {
  const folder = temporaryFolder('peer-admission');
  ends.push(() => removeFolder(folder));
  const server = new PeerServer({
    memberOf: (shown) => (shown.checkHost('b') === undefined ? undefined : 'b'),
    tls: own,
    listen: { address: '127.0.0.1', port: 0 },
    head: () => 7,
    snapshots: new SnapshotSender(folder, async () => {}),
    watchRequests: () => () => {},
    ...options,
  });
  const port = await server.listen();
  ends.push(() => server.close());
  return {
    server,
    port,
    open(from) {
      const socket = connect({ port, host: '127.0.0.1', localAddress: from });
      socket.on('error', () => {});
      ends.push(() => socket.destroy());
      return socket;
    },
    ask: (from, tls = member) =>
      new Promise((resolve) => {
        const socket = connectTls({
          ...{ port, host: '127.0.0.1', localAddress: from, servername: 'a' },
          ...{ ca, cert: tls.certificate, key: tls.key },
        });
        ends.push(() => socket.destroy());
        socket.on('error', () => {});
        socket.on('close', () => resolve(0));
        socket.once('data', (data) => resolve(Number(/^HTTP\/1\.1 (\d+)/.exec(String(data))?.[1])));
        socket.write('GET /v1/none HTTP/1.1\r\nHost: a\r\n\r\n');
      }),
  };
}

const connected = (socket: Socket): Promise<void> => new Promise((resolve) => socket.once('connect', () => resolve()));
const closed = (socket: Socket): Promise<unknown> => new Promise((resolve) => socket.once('close', resolve));

test('silent connections are limited, and a member still connects', async () => {
  const { server, open: dial, ask } = await open();
  const sockets: Socket[] = [];
  for (let i = 0; i < MAX_PENDING; i++) sockets.push(dial('127.0.0.2'));
  await until(() => server.pending === MAX_PENDING, 'that the room is full');
  const oldest = closed(sockets[0]);
  assert.is(await ask('127.0.0.3'), 404);
  await oldest;
  assert.is(server.pending, MAX_PENDING - 1, 'the oldest of the flood has made room; the member is not pending');
});

test('a network at its limit replaces its own connections, not those of others', async () => {
  const { server, open: dial, ask } = await open();
  const other = dial('127.0.0.3');
  let isClosed = false;
  other.once('close', () => {
    isClosed = true;
  });
  await connected(other);
  for (let i = 0; i < MAX_PENDING + 100; i++) await connected(dial('127.0.0.2'));
  await until(() => server.pending === MAX_PENDING, 'that the room is full');
  assert.is(await ask('127.0.0.2'), 404, 'a member in the network of the flood');
  assert.not.ok(isClosed);
});

test('connections of many networks do not use the slots of members', async () => {
  const {
    server,
    open: dial,
    ask,
  } = await open({
    members: () => [{ name: 'b', address: '127.0.0.3:7946', version: '' }],
  });
  const pending = dial('127.0.0.3');
  let isClosed = false;
  pending.once('close', () => {
    isClosed = true;
  });
  await connected(pending);
  for (let i = 0; i < MAX_PENDING + 100; i++) await connected(dial(network(i)));
  await until(() => server.pending === MAX_PENDING + 1, 'that the room of strangers is full');
  assert.not.ok(isClosed, 'a slow member keeps its place');
  assert.is(await ask('127.0.0.3'), 404);
  for (let i = 0; i < MAX_PENDING_OF_MEMBERS; i++) dial('127.0.0.3');
  await until(() => isClosed, 'that this room has a limit, too');
});

test('the network of a member is known from its last connection if its address is a name', async () => {
  let isOverloaded = false;
  const { open: dial, ask } = await open({
    members: () => [{ name: 'b', address: 'b.example:7946', version: '' }],
    isOverloaded: () => isOverloaded,
  });
  assert.is(await ask('127.0.0.3'), 404);
  isOverloaded = true;
  await closed(dial('127.0.0.2'));
  assert.is(await ask('127.0.0.4'), 0, 'strangers do not connect while the process is overloaded');
  assert.is(await ask('127.0.0.3'), 404);
});

test('a connection with the certificate of a non-member stays pending', async () => {
  const { server, ask } = await open();
  assert.is(await ask('127.0.0.2', removed), 403);
  await until(() => server.pending === 0, 'that the connection has ended');
  assert.is(await ask('127.0.0.2', removed), 403);
});

test('a node has a limit of connections', () => {
  const admission = new PeerAdmission({ members: () => [], start() {} });
  const sockets = Array.from({ length: MAX_PER_MEMBER }, () => new Socket());
  for (const socket of sockets) assert.ok(admission.admit(socket, 'b'));
  assert.ok(admission.admit(sockets[0], 'b'), 'the next request of a connection');
  assert.not.ok(admission.admit(new Socket(), 'b'));
  assert.ok(admission.admit(new Socket(), 'c'));
  sockets[0].emit('close');
  assert.ok(admission.admit(new Socket(), 'b'));
});

test('handshakes of strangers are limited and take turns by network; those of members start at once', async () => {
  let now = 0;
  const started: string[] = [];
  const admission = new PeerAdmission({
    members: () => [{ name: 'b', address: '127.0.0.4:7946' }],
    start: (socket) => void started.push(socket.remoteAddress ?? ''),
    now: () => now,
  });
  await new Promise<void>((done) => void admission.server.listen(0, '127.0.0.1', done));
  const { port } = admission.server.address() as AddressInfo;
  ends.push(() => new Promise<void>((done) => admission.close(done)));
  const send = (from: string): void => {
    const socket = connect({ port, host: '127.0.0.1', localAddress: from });
    socket.on('error', () => {}).write('x');
    ends.push(() => socket.destroy());
  };
  for (let i = 0; i < 2 * HANDSHAKE_BURST; i++) send('127.0.0.2');
  await until(() => admission.pending === 2 * HANDSHAKE_BURST, 'that all are connected');
  await until(() => started.length === HANDSHAKE_BURST, 'the burst');
  send('127.0.0.3');
  send('127.0.0.4');
  await until(() => started.length > HANDSHAKE_BURST, 'that of the member');
  assert.is(started.pop(), '127.0.0.4');
  await until(() => admission.pending === 2 * HANDSHAKE_BURST + 2, 'that the other stranger is connected');
  const waiting = started.length;
  // Ticks until the other network has had its turn.
  await until(() => {
    now += 20;
    return started.includes('127.0.0.3');
  }, 'the turn of the other network');
  assert.ok(started.indexOf('127.0.0.3') < 2 * HANDSHAKE_BURST, `${started.indexOf('127.0.0.3') - waiting} before it`);
});

test('a pending connection ends at its timeout', async () => {
  const { server, open: dial } = await open();
  const silent = dial('127.0.0.2');
  const halfway = dial('127.0.0.2');
  halfway.write(Buffer.from('16030100', 'hex'));
  await until(() => server.pending === 2, 'that both are pending');
  await Promise.all([closed(silent), closed(halfway)]);
  await until(() => server.pending === 0, 'that none is pending');
});

test.run();
