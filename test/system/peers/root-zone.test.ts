/**
 * The root zone as a secondary of Knot DNS, which signs it: answers, proofs and transfers are those
 * of Knot, next to zones of ours below it.
 */
import { setImmediate as turn } from 'node:timers/promises';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import type { ApiResponse, Json } from '../../support/api-client.ts';
import { ADMIN_PASSWORD } from '../../support/daemon.ts';
import { type Borrowed, borrowDaemon } from '../../support/shared-daemon.ts';
import { untilIs } from '../../support/until.ts';
import { type Line, TestPrimary } from './primaries.ts';
import { whyNotSecondary } from './secondaries.ts';
import { dig, provenAt, zoneAt } from './zone-comparison.ts';

const LINES: readonly Line[] = [
  ['com', 'NS', 'a.gtld.com.'],
  ['a.gtld.com', 'A', '192.0.2.2'],
  ['com', 'DS', '1 13 2 E3B0C44298FC1C149AFBF4C8996FB92427AE41E4649B934CA495991B7852B855'],
  ['org', 'NS', 'b.org.'],
  ['b.org', 'A', '192.0.2.3'],
  ['deep.x.y', 'TXT', '"text"'],
  ['*.wild', 'TXT', '"any"'],
  ['own', 'NS', 'ns.example.org.'],
];
const QUERIES: readonly (readonly [name: string, type: string])[] = [
  ['.', 'SOA'],
  ['.', 'NS'],
  ['.', 'DNSKEY'],
  ['.', 'MX'],
  ['com', 'NS'],
  ['com', 'DS'],
  ['org', 'DS'],
  ['www.example.com', 'A'],
  ['example.org', 'A'],
  ['nothing', 'A'],
  ['a.nothing', 'A'],
  ['y', 'A'],
  ['deep.x.y', 'TXT'],
  ['q.wild', 'TXT'],
  ['q.wild', 'A'],
];

const test = suite('the root zone as a secondary');
const primaries: TestPrimary[] = [];
let daemon: Borrowed;

/** Each `dig` blocks this process, in which the API may have closed its connection. */
async function call(method: string, path: string, json?: Json): Promise<ApiResponse> {
  await turn();
  return daemon.api.call(method, path, json);
}

test.before(async () => {
  daemon = await borrowDaemon();
  await daemon.api.logIn('admin', ADMIN_PASSWORD);
});
test.after(async () => {
  for (const primary of primaries) await primary.close();
  await daemon.giveBack();
});

for (const signing of ['nsec', 'nsec3'] as const)
  test(`the root zone signed with ${signing}`, async () => {
    const primary = await TestPrimary.open('knot', { zone: '.', secondary: daemon.dnsPort, signing });
    primaries.push(primary);
    primary.write(1, LINES);
    await primary.start();
    const { body } = await daemon.api.call('POST', '/api/v1/domains', {
      ...{ domain: '.', kind: 'secondary', primaries: [{ address: `127.0.0.1:${primary.port}` }] },
    });
    const { id, domain } = body.domain as { id: number; domain: string };
    assert.is(domain, '.');
    await untilIs(() => dig(daemon.dnsPort, '+short', 'deep.x.y', 'TXT').trim(), '"text"');
    for (const [name, type] of QUERIES)
      assert.equal(provenAt(daemon.dnsPort, name, type), provenAt(primary.port, name, type), `${name} ${type}`);
    assert.equal(zoneAt(daemon.dnsPort, '.'), zoneAt(primary.port, '.'));
    // A zone of ours answers for its names, and its parent for the DS.
    const { body: own } = await call('POST', '/api/v1/domains', { domain: 'own' });
    const ownId = (own.domain as { id: number }).id;
    await call('POST', `/api/v1/domains/${ownId}/records`, {
      ...{ name: 'www', type: 'A', content: '192.0.2.7' },
    });
    assert.is(dig(daemon.dnsPort, '+short', 'www.own', 'A').trim(), '192.0.2.7');
    assert.match(dig(daemon.dnsPort, '+norec', '+comments', 'own', 'SOA'), /flags:[^;]* aa/);
    assert.equal(provenAt(daemon.dnsPort, 'own', 'DS'), provenAt(primary.port, 'own', 'DS'));
    primary.write(9, [...LINES, ['new', 'TXT', '"later"']]);
    await untilIs(() => dig(daemon.dnsPort, '+short', 'new', 'TXT').trim(), '"later"');
    assert.equal(provenAt(daemon.dnsPort, 'nothing', 'A'), provenAt(primary.port, 'nothing', 'A'));
    for (const gone of [ownId, id]) await call('DELETE', `/api/v1/domains/${gone}`);
    assert.match(dig(daemon.dnsPort, '+norec', '+comments', '.', 'SOA'), /REFUSED/);
  });

test('only administrators have the root zone, and only as a secondary', async () => {
  const refused = await daemon.api.request('POST', '/api/v1/domains', { domain: '.' });
  assert.is(refused.status, 422);
});

const missing = whyNotSecondary('knot');
if (missing === null) test.run();
else console.log(`skipped: ${missing}`);
