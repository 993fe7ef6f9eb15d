/** Watching the requests of all nodes: over TLS, with nodes that start later, and the end of it. */
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { PeerServer } from '../../../core/cluster/peer-server.ts';
import type { PeerTls } from '../../../core/cluster/peer-tls.ts';
import { SnapshotSender } from '../../../core/cluster/snapshot.ts';
import { TailWatcher } from '../../../core/cluster/tail.ts';
import { RequestTail, type TailSample } from '../../../core/observe/tail/request-tail.ts';
import { certificate, ecKey, pemOfKey } from '../../support/certificate.ts';
import { removeFolder, temporaryFolder } from '../../support/temp.ts';
import { until } from '../../support/until.ts';

const authority = { name: 'authority.cluster.test', key: ecKey() };
const ca = certificate({ ...authority, ca: true });

function tlsOf(name: string): PeerTls {
  const key = ecKey();
  return { ca, certificate: certificate({ name, key, issuer: authority, dnsNames: [name] }), key: pemOfKey(key) };
}

const ends: (() => Promise<unknown>)[] = [];
test.after.each(async () => {
  for (const end of ends.splice(0).reverse()) await end();
});

interface Node {
  readonly tail: RequestTail;
  readonly peer: { readonly name: string; readonly address: string };
  readonly server: PeerServer;
  /** Whether the node `a` is a member. */
  readonly trust: { isMember: boolean };
}

async function node(name: string): Promise<Node> {
  const folder = temporaryFolder('tail');
  ends.push(async () => removeFolder(folder));
  const tail = new RequestTail(name);
  const trust = { isMember: true };
  const server = new PeerServer({
    memberOf: () => (trust.isMember ? 'a' : undefined),
    tls: tlsOf(name),
    listen: { address: '127.0.0.1', port: 0 },
    head: () => 0,
    snapshots: new SnapshotSender(folder, async () => {}),
    watchRequests: tail.watch,
  });
  const port = await server.listen();
  ends.push(() => server.close());
  return { tail, peer: { name, address: `127.0.0.1:${port}` }, server, trust };
}

test('requests of all nodes, over one connection each; nodes stop without watchers', async () => {
  const [b, c] = [await node('b'), await node('c')];
  const tail = new RequestTail('a');
  const peers = [b.peer];
  const watcher = new TailWatcher({ tail, tls: tlsOf('a'), peers: () => peers });
  ends.push(async () => watcher.close());
  const received: TailSample[] = [];
  const stops = [watcher.watch(7, (sample) => void received.push(sample)), watcher.watch(7, () => {})];
  await until(() => b.tail.watched.length > 0, 'that b is watched');
  peers.push(c.peer);
  await until(() => c.tail.watched.length > 0, 'that c is watched');
  tail.publish(7, ['{"n":1}'], 0);
  b.tail.publish(7, ['{"n":2}'], 3);
  c.tail.publish(8, ['{"n":9}'], 0);
  c.tail.publish(7, ['{"n":3}'], 0);
  await until(() => received.length === 3, 'three samples');
  assert.equal(
    received.toSorted((x, y) => x.node.localeCompare(y.node)),
    [
      { node: 'a', requests: ['{"n":1}'], omitted: 0 },
      { node: 'b', requests: ['{"n":2}'], omitted: 3 },
      { node: 'c', requests: ['{"n":3}'], omitted: 0 },
    ],
  );
  for (const stop of stops) stop();
  assert.equal(tail.watched, []);
  await until(() => b.tail.watched.length + c.tail.watched.length === 0, 'that the others stop');
});

test('a node that is no longer a member receives nothing', async () => {
  const b = await node('b');
  const watcher = new TailWatcher({ tail: new RequestTail('a'), tls: tlsOf('a'), peers: () => [b.peer] });
  ends.push(async () => watcher.close());
  watcher.watch(7, () => {});
  await until(() => b.tail.watched.length > 0, 'that b is watched');
  b.trust.isMember = false;
  b.server.membersChanged();
  await until(() => b.tail.watched.length === 0, 'that it stops');
});

test('an unreachable node does not affect the others', async () => {
  const tail = new RequestTail('a');
  const peers = () => [{ name: 'b', address: '127.0.0.1:1' }];
  const watcher = new TailWatcher({ tail, tls: tlsOf('a'), peers });
  ends.push(async () => watcher.close());
  const received: TailSample[] = [];
  const stop = watcher.watch(7, (sample) => void received.push(sample));
  tail.publish(7, ['{}'], 0);
  assert.is(received.length, 1);
  stop();
});

test('a node that stops does not wait for those that watch it', async () => {
  const b = await node('b');
  const watcher = new TailWatcher({ tail: new RequestTail('a'), tls: tlsOf('a'), peers: () => [b.peer] });
  ends.push(async () => watcher.close());
  watcher.watch(7, () => {});
  await until(() => b.tail.watched.length > 0, 'that b is watched');
  await b.server.close();
  await until(() => b.tail.watched.length === 0, 'that b is not watched');
});

test.run();
