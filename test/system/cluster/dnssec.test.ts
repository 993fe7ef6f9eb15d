/** A zone that one node signs is served with the same signatures by all nodes. */
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import type { Daemon } from '../../support/daemon.ts';
import { runProgram, whyNotPrograms } from '../../support/programs.ts';
import { until } from '../../support/until.ts';
import { startCluster } from './rig.ts';

/** No answer from there, at once: the test does not depend on a network. */
const SETTINGS = { WAYPOST_DNSSEC_RESOLVERS: '127.0.0.1:9' };

async function signatures({ dnsPort }: Daemon, type: string): Promise<string> {
  const args = ['@127.0.0.1', '-p', `${dnsPort}`, '+short', '+dnssec', 'www.signed.example', type];
  const { output } = await runProgram('dig', args);
  return output.trim().split('\n').sort().join('\n');
}

test('nodes sign alike, agree on the state of the zone, and continue when one stops', async () => {
  const { nodes, close } = await startCluster(3, SETTINGS);
  try {
    const [first, second, third] = nodes;
    const { body: created } = await first.api.call('POST', '/api/v1/domains', { domain: 'signed.example' });
    const path = `/api/v1/domains/${(created.domain as { id: number }).id}`;
    await first.api.call('POST', `${path}/records`, { name: 'www', type: 'A', content: '192.0.2.1' });
    const { body } = await second.api.call('PUT', `${path}/dnssec`, { enabled: true });
    assert.is(body.status, 'signing');
    for (const node of nodes)
      await until(async () => {
        const { body: seen } = await node.api.call('GET', `${path}/dnssec`);
        return /until caches/.test(String(seen.next_step));
      }, 'all nodes serve the signatures');
    const [expected, ...others] = await Promise.all(nodes.map((node) => signatures(node, 'A')));
    assert.match(expected, /^192\.0\.2\.1\nA 13 3 300 /);
    for (const text of others) assert.is(text, expected);
    await third.stop();
    const { body: removing } = await first.api.call('PUT', `${path}/dnssec`, { enabled: false });
    assert.is(removing.status, 'removing_ds');
    const { body: seen } = await second.api.call('PUT', `${path}/dnssec`, { enabled: false, force: true });
    assert.is(seen.status, 'off');
    for (const node of [first, second])
      await until(async () => (await signatures(node, 'A')) === '192.0.2.1', 'the signatures are gone');
  } finally {
    await close();
  }
});

const why = whyNotPrograms('etcd', 'dig');
if (why === null) test.run();
else console.log(`skipped: DNSSEC in a cluster, ${why}`);
