/** The nameservers and secondaries of a domain: shapes, defaults, faults, and the PowerDNS API. */
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { type Daemon, startDaemon } from '../../daemon.ts';

interface Distribution {
  readonly nameservers: readonly string[];
  readonly nameserver_ttl: number;
  readonly own_nameservers: boolean;
  readonly also_notify: readonly string[];
  readonly allow_transfer: readonly string[];
  readonly transfer_source: readonly string[];
  readonly warnings: readonly string[];
}

const test = suite<{ daemon: Daemon; alice: string; path: string }>('distribution');
test.before(async (context) => {
  context.daemon = await startDaemon();
  context.alice = (await context.daemon.account('alice')).token;
  const json = { domain: 'shared.example' };
  const { body } = await context.daemon.call('POST', '/api/v1/domains', { token: context.alice, json });
  context.path = `/api/v1/domains/${(body.domain as unknown as { id: number }).id}`;
});
test.after(({ daemon }) => daemon.stop());

test('own nameservers replace those of the service, and an empty list restores them', async (context) => {
  const { daemon, alice: token, path } = context;
  const read = async (): Promise<Distribution> => {
    const { body } = await daemon.call('GET', `${path}/distribution`, { token });
    return body.distribution as unknown as Distribution;
  };
  const before = await read();
  assert.is(before.own_nameservers, false);
  const nameservers = ['ns1.shared.example', 'ns.other.example'];
  const changed = await daemon.call('PUT', `${path}/distribution`, {
    ...{ token, json: { nameservers, nameserver_ttl: 600 } },
  });
  assert.is(changed.status, 200, changed.text);
  assert.equal({ ...(await read()) }, { ...before, nameservers, nameserver_ttl: 600, own_nameservers: true });
  const { body } = await daemon.call('GET', path, { token });
  assert.equal((body.domain as unknown as Distribution).nameservers, nameservers);
  await daemon.call('PUT', `${path}/distribution`, { token, json: { nameservers: [] } });
  assert.equal(await read(), before);
});

test('secondaries are stored as the metadata of the PowerDNS API', async ({ daemon, alice: token, path }) => {
  const lists = { also_notify: ['198.51.101.7', '[2606:4700::1]:5353'], allow_transfer: ['198.51.101.0/24'] };
  const { body } = await daemon.call('PUT', `${path}/distribution`, { token, json: lists });
  const { also_notify, allow_transfer } = body.distribution as unknown as Distribution;
  assert.equal({ also_notify, allow_transfer }, lists);
  await daemon.call('PUT', `${path}/distribution`, { token, json: { allow_transfer: [] } });
  const { body: after } = await daemon.call('GET', `${path}/distribution`, { token });
  assert.equal((after.distribution as unknown as Distribution).also_notify, lists.also_notify);
  assert.equal((after.distribution as unknown as Distribution).allow_transfer, []);
});

test('source addresses are metadata of PowerDNS, with a warning if this node has none of them', async (context) => {
  const { daemon, alice: token, path } = context;
  const json = { transfer_source: ['198.51.101.7', '2606:4700::1'] };
  const { body } = await daemon.call('PUT', `${path}/distribution`, { token, json });
  const { transfer_source, warnings } = body.distribution as unknown as Distribution;
  assert.equal(transfer_source, json.transfer_source);
  assert.is(warnings.length, 2);
  assert.match(warnings[0], /^The node .* does not have the IPv4 address 198\.51\.101\.7; it uses the address of/);
  const metadata = '/api/v1/servers/localhost/zones/shared.example./metadata/AXFR-SOURCE';
  assert.equal((await daemon.call('GET', metadata, { token })).body.metadata, json.transfer_source);
  const { status } = await daemon.call('PUT', metadata, { token, json: { metadata: ['10.0.0.1'] } });
  assert.is(status, 422);
  await daemon.call('PUT', metadata, { token: daemon.adminToken, json: { metadata: ['127.0.0.1'] } });
  const { body: after } = await daemon.call('GET', `${path}/distribution`, { token });
  const distribution = after.distribution as unknown as Distribution;
  assert.equal([distribution.transfer_source, distribution.warnings], [['127.0.0.1'], []]);
});

test('an address of one machine only gets advice', async ({ daemon, alice: token, path }) => {
  for (const [json, advice] of [
    [{ also_notify: ['[fe80::1%eth0]:5353'] }, /use a global or unique local address\.$/],
    [{ also_notify: ['::ffff:198.51.101.7'] }, /write an IPv4 address without "::ffff:" in front of it\.$/],
    [{ transfer_source: ['fe80::1%eth0'] }, /use a global or unique local address\.$/],
    [{ transfer_source: ['::ffff:198.51.101.7'] }, /write an IPv4 address without/],
    [{ allow_transfer: ['fe80::%eth0/64'] }, /use a global or unique local address\.$/],
  ] as const) {
    const { status, body } = await daemon.call('PUT', `${path}/distribution`, { token, json });
    const { error } = body as unknown as { error: { message: string } };
    assert.is(status, 422);
    assert.match(error.message, advice);
  }
});

test('faults name the entry', async ({ daemon, alice: token, path }) => {
  for (const [json, code, pointer] of [
    [{ also_notify: ['198.51.101.7', 'ns.example'] }, 'invalid_address', '/also_notify/1'],
    [{ also_notify: ['127.0.0.1'] }, 'private_address', '/also_notify/0'],
    [{ allow_transfer: ['198.0.0.0/8'] }, 'invalid_prefix', '/allow_transfer/0'],
    [{ transfer_source: ['198.51.101.0/24'] }, 'invalid_address', '/transfer_source/0'],
    [{ transfer_source: ['198.51.101.7', '127.0.0.1'] }, 'private_address', '/transfer_source/1'],
    [{ nameservers: ['192.0.2.1'] }, 'invalid_host', '/nameservers/0'],
    [{ nameservers: ['ns1'] }, 'relative_target', '/nameservers/0'],
    [{ nameserver_ttl: 60 }, 'contradiction', '/nameserver_ttl'],
  ] as const) {
    const { status, body } = await daemon.call('PUT', `${path}/distribution`, { token, json });
    const { error } = body as unknown as { error: { code: string; pointer: string } };
    assert.equal([status, error.code, error.pointer], [422, code, pointer]);
  }
});

test.run();
