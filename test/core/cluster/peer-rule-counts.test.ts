/** Counters of rules of all nodes: what is added up, and which nodes are missing. */
import { once } from 'node:events';
import type { RequestListener } from 'node:http';
import { createServer } from 'node:https';
import type { AddressInfo } from 'node:net';
import { request } from 'undici';
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { peerAgent } from '../../../core/cluster/peer-agent.ts';
import {
  type OwnRuleCounts,
  ownRuleCounts,
  ownRuleCountsReader,
  peerRuleCountsReader,
  readRuleCounts,
  sumRuleCounts,
} from '../../../core/cluster/peer-queries.ts';
import { PeerServer } from '../../../core/cluster/peer-server.ts';
import type { PeerTls } from '../../../core/cluster/peer-tls.ts';
import { SnapshotSender } from '../../../core/cluster/snapshot.ts';
import { certificate, ecKey, pemOfKey } from '../../support/certificate.ts';
import { PATIENCE_MS } from '../../support/patience.ts';
import { freePort } from '../../support/ports.ts';
import { removeFolder, temporaryFolder } from '../../support/temp.ts';

/** Milliseconds for a node that does not answer in time; others have time on any machine. */
const LATE = 200;
const DOMAIN = 7;
const REVISION = 3;

const authority = { name: 'authority.cluster.test', key: ecKey() };
const ca = certificate({ ...authority, ca: true });

function tlsOf(name: string): PeerTls {
  const key = ecKey();
  return { ca, certificate: certificate({ name, key, issuer: authority, dnsNames: [name] }), key: pemOfKey(key) };
}

const tls = tlsOf('a');
const ends: (() => unknown)[] = [];
test.after.each(async () => {
  for (const end of ends.splice(0).reverse()) await end();
});

interface Peer {
  readonly name: string;
  readonly address: string;
  readonly version: string;
  readonly deadline?: number;
}

/** `ruleCountsOf`: undefined: a node of an earlier version. */
async function node(name: string, ruleCountsOf: OwnRuleCounts | undefined): Promise<Peer> {
  const folder = temporaryFolder('rule-counts');
  ends.push(() => removeFolder(folder));
  const server = new PeerServer({
    memberOf: () => 'a',
    tls: tlsOf(name),
    listen: { address: '127.0.0.1', port: 0 },
    head: () => 0,
    snapshots: new SnapshotSender(folder, async () => {}),
    watchRequests: () => () => {},
    ruleCountsOf,
  });
  const port = await server.listen();
  ends.push(() => server.close());
  return { name, address: `127.0.0.1:${port}`, version: '' };
}

/** A node with answers of any kind. */
async function strange(name: string, listener: RequestListener): Promise<Peer> {
  const own = tlsOf(name);
  const server = createServer({ ca, cert: own.certificate, key: own.key, requestCert: true }, listener);
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  ends.push(() => {
    server.closeAllConnections();
    server.close();
  });
  return { name, address: `127.0.0.1:${(server.address() as AddressInfo).port}`, version: '' };
}

/** The counters of a node whose rules have a revision. */
const counting = (revision: number, since: number, matched: number[], stopped: number[]): OwnRuleCounts =>
  ownRuleCounts(
    {
      siteDocument: (domainId, kind) =>
        domainId === DOMAIN && kind === 'rules'
          ? { domainId, kind, revision, updatedAt: 0, content: { rules: [] } }
          : undefined,
    },
    { of: (domainId, of) => (domainId === DOMAIN && of === revision ? { since, matched, stopped } : undefined) },
  );

const read = (own: OwnRuleCounts | undefined, peers: readonly Peer[], domainId = DOMAIN, revision = REVISION) =>
  readRuleCounts([
    ownRuleCountsReader('a', own, domainId, revision),
    ...peers.map((peer) => peerRuleCountsReader(peer, tls, domainId, revision, peer.deadline ?? PATIENCE_MS)),
  ]);

test('counts are added up by rule, from the time of the first node', () => {
  assert.equal(sumRuleCounts([]), { since: null, matched: [], stopped: [] });
  const nodes = [
    { since: 500, matched: [1, 0, 7], stopped: [1, 0, 0] },
    { since: null, matched: [], stopped: [] },
    { since: 400, matched: [10, 20, 30], stopped: [0, 20, 3] },
  ];
  assert.equal(sumRuleCounts(nodes), { since: 400, matched: [11, 20, 37], stopped: [1, 20, 3] });
});

test('a node has counts of the revision of its rules only; nothing counted is zero', () => {
  const own = counting(REVISION, 400, [1], [0]);
  assert.equal(own(DOMAIN, REVISION), { since: 400, matched: [1], stopped: [0] });
  assert.is(own(DOMAIN, REVISION - 1), undefined);
  assert.is(own(DOMAIN, REVISION + 1), undefined);
  const quiet = ownRuleCounts({ siteDocument: () => undefined }, { of: () => undefined });
  assert.equal(quiet(DOMAIN, 0), { since: null, matched: [], stopped: [] });
  assert.is(quiet(DOMAIN, 1), undefined);
});

test('the sum of all nodes; nodes of another revision or version are missing', async () => {
  const peers = [
    await node('c', counting(REVISION, 300, [5, 6], [5, 0])),
    await node('b', counting(REVISION, 500, [100, 0], [0, 0])),
    await node('behind', counting(REVISION - 1, 1, [1000, 1000], [0, 0])),
    await node('ahead', counting(REVISION + 1, 1, [1000, 1000], [0, 0])),
    await node('earlier', undefined),
  ];
  const own = counting(REVISION, 400, [1, 2], [0, 2]);
  const sum = { since: 300, matched: [106, 8], stopped: [5, 2] };
  const all = { sum, answered: ['a', 'b', 'c'], missing: ['ahead', 'behind', 'earlier'] };
  assert.equal(await read(own, peers), all);
  // This node may be behind, too.
  const { sum: others, missing } = await read(counting(REVISION - 1, 1, [9, 9], [9, 9]), peers.slice(0, 2));
  assert.equal([others.matched, missing], [[105, 6], ['a']]);
  const none = { since: null, matched: [], stopped: [] };
  assert.equal(await read(own, peers.slice(0, 1), 8, 0), { sum: none, answered: ['a', 'c'], missing: [] });
});

test('a node with an answer that is not valid, too long or late is missing', async () => {
  const counts = { since: 1, matched: [1], stopped: [1] };
  const invalid: readonly unknown[] = [
    null,
    [],
    'counts',
    {},
    { ...counts, since: undefined },
    { ...counts, since: -1 },
    { ...counts, since: '1' },
    { ...counts, since: Number.MAX_SAFE_INTEGER },
    { ...counts, matched: 1 },
    { ...counts, matched: [1, 2] },
    { ...counts, matched: [1.5] },
    { ...counts, stopped: [-1] },
    { ...counts, stopped: [null] },
    { ...counts, stopped: { length: 1 } },
  ];
  const listeners: RequestListener[] = [
    ...invalid.map(
      (value): RequestListener =>
        (_, response) =>
          void response.end(JSON.stringify(value)),
    ),
    (_, response) => void response.end('{"since":1,'),
    (_, response) => void response.writeHead(500).end(JSON.stringify(counts)),
    (_, response) => void response.writeHead(302, { location: '/' }).end(),
    (_, response) => void response.destroy(),
    // Valid, but it does not end.
    (_, response) => {
      response.write('{"since":1,"matched":[1],"stopped":[1]');
      const write = (): void => {
        while (!response.destroyed && response.write(' '.repeat(1 << 20)));
      };
      response.on('drain', write);
      write();
    },
  ];
  const late: RequestListener[] = [() => {}, (_, response) => void response.write('{"since":1,"matched":[1],')];
  const names = [...listeners, ...late].map((_, i) => `n${String(i).padStart(2, '0')}`);
  const peers = await Promise.all([
    ...listeners.map((listener, i) => strange(names[i], listener)),
    ...late.map(async (listener, i) => ({ ...(await strange(names[listeners.length + i], listener)), deadline: LATE })),
  ]);
  const closed = { name: 'x', address: `127.0.0.1:${await freePort()}`, version: '' };
  const impostor = { ...(await node('b', counting(REVISION, 1, [1], [1]))), name: 'y' };
  const good = await strange('z', (_, response) => void response.end(JSON.stringify({ ...counts, more: 1 })));
  const own = counting(REVISION, 400, [40], [4]);
  const { sum, answered, missing } = await read(own, [...peers, closed, impostor, good]);
  assert.equal(sum, { since: 1, matched: [41], stopped: [5] });
  assert.equal(answered, ['a', 'z']);
  assert.equal(missing, [...names, 'x', 'y']);
});

test('a path with a bad id or revision is not found, and a failed read closes only its connection', async () => {
  const requested: unknown[] = [];
  const { address } = await node('b', (domainId, revision) => {
    requested.push([domainId, revision]);
    if (domainId === 13) throw new Error('the store cannot be read');
    return { since: 1, matched: [1], stopped: [0] };
  });
  const agent = peerAgent({ name: 'b' }, tls, { connect: 2000 });
  ends.push(() => agent.destroy());
  const statusOf = async (path: string, method: 'GET' | 'POST' = 'GET'): Promise<number> => {
    const { statusCode, body } = await request(`https://${address}/v1/rule-counts${path}`, {
      dispatcher: agent,
      method,
    });
    await body.dump();
    return statusCode;
  };
  for (const path of ['', '/', '/7', '/7/', '/x/1', '/7/x', '/-7/1', '/7/-1', '/7/1/', '/7/1?x', '/7.0/1', '/7/1e3'])
    assert.is(await statusOf(path), 404, path);
  assert.is(await statusOf(`/7/${'9'.repeat(16)}`), 404);
  assert.is(await statusOf('/7/1', 'POST'), 404);
  assert.equal(requested, []);
  assert.is(await statusOf(`/${'9'.repeat(15)}/${'9'.repeat(15)}`), 200);
  let failure: unknown = null;
  await statusOf('/13/1').catch((error: unknown) => {
    failure = error;
  });
  assert.ok(failure instanceof Error);
  assert.is(await statusOf('/7/1'), 200);
  assert.equal(requested, [
    [999_999_999_999_999, 999_999_999_999_999],
    [13, 1],
    [7, 1],
  ]);
});

test.run();
