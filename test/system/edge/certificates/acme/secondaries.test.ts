/**
 * A domain with a secondary (Knot DNS) among its nameservers, which is the one that the authority
 * (Pebble) asks. It transfers the zone through a relay that the test closes and opens.
 */
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { ADMIN_PASSWORD, type Daemon, startDaemon } from '../../../../support/daemon.ts';
import { freePort } from '../../../../support/ports.ts';
import { whyNotPrograms } from '../../../../support/programs.ts';
import { Relay } from '../../../../support/relay.ts';
import { untilIs, untilMatches } from '../../../../support/until.ts';
import { acmeSettings, type Directory, startDirectory } from '../../../peers/pebble.ts';
import { type Secondary, startSecondary, whyNotSecondary } from '../../../peers/secondaries.ts';
import { dig } from '../../../peers/zone-comparison.ts';

const ZONE = 'secondary.test';

interface Context {
  daemon: Daemon;
  dnsPort: number;
  directory: Directory;
  relay: Relay;
  knot: Secondary;
  knotPort: number;
}

const test = suite<Context>('certificates of a domain with secondaries');

test.before(async (context) => {
  const [dnsPort, knotPort, httpPort, httpsPort] = [
    await freePort(),
    await freePort(),
    await freePort(),
    await freePort(),
  ];
  const relay = await Relay.start(dnsPort);
  const knot = await startSecondary('knot', { port: knotPort, primaryPort: relay.port, zones: [ZONE] });
  Object.assign(context, { dnsPort, knotPort, relay, knot });
  context.directory = await startDirectory(knotPort);
  context.daemon = await startDaemon({
    WAYPOST_DNS_LISTEN: `127.0.0.1:${dnsPort}`,
    WAYPOST_TRANSFER_ALLOW: '127.0.0.1',
    WAYPOST_TRANSFER_NOTIFY: `127.0.0.1:${knotPort}`,
    WAYPOST_EDGE_HTTP_LISTEN: `127.0.0.1:${httpPort}`,
    WAYPOST_EDGE_HTTPS_LISTEN: `127.0.0.1:${httpsPort}`,
    WAYPOST_EDGE_WORKERS: '1',
    WAYPOST_EDGE_ALLOW_PRIVATE_ORIGINS: '127.0.0.0/8',
    ...acmeSettings(context.directory, dnsPort),
  });
  await context.daemon.api.logIn('admin', ADMIN_PASSWORD);
});
test.after(async ({ daemon, directory, knot, relay }) => {
  await daemon?.close();
  await directory?.stop();
  await knot?.stop();
  relay?.close();
});

test('the validation starts when the secondary has transferred the challenge', async (context) => {
  const { daemon, directory, dnsPort, knotPort, relay } = context;
  const { api } = daemon;
  const id = await api.createDomain(ZONE);
  const path = `/api/v1/domains/${id}`;
  const add = async (name: string, content: string): Promise<void> => {
    const { status } = await api.call('POST', `${path}/records`, { name, type: 'A', content });
    assert.is(status, 200);
  };
  await api.call('PUT', `${path}/distribution`, { nameservers: [`ns1.${ZONE}`, `ns2.${ZONE}`] });
  await add('ns1', '127.0.0.1');
  await add('ns2', '127.0.0.1');
  await add('@', '192.0.2.1');
  await untilIs(() => dig(knotPort, '+short', ZONE, 'A').trim(), '192.0.2.1');

  relay.target = await freePort();
  await api.call('PUT', `${path}/proxy`, { origin: '127.0.0.1', port: 9, protocol: 'http' });
  assert.is((await api.call('POST', `${path}/proxy/toggle`, { enable: true })).status, 200);
  const challenge = `_acme-challenge.${ZONE}`;
  await untilMatches(
    () => daemon.child.output(),
    new RegExp(`waiting for a nameserver to transfer the challenge.*ns[12]\\.secondary\\.test.*port ${knotPort}`),
  );
  assert.match(dig(dnsPort, '+short', challenge, 'TXT'), /^"/);
  assert.match(dig(knotPort, '+comments', challenge, 'TXT'), /NXDOMAIN/);
  assert.not.match(directory.output(), /\/chalZ\//, 'no validation is requested');

  relay.target = dnsPort;
  // Knot asks again at the next NOTIFY, which follows each change.
  await add('www', '192.0.2.2');
  const state = async (): Promise<unknown> => {
    const { proxy } = (await api.call('GET', `${path}/proxy`)).body;
    return proxy;
  };
  await untilMatches(async () => JSON.stringify(await state()), /"ssl_status":"active"/);
  assert.match(directory.output(), /\/chalZ\//);
  assert.match(JSON.stringify(await state()), /"ssl_error":null/);
});

const why = whyNotPrograms('pebble', 'dig') ?? whyNotSecondary('knot');
if (why === null) test.run();
else console.log(`skipped: certificates of a domain with secondaries, ${why}`);
