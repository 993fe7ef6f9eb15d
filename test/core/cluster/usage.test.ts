/** Usage of rate limits between two nodes, over their connection with certificates. */
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { PeerServer } from '../../../core/cluster/peer-server.ts';
import type { PeerTls } from '../../../core/cluster/peer-tls.ts';
import { PeerWatch } from '../../../core/cluster/peer-watch.ts';
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

const ends: (() => unknown)[] = [];
test.after.each(async () => {
  for (const end of ends.splice(0).reverse()) await end();
});

/** The node `a`, to which `b` is connected. */
async function connected(knowsUsage: (node: string) => boolean) {
  const folder = temporaryFolder('usage');
  ends.push(() => removeFolder(folder));
  const members = new Set(['b']);
  const server = new PeerServer({
    memberOf: () => [...members][0],
    tls: tlsOf('a'),
    listen: { address: '127.0.0.1', port: 0 },
    head: () => 7,
    snapshots: new SnapshotSender(folder, async () => {}),
    watchRequests: () => () => {},
    knowsUsage,
  });
  const port = await server.listen();
  ends.push(() => server.close());
  const received: Buffer[] = [];
  const applied: number[] = [];
  const watch = new PeerWatch(
    { name: 'a', address: `127.0.0.1:${port}`, version: '' },
    {
      tls: tlsOf('b'),
      onApplied: (_, sequence) => void applied.push(sequence),
      onClock: () => {},
      onUsage: (usage) => void received.push(Buffer.from(usage)),
      onTrouble: () => {},
    },
  );
  ends.push(() => watch.stop());
  await until(() => applied.length > 0, 'that b is connected');
  return { server, members, received, applied };
}

test('a node receives what another one sends, in order', async () => {
  const { server, received } = await connected((node) => node === 'b');
  assert.is(server.countReceivers(), 1);
  const messages = [Buffer.alloc(16, 1), Buffer.alloc(16_384, 2), Buffer.alloc(16, 3)];
  for (const usage of messages) server.sendUsage(usage);
  await until(() => received.length === 3, 'three messages');
  assert.equal(received, messages);
});

test('a node of an earlier version, which would close the connection, receives none', async () => {
  const { server, received, applied } = await connected(() => false);
  assert.is(server.countReceivers(), 0);
  server.sendUsage(Buffer.alloc(16));
  server.applied();
  await until(() => applied.length > 1, 'the next position');
  assert.equal(received, []);
});

test('a node that is no longer a member receives none', async () => {
  const { server, members } = await connected(() => true);
  members.clear();
  server.membersChanged();
  await until(() => server.countReceivers() === 0, 'that b is not connected');
});

test('a node that does not read misses messages, and keeps its connection', async () => {
  const { server, received, applied } = await connected(() => true);
  // Nothing is read within one turn of the event loop.
  for (let i = 0; i < 1000; i++) server.sendUsage(Buffer.alloc(16_384, i));
  const before = applied.length;
  server.applied();
  await until(() => applied.length > before, 'the next position');
  assert.ok(received.length > 0 && received.length < 1000, `${received.length} messages`);
});

test.run();
