/** Where the edges of nodes answer each other. */
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { edgesOf, ownEdge } from '../../../core/cluster/edge-address.ts';
import type { Config } from '../../../core/config/index.ts';

type Listen = Config['peer']['listen'];

const edgeOf = (https: string | null, port: number, advertise: string | undefined, cachePeers = true) =>
  ownEdge({
    edge: { cachePeers, httpsListen: https === null ? [] : [{ address: https, port, family: 4 } as Listen] },
    peer: { listen: { address: '0.0.0.0', port: 7300, family: 4 } as Listen, advertise },
  } as unknown as Pick<Config, 'edge' | 'peer'>);

test('an edge is at its first address with TLS', () => {
  assert.is(edgeOf('192.0.2.1', 443, 'fra1.example.net:7300'), '192.0.2.1:443');
  assert.is(edgeOf('0.0.0.0', 443, 'fra1.example.net:7300'), 'fra1.example.net:443');
  assert.is(edgeOf('::', 8443, '[2001:db8::1]:7300'), '[2001:db8::1]:8443');
  assert.is(edgeOf('127.0.0.1', 8443, '127.0.0.1:7300'), '127.0.0.1:8443');
});

test('an edge that others cannot reach has no address', () => {
  assert.is(edgeOf('127.0.0.1', 443, '192.0.2.1:7300'), undefined);
  assert.is(edgeOf('0.0.0.0', 443, undefined), undefined);
  assert.is(edgeOf('192.0.2.1', 0, '192.0.2.1:7300'), undefined);
  assert.is(edgeOf(null, 0, '192.0.2.1:7300'), undefined);
  assert.is(edgeOf('192.0.2.1', 443, '192.0.2.1:7300', false), undefined);
});

test('edges of members are sorted by name; those without an address are left out', () => {
  const member = { version: '1', address: 'x:1' };
  assert.equal(
    edgesOf([
      { ...member, name: 'c', edge: '[2001:db8::1]:443' },
      { ...member, name: 'b' },
      { ...member, name: 'a', edge: 'a.example.net:8443' },
      { ...member, name: 'd', edge: 'nonsense' },
    ]),
    [
      { name: 'a', host: 'a.example.net', port: 8443 },
      { name: 'c', host: '2001:db8::1', port: 443 },
    ],
  );
});

test.run();
