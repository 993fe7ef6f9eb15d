/**
 * Secondary zones of a cluster: one node transfers a zone for all, another goes on when that one is
 * killed, and without a quorum each node lets a zone expire and serves it again by itself.
 */
import { existsSync } from 'node:fs';
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import type { Daemon } from '../../support/daemon.ts';
import { whyNotPrograms } from '../../support/programs.ts';
import { untilIs } from '../../support/until.ts';
import { FILES, TestPrimary } from '../peers/primaries.ts';
import { dig } from '../peers/zone-comparison.ts';
import { startCluster } from './rig.ts';

const ZONE = 'mirrored.test';
const SHORT = { refresh: 1, retry: 1, expire: 6 };

const answerOf = ({ dnsPort }: Daemon): string => dig(dnsPort, '+short', `www.${ZONE}`, 'A').trim();
const statusOf = ({ dnsPort }: Daemon, zone: string): string =>
  /status: (\w+)/.exec(dig(dnsPort, '+comments', zone, 'SOA'))?.[1] ?? 'none';
const notify = ({ dnsPort }: Daemon): string => dig(dnsPort, '+opcode=NOTIFY', ZONE, 'SOA');
const hasTransferred = ({ child }: Daemon): boolean => child.output().includes('secondary zone transferred');

async function untilServed(nodes: readonly Daemon[], address: string): Promise<void> {
  for (const node of nodes) await untilIs(() => answerOf(node), address);
}

test('the nodes of a cluster share the transfers of a zone, and expire it on their own', async () => {
  const rig = await startCluster(2, {
    WAYPOST_SECONDARY_ALLOW_PRIVATE_PRIMARIES: 'true',
    WAYPOST_SECONDARY_MIN_REFRESH: '1',
  });
  // Its own NOTIFY does not arrive.
  const primary = await TestPrimary.open('knot', { zone: ZONE, secondary: 9 });
  try {
    const { nodes, etcd } = rig;
    const write = (version: number, timers?: typeof SHORT): void =>
      primary.write(version, [['www', 'A', `192.0.2.${version}`]], timers);
    const untilLoaded = (version: number): Promise<void> =>
      untilIs(() => dig(primary.port, '+short', `www.${ZONE}`, 'A').trim(), `192.0.2.${version}`);
    await nodes[0].api.createDomain('own.test');
    write(1);
    await primary.start();
    const primaries = [{ address: `127.0.0.1:${primary.port}` }];
    await nodes[0].api.call('POST', '/api/v1/domains', { domain: ZONE, kind: 'secondary', primaries });
    await untilServed(nodes, '192.0.2.1');
    await untilIs(() => nodes.filter(hasTransferred).length, 1, 'one node has transferred the zone');

    const holder = nodes.find(hasTransferred)!;
    const other = nodes.find((node) => node !== holder)!;
    write(2);
    await untilLoaded(2);
    notify(other);
    await untilServed(nodes, '192.0.2.2');

    // The other follows NOTIFY without the holder of the lease, and has its leases soon.
    await holder.kill();
    write(3, SHORT);
    await untilLoaded(3);
    notify(other);
    await untilServed([other], '192.0.2.3');
    write(4, SHORT);
    await untilServed([other], '192.0.2.4');
    await holder.start();
    await untilServed(nodes, '192.0.2.4');

    // Expiry needs no quorum, and neither does the confirmation that ends it.
    await etcd.kill();
    await primary.kill();
    for (const node of nodes) await untilIs(() => statusOf(node, ZONE), 'SERVFAIL');
    for (const node of nodes) assert.is(statusOf(node, 'own.test'), 'NOERROR');
    await primary.start();
    for (const node of nodes) await untilIs(() => statusOf(node, ZONE), 'NOERROR');
    await etcd.again();
    write(5, SHORT);
    await untilServed(nodes, '192.0.2.5');
  } finally {
    await rig.close();
    await primary.close();
  }
});

const missing = FILES.find((file) => !existsSync(file));
const why = missing === undefined ? whyNotPrograms('etcd') : `${missing} is missing`;
if (why === null) test.run();
else if (process.env.WAYPOST_REQUIRE_PEERS === '1') throw new Error(why);
else console.log(`skipped: secondary zones in a cluster, ${why}`);
