/**
 * A domain with own nameservers, secondaries and source addresses, set by the API: Knot DNS
 * transfers it, follows each NOTIFY, and serves the same apex; ACLs see the source addresses.
 */
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { ADMIN_PASSWORD, type Daemon, startDaemon } from '../../support/daemon.ts';
import { freePort } from '../../support/ports.ts';
import { untilIs, untilMatches } from '../../support/until.ts';
import { TestPrimary } from './primaries.ts';
import { type Secondary, startSecondary, whyNotSecondary } from './secondaries.ts';
import { dig, zoneAt } from './zone-comparison.ts';

const ZONE = 'vanity.example';
/** A second address of this machine. */
const SOURCE = '127.0.0.9';
const test = suite('own nameservers and secondaries');
let daemon: Daemon;
let knot: Secondary;

test.before(async () => {
  daemon = await startDaemon({ WAYPOST_SECONDARY_ALLOW_PRIVATE_PRIMARIES: 'true' });
  await daemon.api.logIn('admin', ADMIN_PASSWORD);
});
test.after(async () => {
  await knot?.stop();
  await daemon.close();
});

test('a secondary of one domain transfers it and follows its changes', async () => {
  const { api, dnsPort } = daemon;
  const { body } = await api.call('POST', '/api/v1/domains', { domain: ZONE });
  const path = `/api/v1/domains/${(body.domain as unknown as { id: number }).id}`;
  assert.match(dig(dnsPort, '+answer', ZONE, 'AXFR'), /failed/i);
  const port = await freePort();
  await api.call('PUT', `${path}/distribution`, {
    ...{ nameservers: [`ns1.${ZONE}`, 'ns.other.example'], nameserver_ttl: 600 },
    ...{ also_notify: [`127.0.0.1:${port}`], allow_transfer: ['127.0.0.1'] },
  });
  await api.call('POST', `${path}/records`, { name: 'ns1', type: 'A', content: '192.0.2.53' });
  assert.equal(dig(dnsPort, '+short', ZONE, 'NS').trim().split('\n').sort(), ['ns.other.example.', `ns1.${ZONE}.`]);
  knot = await startSecondary('knot', { port, primaryPort: dnsPort, zones: [ZONE] });
  await untilIs(() => dig(port, '+short', `ns1.${ZONE}`, 'A').trim(), '192.0.2.53');
  assert.equal(zoneAt(port, ZONE), zoneAt(dnsPort, ZONE));
  await api.call('POST', `${path}/records`, { name: 'new', type: 'A', content: '192.0.2.9' });
  await untilIs(() => dig(port, '+short', `new.${ZONE}`, 'A').trim(), '192.0.2.9');
});

test('NOTIFY of one domain has its source address, and passes addresses of other nodes', async () => {
  const { api, dnsPort } = daemon;
  const zone = 'sourced.example';
  const { body } = await api.call('POST', '/api/v1/domains', { domain: zone });
  const path = `/api/v1/domains/${(body.domain as unknown as { id: number }).id}`;
  const port = await freePort();
  await api.call('PUT', `${path}/distribution`, {
    ...{ also_notify: [`127.0.0.1:${port}`], allow_transfer: ['127.0.0.1'] },
  });
  const server = await startSecondary('knot', { port, primaryPort: dnsPort, zones: [zone], notifier: SOURCE });
  try {
    await untilIs(() => dig(port, '+short', zone, 'SOA').split(' ')[2] !== undefined, true);
    await api.call('POST', `${path}/records`, { name: 'a', type: 'A', content: '192.0.2.1' });
    // The ACL of Knot is for the source address alone.
    await untilMatches(() => daemon.child.output(), /NOTIFY refused.*zone=sourced\.example/);
    assert.is(dig(port, '+short', `a.${zone}`, 'A').trim(), '');
    const { body: changed } = await api.call('PUT', `${path}/distribution`, { transfer_source: ['192.0.2.7', SOURCE] });
    const { transfer_source, warnings } = changed.distribution as { transfer_source: string[]; warnings: string[] };
    assert.equal([transfer_source, warnings], [['192.0.2.7', SOURCE], []]);
    await api.call('POST', `${path}/records`, { name: 'b', type: 'A', content: '192.0.2.2' });
    await untilIs(() => dig(port, '+short', `b.${zone}`, 'A').trim(), '192.0.2.2');
    await untilMatches(() => server.output(), new RegExp(`notify, incoming, remote ${SOURCE}@`));
    // Addresses of other nodes alone: NOTIFY comes from the address of the route.
    const { body: foreign } = await api.call('PUT', `${path}/distribution`, { transfer_source: ['192.0.2.7'] });
    assert.match((foreign.distribution as { warnings: string[] }).warnings[0], /does not have the IPv4 address 192/);
    await api.call('POST', `${path}/records`, { name: 'c', type: 'A', content: '192.0.2.3' });
    await untilMatches(
      () => daemon.child.output(),
      /a zone has source addresses of other nodes alone.*sources=192\.0\.2\.7/,
    );
  } finally {
    await server.stop();
  }
});

for (const kind of ['knot', 'bind'] as const)
  test(`a secondary zone is transferred from its source address, which the ACL of ${kind} demands`, async () => {
    const zone = `${kind}.example`;
    const primary = await TestPrimary.open(kind, { zone, secondary: daemon.dnsPort, client: SOURCE });
    try {
      primary.write(1, [['www', 'A', '192.0.2.1']]);
      await primary.start();
      const { api } = daemon;
      const primaries = [{ address: `127.0.0.1:${primary.port}` }];
      const { body } = await api.call('POST', '/api/v1/domains', { domain: zone, kind: 'secondary', primaries });
      const path = `/api/v1/domains/${(body.domain as unknown as { id: number }).id}`;
      const state = async (): Promise<string> => {
        const { domain } = (await api.call('POST', `${path}/transfer`)).body;
        const { secondary } = domain as unknown as { secondary: { state: string; error: string | null } };
        return secondary.error ?? secondary.state;
      };
      assert.match(await state(), /REFUSED|NOTAUTH/);
      await api.call('PUT', `${path}/distribution`, { transfer_source: [SOURCE] });
      await untilIs(state, 'current');
      assert.is(dig(daemon.dnsPort, '+short', `www.${zone}`, 'A').trim(), '192.0.2.1');
    } finally {
      await primary.close();
    }
  });

const missing = whyNotSecondary('knot');
if (missing === null) test.run();
else console.log(`skipped: ${missing}`);
