/**
 * A second authority: it issues what the first one fails for reasons of its own. Both are pebble; a
 * front of the first answers in its place, and the second wants an external account.
 */
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { parseRdata } from '../../../../../core/dns/wire/rdata/index.ts';
import { TYPE } from '../../../../../core/dns/wire/types.ts';
import type { Domain } from '../../../../../core/store/rows.ts';
import { newRecord } from '../../../../core/journal/fixture.ts';
import { type Front, type Reply, startFront, withJson } from '../../../../edge/certificates/acme/front.ts';
import { Rig } from '../../../../edge/certificates/acme/rig.ts';
import { whyNotPrograms } from '../../../../support/programs.ts';
import { temporaryFolder } from '../../../../support/temp.ts';
import { type Directory, startDirectory } from '../../../peers/pebble.ts';

interface Context {
  rig: Rig;
  first: Directory;
  front: Front;
  second: Directory;
  /** Settings with both. */
  settings: Parameters<Rig['start']>[0];
}

const test = suite<Context>('certificates from a second authority');
const HMAC = Buffer.alloc(32, 9).toString('base64url');

test.before(async (context) => {
  const rig = await Rig.open();
  const first = await startDirectory(rig.dnsPort);
  const front = await startFront(first);
  const second = await startDirectory(rig.dnsPort, { externalAccounts: { 'kid-2': HMAC } });
  const caFile = join(temporaryFolder('roots'), 'roots.pem');
  writeFileSync(caFile, `${readFileSync(front.authority)}\n${readFileSync(second.authority)}`);
  const settings = {
    ...{ caFile, directory: front.url, fallbackDirectory: second.url },
    ...{ fallbackEabKid: 'kid-2', fallbackEabHmacKey: HMAC, fallbackCaaIdentities: ['fallback.test'] },
  };
  Object.assign(context, { rig, first, front, second, settings });
});
test.after.each(async ({ rig, front }) => {
  await rig.reset();
  front.reset();
});
test.after(async ({ rig, first, front, second }) => {
  await front?.stop();
  await first?.stop();
  await second?.stop();
  await rig?.close();
});

const directoryOf = (rig: Rig, { id }: Domain): string | null | undefined => rig.store.reader.acmeOrder(id)?.directory;
const ordersOf = ({ request }: Front): number =>
  request.filter(({ payload }) => 'identifiers' in (payload ?? {})).length;

const problem = (status: number, type: string, more: Record<string, string> = {}): Reply => ({
  status,
  headers: { 'content-type': 'application/problem+json', ...more },
  body: JSON.stringify({ type: `urn:ietf:params:acme:error:${type}`, detail: 'its detail', status }),
});
const atOrder = (front: Front, reply: Reply): void => {
  front.instead = ({ payload }) => ('identifiers' in (payload ?? {}) ? reply : undefined);
};

test('without a failure, the first authority issues', async ({ rig, front, settings }) => {
  const domain = await rig.add('first.example.net');
  rig.start(settings);
  await rig.toggle(domain, true);
  await rig.untilActive(domain);
  assert.is(directoryOf(rig, domain), front.url);
});

for (const [name, reply] of [
  ['limit', problem(429, 'rateLimited', { 'retry-after': '7200' })],
  ['error', problem(503, 'serverInternal')],
] as const)
  test(`a ${name} of the first: the second issues at once, and the first one renews`, async (context) => {
    const { rig, front, second, settings } = context;
    const domain = await rig.add(`${name}.example.net`);
    atOrder(front, reply);
    const acme = rig.start(settings);
    await rig.toggle(domain, true);
    const { sslError } = await rig.untilActive(domain);
    assert.is(sslError, null);
    assert.is(directoryOf(rig, domain), second.url);
    assert.is(ordersOf(front), 1, 'it is asked first');
    await rig.untilIdle(acme);
    const log = rig.log.join('');
    assert.match(log, new RegExp(`ordering from the fallback authority.*${name}\\.example\\.net`));
    assert.match(log, new RegExp(`certificate issued.*${second.url}`));
    assert.not.ok(log.includes(HMAC));
    await rig.stop(acme);
    // It is not replaced before its time, and then the first authority is asked again.
    front.reset();
    const { renewAt } = rig.store.reader.acmeOrder(domain.id)!;
    const issued = rig.store.reader.automaticCertificate(domain.id)!.chain;
    const calm = rig.start(settings);
    await rig.untilActive(domain);
    await rig.untilIdle(calm);
    assert.is(rig.store.reader.automaticCertificate(domain.id)!.chain, issued);
    await rig.stop(calm);
    rig.ahead = renewAt! - Date.now() / 1000 + 1;
    rig.start(settings);
    await rig.until(domain, () => directoryOf(rig, domain) === front.url);
  });

test('a first authority that cannot be reached', async ({ rig, front, second, settings }) => {
  const domain = await rig.add('unreachable.example.net');
  rig.start({ ...settings, directory: 'https://localhost:9/dir' });
  await rig.toggle(domain, true);
  await rig.untilActive(domain);
  assert.is(directoryOf(rig, domain), second.url);
  assert.is(ordersOf(front), 0);
});

test('CAA and a failed validation would fail there, too: the second is not asked', async (context) => {
  const { rig, front, second, settings } = context;
  // Real answers of the first one name its authority.
  front.change = ({ path }, reply) =>
    path === '/dir' ? withJson(reply, (it) => ({ ...it, meta: { caaIdentities: ['first.test'] } })) : reply;
  const forbidden = await rig.add('forbidden.example.net', (domain) => [
    newRecord(domain, '@', TYPE.CAA, parseRdata(TYPE.CAA, '0 issue "other.test"')),
  ]);
  rig.start(settings);
  await rig.toggle(forbidden, true);
  const { sslError } = await rig.untilError(forbidden);
  assert.match(sslError!, /does not allow first\.test to issue/);
  assert.match(sslError!, /contents 0 issue "first\.test" and 0 issue "fallback\.test"/);

  const failing = await rig.add('failing.example.net');
  atOrder(front, problem(400, 'dns'));
  await rig.toggle(failing, true);
  assert.match((await rig.untilError(failing)).sslError!, /could not look up the domain in the DNS/);
  assert.not.match(second.output(), /forbidden\.example\.net|failing\.example\.net/);
});

test('both fail: the customer sees both', async (context) => {
  const { rig, front, second, settings } = context;
  const domain = await rig.add('both.example.net');
  atOrder(front, problem(503, 'serverInternal'));
  rig.start({ ...settings, fallbackEabKid: undefined, fallbackEabHmacKey: undefined });
  await rig.toggle(domain, true);
  const { sslError } = await rig.untilError(domain);
  assert.match(
    sslError!,
    /^The certificate authority reports an internal error\. The fallback authority has failed, too: /,
  );
  assert.not.match(second.output(), /both\.example\.net/);
});

const why = whyNotPrograms('pebble');
if (why === null) test.run();
else if (process.env.WAYPOST_REQUIRE_PEERS === '1') throw new Error(`${why}, and peers are required.`);
else console.log(`skipped: certificates from a second authority, ${why}`);
