/** Warnings about the addresses of the edge. */
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { addressWarnings } from '../../../../admin-api/sites/proxy/warnings.ts';
import { startRig } from './rig.ts';

test('addresses that no visitor reaches, and none at all, are warnings', () => {
  assert.equal(addressWarnings({ ipv4: ['192.0.2.80'], ipv6: [] }), []);
  assert.match(
    addressWarnings({ ipv4: ['127.0.0.1'], ipv6: ['::1'] })[0],
    /resolve to 127\.0\.0\.1 and ::1 \(loopback\)/,
  );
  assert.match(addressWarnings({ ipv4: ['192.0.2.80'], ipv6: ['::1'] })[0], /resolve to ::1 \(loopback\)/);
  assert.match(addressWarnings({ ipv4: [], ipv6: [] })[0], /have no addresses/);
});

test('a proxy that is on has the warning, with the settings to change', async () => {
  const { daemon, domain, proxy } = await startRig('auto', { WAYPOST_CLUSTER_IPV4: '127.0.0.1' });
  try {
    const id = await domain('local.test', ['www A 192.0.2.1']);
    assert.equal((await proxy('PUT', id, '', { origin: '1.1.1.1' })).body.proxy.warnings, [], 'it is off');
    const { body } = await proxy('POST', id, '/toggle', { enable: true });
    assert.equal(body.proxy.warnings, [
      'Proxied names resolve to 127.0.0.1 and ::1 (loopback), which no visitor reaches. The operator of this service must set cluster.ipv4 and cluster.ipv6 to its public addresses, or to [].',
    ]);
    assert.equal((await proxy('GET', id)).body.proxy.warnings, body.proxy.warnings);
  } finally {
    await daemon.stop();
  }
});

test.run();
