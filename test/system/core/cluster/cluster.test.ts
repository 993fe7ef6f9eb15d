/** Nodes that find each other in etcd, and wait for each other over TLS. */

import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { connect } from 'node:tls';
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { createLogger } from '../../../../core/base/log/index.ts';
import { Cluster, type ClusterOptions } from '../../../../core/cluster/cluster.ts';
import { inviteKey } from '../../../../core/cluster/invitations.ts';
import { keyPrintOf, type PeerTls } from '../../../../core/cluster/peer-tls.ts';
import { removeMember } from '../../../../core/cluster/removal.ts';
import { SnapshotSender } from '../../../../core/cluster/snapshot.ts';
import { loadConfig } from '../../../../core/config/index.ts';
import type { EtcdGateway } from '../../../../core/journal/etcd-client/gateway.ts';
import { certificate, ecKey, pemOfKey } from '../../../support/certificate.ts';
import { PATIENCE_MS } from '../../../support/patience.ts';
import { whyNotPrograms } from '../../../support/programs.ts';
import { temporaryFolder } from '../../../support/temp.ts';
import { until } from '../../../support/until.ts';
import { type EtcdMember, startEtcd } from '../../peers/etcd.ts';

const authority = { name: 'authority.cluster.test', key: ecKey() };
const ca = certificate({ ...authority, ca: true });

function tlsOf(name: string, issuer = authority, trusted = ca) {
  const key = ecKey();
  return { ca: trusted, certificate: certificate({ name, key, issuer, dnsNames: [name] }), key: pemOfKey(key) };
}

class Node {
  head = 0;
  readonly log: string[] = [];
  readonly tls: PeerTls;
  readonly cluster: Cluster;
  readonly #options: ClusterOptions;

  constructor(client: EtcdGateway, name: string, prefix: string, commit?: ClusterOptions['commit'], tls = tlsOf(name)) {
    this.tls = tls;
    this.#options = {
      watchRequests: () => () => {},
      ...{ gateway: client, prefix, deadline: 400, interval: 100, tls },
      ...{ id: keyPrintOf(tls.certificate), commit },
      onRefused: (error) => error && this.log.push(error.message),
      self: { name, address: '127.0.0.1:0', version: '1' },
      listen: { address: '127.0.0.1', port: 0 },
      log: createLogger({ level: 'debug', format: 'json', write: (line) => this.log.push(line) }),
      head: () => this.head,
      knownNodes: join(temporaryFolder('known'), 'nodes.json'),
      snapshots: new SnapshotSender(temporaryFolder('peer'), async () => {}),
    };
    this.cluster = new Cluster(this.#options);
  }

  /** Joins with an invitation. */
  async join(): Promise<void> {
    const { gateway, prefix, self } = this.#options;
    await inviteKey(gateway, prefix, self.name, this.tls.certificate);
    await this.cluster.join();
  }

  apply(sequence: number): void {
    this.head = sequence;
    this.cluster.applied();
  }
}

let member: EtcdMember;
let gateway: EtcdGateway;
test.before(async () => {
  member = await startEtcd();
  gateway = member.gateway;
});
test.after(async () => {
  await member.stop();
});

test('a write waits for all present nodes; absent ones are pending, returned ones are waited for', async () => {
  const nodes = ['a', 'b', 'c'].map((name) => new Node(gateway, name, '/three/'));
  const [a, b, c] = nodes;
  for (const node of nodes) {
    await node.join();
    await node.cluster.serving(true);
  }
  await until(() => a.cluster.members?.live.size === 3, 'all are there');
  for (const node of nodes) node.apply(1);
  assert.equal(await a.cluster.wait(1), { seq: 1, applied: ['a', 'b', 'c'], pending: [] });
  a.apply(2);
  let isDone = false;
  const waiting = a.cluster.wait(2).finally(() => {
    isDone = true;
  });
  b.apply(2);
  await sleep(50);
  assert.not(isDone);
  c.apply(2);
  assert.equal(await waiting, { seq: 2, applied: ['a', 'b', 'c'], pending: [] });
  await c.cluster.close();
  a.apply(3);
  b.apply(3);
  assert.equal(await a.cluster.wait(3), { seq: 3, applied: ['a', 'b'], pending: ['c'] });
  await until(() => a.cluster.members?.live.size === 2, 'one has gone');
  const again = new Node(gateway, 'c', '/three/', undefined, c.tls);
  again.head = 3;
  await again.cluster.join();
  await until(() => a.cluster.of(3).pending.length === 0, 'it is heard before it serves');
  await until(() => a.cluster.isBeingJoined, 'the log is kept for it');
  await again.cluster.serving(true);
  await until(() => a.cluster.members?.live.size === 3, 'it is back');
  assert.not(a.cluster.isBeingJoined);
  for (const node of [a, b]) node.apply(4);
  const last = a.cluster.wait(4);
  again.apply(4);
  assert.equal(await last, { seq: 4, applied: ['a', 'b', 'c'], pending: [] });
  for (const { cluster } of [a, b, again]) await cluster.close();
  assert.match(a.log.join(''), /node unreachable.*"node":"c"/);
  assert.match(a.log.join(''), /node reachable again.*"node":"c"/);
});

test('commits are forwarded to another node, which answers, refuses or goes', async () => {
  const held: (() => void)[] = [];
  const a = new Node(gateway, 'a', '/forward/', async (node, commits) => {
    const text = commits.toString('latin1');
    if (text === 'refuse') throw new Error('not now');
    if (text === 'hold') await new Promise<void>((done) => held.push(done));
    return Buffer.from(`${node}: ${commits.length} ${text.slice(0, 5)}`);
  });
  const b = new Node(gateway, 'b', '/forward/');
  for (const node of [a, b]) await node.join();
  const forward = async (commits: string) => String(await b.cluster.forward(toA, Buffer.from(commits)));
  const refused = (commits: string) =>
    forward(commits).then(
      (answer) => `it answered: ${answer}`,
      (error: Error) => error.message,
    );
  const toA = { name: 'a', address: '', version: '' };
  const nobody = b.cluster.forward({ ...toA, name: 'x' }, Buffer.from('1'));
  assert.match(await nobody.then(String, (error: Error) => error.message), /not a known node/);
  a.apply(1);
  await until(() => b.cluster.furthest === 1, 'it is heard');
  assert.is(await forward('first'), 'b: 5 first');
  const large = 'large'.repeat(200_000);
  const both = [forward('hold'), forward(large)];
  assert.is(await both[1], 'b: 1000000 large');
  a.apply(2);
  await until(() => b.cluster.furthest === 2, 'words come between');
  for (const go of held.splice(0)) go();
  assert.is(await both[0], 'b: 4 hold');
  assert.match(await refused('refuse'), /accepted no commits/);
  const held2 = refused('hold');
  await until(() => held.length === 1, 'it has them');
  await a.cluster.close();
  assert.match(await held2, /was closed/);
  assert.match(await refused('late'), /not connected/);
  held[0]();
  await b.cluster.close();
});

const NEVER = /(?!)/;

/** What a client of TLS is given. */
const show = ({ certificate: cert, key }: PeerTls): object => ({ cert, key });

/**
 * The response of the node `a` to a request for its applied entry. The client closes the connection
 * when the response matches `enough`, at the latest after 30 seconds. `isEnded`: the node has
 * closed it before.
 */
function ask(
  node: Node,
  own: object,
  {
    more = 'Connection: close\r\n',
    enough = NEVER,
  }: { readonly more?: string; readonly enough?: Pick<RegExp, 'test'> } = {},
): Promise<{ text: string; isEnded: boolean }> {
  const port = Number(node.cluster.members!.nodes.get('a')!.address.split(':')[1]);
  return new Promise((done) => {
    let text = '';
    let isEnded = true;
    const socket = connect({ port, host: '127.0.0.1', ca, servername: 'a', ...own });
    const leave = (): void => {
      isEnded = false;
      socket.destroy();
    };
    const timer = setTimeout(leave, PATIENCE_MS);
    socket.on('secureConnect', () => socket.write(`GET /v1/applied HTTP/1.1\r\nHost: a\r\n${more}\r\n`));
    socket.on('data', (part) => {
      text += part;
      if (enough.test(text)) leave();
    });
    socket.on('error', () => {});
    socket.on('close', () => {
      clearTimeout(timer);
      done({ text, isEnded });
    });
  });
}

test('connections without a certificate of a member receive nothing', async () => {
  const node = new Node(gateway, 'a', '/strangers/');
  await node.join();
  const stranger = { name: 'stranger.test', key: ecKey() };
  assert.is((await ask(node, {})).text, '');
  assert.is((await ask(node, show(tlsOf('b', stranger)))).text, '');
  assert.match((await ask(node, show(node.tls), { enough: /"applied":/ })).text, /^HTTP\/1.1 200 .*"applied":0/s);
  assert.match((await ask(node, show(tlsOf('b')))).text, /^HTTP\/1.1 403 /);
  assert.match((await ask(node, show(tlsOf('a')))).text, /^HTTP\/1.1 403 /, 'the name of a member with another key');
  const asks = (protocol: string) => ({ more: `Connection: Upgrade\r\nUpgrade: ${protocol}\r\n` });
  const upgraded = await ask(node, show(node.tls), { ...asks('waypost-peer'), enough: /\r\n\r\n/ });
  assert.match(upgraded.text, /^HTTP\/1.1 101 /);
  const notMember = await ask(node, show(tlsOf('b')), asks('waypost-peer'));
  assert.match(notMember.text, /^HTTP\/1.1 403 /);
  const unknown = await ask(node, show(node.tls), asks('websocket'));
  assert.match(unknown.text, /^HTTP\/1.1 404 /);
  assert.ok(notMember.isEnded && unknown.isEnded);
  // No open connection keeps it from its end.
  const kept = ask(node, show(node.tls), asks('waypost-peer'));
  const early = ask(node, show(tlsOf('b')), asks('waypost-peer'));
  await sleep(100);
  await node.cluster.close();
  assert.ok((await kept).isEnded);
  assert.ok((await early).isEnded);
});

test('a removed node is ignored and receives nothing more', async () => {
  const [a, b] = ['a', 'b'].map((name) => new Node(gateway, name, '/removed-peer/'));
  await a.join();
  await b.join();
  const own = show(b.tls);
  await until(() => a.cluster.members?.nodes.has('b') === true, 'it is known');
  let begun = (): void => {};
  const isServed = new Promise<void>((resolve) => {
    begun = resolve;
  });
  const under = ask(a, own, {
    enough: {
      test() {
        begun();
        return false;
      },
    },
  });
  await isServed;
  const env = { WAYPOST_ETCD_ENDPOINTS: member.endpoint, WAYPOST_ETCD_PREFIX: '/removed-peer/' };
  await removeMember(loadConfig({ env }), 'b', true);
  const { text, isEnded } = await under;
  assert.match(text, /^HTTP\/1.1 200 /);
  assert.ok(isEnded, 'what it was being told has ended');
  assert.match((await ask(a, own)).text, /^HTTP\/1.1 403 /);
  // Another node gets the name, and has another key.
  const heir = new Node(gateway, 'b', '/removed-peer/');
  await heir.join();
  await until(() => a.cluster.members?.nodes.has('b') === true, 'the heir is known');
  assert.match((await ask(a, show(heir.tls), { enough: /"applied":/ })).text, /^HTTP\/1.1 200 /);
  assert.match((await ask(a, own)).text, /^HTTP\/1.1 403 /, 'the old certificate stays refused');
  for (const { cluster } of [a, b, heir]) await cluster.close();
});

const why = whyNotPrograms('etcd');
if (why === null) test.run();
else console.log(`skipped: a cluster, ${why}`);
