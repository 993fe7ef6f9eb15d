/**
 * Large imports in a cluster: other nodes go on writing, every node serves all of it once it is
 * answered, and SIGKILL of the importing node leaves nothing of it.
 */
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { parseName } from '../../../core/dns/wire/name.ts';
import { CLASS_IN, TYPE } from '../../../core/dns/wire/types.ts';
import { ADMIN_PASSWORD, type Daemon } from '../../support/daemon.ts';
import { queryAll, UdpClient } from '../../support/dns-client.ts';
import { decodeMessage, encodeQuery } from '../../support/message.ts';
import { whyNotPrograms } from '../../support/programs.ts';
import { until, untilPasses } from '../../support/until.ts';
import { type ClusterRig, startCluster } from './rig.ts';

const RECORDS = 20_000;
const ZONE = 'imported.example';
/** Entries after which the node that imports is killed. */
const PARTS = 3;

function zoneFile(variant: number): string {
  let text = '';
  for (let i = 0; i < RECORDS; i++) text += `n${i} 300 A 192.0.${variant}.${i % 250}\n`;
  return text;
}

const put = ({ api }: Daemon, domain: string, variant: number) =>
  api.request('PUT', `/api/v1/domains/${domain}/zonefile`, zoneFile(variant), 'text/dns');

/** The third byte of all addresses of the zone, by the API. */
async function variantsIn({ api }: Daemon, domain: string): Promise<string[]> {
  const { text } = await api.request('GET', `/api/v1/domains/${domain}/zonefile`);
  const addresses = text.match(/192\.0\.\d+\.\d+/g) ?? [];
  assert.is(addresses.length, RECORDS);
  return [...new Set(addresses.map((address) => address.split('.')[2]))];
}

async function variantsOverDns({ dnsPort }: Daemon): Promise<string[]> {
  const client = await UdpClient.connect(dnsPort);
  try {
    const packets = Array.from({ length: 500 }, (_, i) =>
      encodeQuery({ name: parseName(`n${i * (RECORDS / 500)}.${ZONE}.`), type: TYPE.A, class: CLASS_IN }, i),
    );
    const found = new Set<string>();
    for (const response of await queryAll(client, packets, 50)) {
      if (response === null) throw new Error('no answer');
      for (const { rdata } of decodeMessage(response).answer) found.add(String(rdata[2]));
    }
    return [...found];
  } finally {
    client.close();
  }
}

const headOf = async ({ api }: Daemon): Promise<number> => {
  const { body } = await api.call('GET', '/api/v1/nodes');
  return body.head as number;
};

async function withZone(work: (rig: ClusterRig, domain: string) => Promise<void>): Promise<void> {
  const rig = await startCluster(3);
  try {
    const domain = await rig.nodes[0].api.createDomain(ZONE);
    assert.is((await put(rig.nodes[0], domain, 1)).status, 200);
    await work(rig, domain);
  } finally {
    await rig.close();
  }
}

test('during an import on one node the others write, and see all of it or nothing', () =>
  withZone(async ({ nodes }, domain) => {
    const [, b, c] = nodes;
    for (const node of nodes)
      assert.equal(await variantsOverDns(node), ['1'], 'all nodes serve it when it is answered');
    const other = await b.api.createDomain('other.example');
    let isOver = false;
    const imported = put(nodes[0], domain, 2).finally(() => {
      isOver = true;
    });
    let writes = 0;
    for (; !isOver; writes++) {
      await [b, c][writes % 2].api.createRecord(other, `w${writes}`, 'A', '192.0.2.1', 60);
      const [variant, ...more] = await variantsIn(b, domain);
      assert.equal(more, []);
      assert.ok(['1', '2'].includes(variant));
    }
    assert.is((await imported).status, 200);
    assert.ok(writes > 1, `${writes} writes`);
    for (const node of nodes) {
      assert.equal(await variantsIn(node, domain), ['2']);
      assert.equal(await variantsOverDns(node), ['2']);
    }
  }));

test('after SIGKILL of the node that imports, nothing of it is left, and another node can import', () =>
  withZone(async ({ nodes }, domain) => {
    const [a, b, c] = nodes;
    const before = await headOf(b);
    let status = 0;
    const imported = put(a, domain, 2).then(
      (response) => {
        ({ status } = response);
      },
      (error: unknown) => {
        // fetch fails with TypeError when the connection breaks.
        if (!(error instanceof TypeError)) throw error;
      },
    );
    await until(async () => (await headOf(b)) >= before + PARTS || status !== 0, 'the import has begun');
    await a.kill();
    await imported;
    const [current, ...more] = await variantsIn(b, domain);
    assert.equal(more, []);
    // A fast machine may have imported all of it.
    assert.ok(current === '2' || status === 0);
    assert.equal(await variantsIn(c, domain), [current]);
    for (const node of [b, c]) await untilPasses(async () => assert.equal(await variantsOverDns(node), [current]));
    // It waits until the import of the dead node is withdrawn.
    assert.is((await put(b, domain, 3)).status, 200);
    await a.start();
    await a.api.logIn('admin', ADMIN_PASSWORD);
    for (const node of nodes)
      await untilPasses(async () => {
        assert.equal(await variantsIn(node, domain), ['3']);
        assert.equal(await variantsOverDns(node), ['3']);
      });
  }));

const why = whyNotPrograms('etcd');
if (why === null) test.run();
else console.log(`skipped: large imports in a cluster, ${why}`);
