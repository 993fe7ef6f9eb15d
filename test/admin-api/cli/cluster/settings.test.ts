/** Messages of the cluster commands about the settings of a node. */
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { reachLines } from '../../../../admin-api/cli/cluster/settings.ts';
import { loadConfig } from '../../../../core/config/index.ts';

const warningsFor = (etcd: string, more: NodeJS.ProcessEnv = {}): string =>
  [...reachLines(loadConfig({ env: { WAYPOST_ETCD_ENDPOINTS: etcd, ...more } }))].join('\n');

test('warns a node that advertises its loopback address, with the setting', () => {
  const elsewhere = [
    'http://192.0.2.14:2379',
    'http://127.0.0.1:2379,https://etcd.example.net:2379',
    'http://[2001:db8::1]:2379',
  ];
  for (const etcd of elsewhere) {
    assert.match(
      warningsFor(etcd),
      /cannot reach this node: its peer\.listen is 127\.0\.0\.1:8301.*WAYPOST_PEER_LISTEN/s,
    );
    assert.match(warningsFor(etcd, { WAYPOST_PEER_LISTEN: '[::1]:8301' }), /is \[::1\]:8301/);
    assert.is(warningsFor(etcd, { WAYPOST_PEER_LISTEN: '192.0.2.11:8301' }), '');
    assert.is(warningsFor(etcd, { WAYPOST_PEER_ADVERTISE: '192.0.2.11:8301' }), '');
  }
});

test('does not warn if all nodes are on one machine', () => {
  for (const etcd of ['http://127.0.0.1:2379,http://127.0.0.2:2379', 'http://[::1]:2379', 'http://localhost:2379'])
    assert.is(warningsFor(etcd), '');
});

test.run();
