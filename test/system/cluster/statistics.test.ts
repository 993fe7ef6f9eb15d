/** Statistics of several nodes are added up, and the nodes that are missing are named. */
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { parseName } from '../../../core/dns/wire/name.ts';
import { TYPE } from '../../../core/dns/wire/types.ts';
import type { Daemon } from '../../support/daemon.ts';
import { queryTcp } from '../../support/dns-client.ts';
import { encodeQuery } from '../../support/message.ts';
import { whyNotPrograms } from '../../support/programs.ts';
import { startCluster } from './rig.ts';

interface Statistics {
  readonly queries: { readonly total: number; readonly by_type: readonly { name: string; total: number }[] };
  readonly top_names: readonly { name: string; queries: number }[];
  readonly nodes: { readonly answered: readonly string[]; readonly missing: readonly string[] };
}

async function statisticsAt({ api }: Daemon, path: string): Promise<Statistics> {
  return (await api.call('GET', path)).body.statistics as never;
}

async function send({ dnsPort }: Daemon, name: string, type: number, times: number): Promise<void> {
  const packets = Array.from({ length: times }, (_, i) =>
    encodeQuery({ name: parseName(name), type, class: 1 }, i + 1),
  );
  await queryTcp(dnsPort, packets);
}

test('each node counts its own queries, and both return the sum', async () => {
  const rig = await startCluster(2, { WAYPOST_STATISTICS_SAMPLING: '1' });
  try {
    const [a, b] = rig.nodes;
    const id = await a.api.createDomain('sum.test');
    await a.api.createRecord(id, 'www', 'A', '192.0.2.1');
    await send(a, 'www.sum.test.', TYPE.A, 5);
    await send(b, 'www.sum.test.', TYPE.A, 7);
    await send(b, 'sum.test.', TYPE.MX, 2);
    for (const node of rig.nodes)
      for (const path of [`/api/v1/domains/${id}/statistics`, '/api/v1/statistics']) {
        const { queries, nodes, top_names } = await statisticsAt(node, path);
        assert.equal(
          queries.by_type.map(({ name, total }) => [name, total]),
          [
            ['A', 12],
            ['MX', 2],
          ],
        );
        assert.is(top_names[0].queries, 12);
        assert.equal(nodes, { answered: ['a', 'b'], missing: [] });
      }
    await a.stop();
    const rest = await statisticsAt(b, `/api/v1/domains/${id}/statistics`);
    assert.is(rest.queries.total, 9);
    assert.equal(rest.nodes, { answered: ['b'], missing: ['a'] });
    await a.start();
    const again = await statisticsAt(a, `/api/v1/domains/${id}/statistics`);
    assert.is(again.queries.total, 14);
    assert.equal(again.nodes.missing, []);
  } finally {
    await rig.close();
  }
});

const why = whyNotPrograms('etcd');
if (why === null) test.run();
else console.log(`skipped: statistics in a cluster, ${why}`);
