/** What operators see of the nodes: what each reports, and what is known of those that do not. */
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import {
  describeCluster,
  formatReport,
  type NodeReport,
  type OverviewParts,
  parseReport,
} from '../../../core/cluster/cluster-state.ts';
import type { Member } from '../../../core/cluster/members.ts';
import { PeerServer } from '../../../core/cluster/peer-server.ts';
import type { PeerTls } from '../../../core/cluster/peer-tls.ts';
import { SnapshotSender } from '../../../core/cluster/snapshot.ts';
import { certificate, ecKey, pemOfKey } from '../../support/certificate.ts';
import { removeFolder, temporaryFolder } from '../../support/temp.ts';

const authority = { name: 'authority.cluster.test', key: ecKey() };
const ca = certificate({ ...authority, ca: true });

function tlsOf(name: string): PeerTls {
  const key = ecKey();
  return { ca, certificate: certificate({ name, key, issuer: authority, dnsNames: [name] }), key: pemOfKey(key) };
}

const ends: (() => Promise<unknown>)[] = [];
test.after(async () => {
  for (const end of ends.reverse()) await end();
});

const REPORT: NodeReport = { applied: 7, state: 'catching_up', lagSeconds: 1.5, startedAt: 1_700_000_000 };

/** `report`: undefined as with a version that reports no more than what it has applied. */
async function node(name: string, report: NodeReport | undefined, certified = name): Promise<Member> {
  const folder = temporaryFolder('overview');
  ends.push(async () => removeFolder(folder));
  const server = new PeerServer({
    memberOf: () => 'a',
    tls: tlsOf(certified),
    listen: { address: '127.0.0.1', port: 0 },
    head: () => 8,
    report: report && (() => formatReport(report)),
    watchRequests: () => () => {},
    snapshots: new SnapshotSender(folder, async () => {}),
  });
  const port = await server.listen();
  ends.push(() => server.close());
  return { name, address: `127.0.0.1:${port}`, version: '1.1' };
}

const tls = tlsOf('a');

const parts = (members: readonly Member[]): OverviewParts => ({
  ...{ self: 'a', tls },
  members: () => new Map(members.map((member) => [member.name, member])),
  live: () => new Set(['a', 'b']),
  agreedLevel: () => 1,
  report: () => ({ applied: 9, state: 'following', lagSeconds: 0.1, startedAt: 1_700_000_100 }),
  lastHeard: (name) => (name === 'd' ? { applied: 5, at: 1_700_000_200 } : undefined),
  storage: () => null,
});

test('each node reports itself; one that does not respond is described by what it has sent last', async () => {
  const gone = { address: '127.0.0.1:1', version: '1.0' };
  const members = [
    { name: 'e', ...gone },
    { name: 'd', ...gone },
    await node('c', undefined),
    await node('b', REPORT),
    { name: 'a', address: '127.0.0.1:2', version: '1.2' },
  ];
  const { head, nodes, etcd } = await describeCluster(parts(members));
  assert.equal([head, etcd], [9, null]);
  const rows = nodes.map(({ name, state, applied, lagEntries, lagSeconds, startedAt }) =>
    [name, state, applied, lagEntries, lagSeconds, startedAt].join(' '),
  );
  assert.equal(rows, [
    'a following 9 0 0.1 1700000100',
    'b catching_up 7 2 1.5 1700000000',
    'c unknown 8 1  ',
    'd unreachable 5 4  ',
    'e unreachable    ',
  ]);
  assert.equal(
    nodes.map(({ isSelf, isLive }) => [isSelf, isLive]),
    [
      [true, true],
      [false, true],
      [false, false],
      [false, false],
      [false, false],
    ],
  );
  assert.is(nodes[3].heardAt, 1_700_000_200);
  assert.is(nodes[4].heardAt, null);
  assert.ok(Number(nodes[1].heardAt) > 1_700_000_200);
});

test('a node with the certificate of another is not believed', async () => {
  const [, other] = (await describeCluster(parts([await node('b', REPORT, 'c'), { ...(await node('a', REPORT)) }])))
    .nodes;
  assert.equal([other.name, other.state, other.applied], ['b', 'unreachable', null]);
});

test('a report is read as it was written; fields of other kinds count as missing', () => {
  assert.equal(parseReport(formatReport(REPORT)), REPORT);
  const unknown = { state: null, lagSeconds: null, startedAt: null };
  assert.equal(parseReport('{"applied":3,"state":"asleep","lag_seconds":"1","started_at":null}'), {
    applied: 3,
    ...unknown,
  });
  assert.is(parseReport('{}'), null);
  assert.is(parseReport('null'), null);
});

test.run();
