/**
 * A domain with own nameservers and secondaries, set by the API: Knot DNS transfers it, follows
 * each NOTIFY, and serves the same apex.
 */
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { ADMIN_PASSWORD } from '../../support/daemon.ts';
import { freePort } from '../../support/ports.ts';
import { type Borrowed, borrowDaemon } from '../../support/shared-daemon.ts';
import { untilIs } from '../../support/until.ts';
import { type Secondary, startSecondary, whyNotSecondary } from './secondaries.ts';
import { dig, zoneAt } from './zone-comparison.ts';

const ZONE = 'vanity.example';
const test = suite('own nameservers and secondaries');
let daemon: Borrowed;
let knot: Secondary;

test.before(async () => {
  daemon = await borrowDaemon('plain');
  await daemon.api.logIn('admin', ADMIN_PASSWORD);
});
test.after(async () => {
  await knot?.stop();
  await daemon.giveBack();
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

const missing = whyNotSecondary('knot');
if (missing === null) test.run();
else console.log(`skipped: ${missing}`);
