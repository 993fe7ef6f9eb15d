/** ALIAS as kdig and dig see it: addresses in the place of the record, or a HINFO without them. */
import { setTimeout as sleep } from 'node:timers/promises';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { RCODE } from '../../../core/dns/wire/types.ts';
import { ADMIN_PASSWORD, type Daemon, startDaemon } from '../../support/daemon.ts';
import { whyNotPrograms } from '../../support/programs.ts';
import { TargetServer } from '../../support/target-server.ts';
import { request, server } from './transcript.ts';

const PROGRAMS = ['kdig', 'dig'] as const;
const APEX = 'alias.test';
const TARGET = 'lb.elsewhere.example';
const BROKEN = 'broken.elsewhere.example';
const [V4, V6] = ['93.184.215.14', '2606:2800:21f:cb07:6820:80da:af6b:8b2c'];
const OWN = '93.184.215.20';
/** The look at a target is made alongside the write that brings it. */
const TRIES = 200;
const PAUSE_MS = 50;

interface Context {
  daemon: Daemon;
  resolver: TargetServer;
}

const test = suite<Context>('transcripts: ALIAS');

test.before(async (context) => {
  const resolver = await TargetServer.start();
  resolver.set(TARGET, { addresses: [V4], ttl: 200 }, { addresses: [V6], ttl: 400 });
  resolver.set(BROKEN, { rcode: RCODE.SERVFAIL }, { rcode: RCODE.SERVFAIL });
  const daemon = await startDaemon({ WAYPOST_ALIAS_RESOLVERS: `127.0.0.1:${resolver.port}` });
  await daemon.api.logIn('admin', ADMIN_PASSWORD);
  const zone = await daemon.api.createDomain(APEX);
  await daemon.api.createRecord(zone, '@', 'ALIAS', TARGET, 120);
  await daemon.api.createRecord(zone, '@', 'TXT', '"beside it"');
  await daemon.api.createRecord(zone, '*.wild', 'ALIAS', TARGET, 600);
  await daemon.api.createRecord(zone, 'broken', 'ALIAS', BROKEN);
  await daemon.api.createRecord(zone, 'host', 'A', OWN, 60);
  await daemon.api.createRecord(zone, 'near', 'ALIAS', `host.${APEX}`, 300);
  const unsettled = async (): Promise<boolean> => {
    const { text } = await daemon.api.call('GET', `/api/v1/domains/${zone}/records`);
    return text.includes('"status":"pending"');
  };
  for (let tries = TRIES; await unsettled(); tries--) {
    assert.ok(tries > 0, 'the targets were looked at');
    await sleep(PAUSE_MS);
  }
  Object.assign(context, { daemon, resolver });
});
test.after(async ({ daemon, resolver }) => {
  await daemon.close();
  await resolver.close();
});

for (const program of PROGRAMS) {
  const edns = program === 'kdig' ? ['+edns'] : ['+nocookie'];
  const ask = ({ dnsPort }: Daemon, name: string, type: string) =>
    request(program, [...server(program, dnsPort), ...edns, name, type]);

  test(`${program}: the target's addresses, with the lower TTL; the ALIAS record is not shown`, async ({ daemon }) => {
    for (const [name, type, ttl, data] of [
      [APEX, 'A', 120, V4],
      [APEX, 'AAAA', 120, V6],
      [`any.wild.${APEX}`, 'A', 200, V4],
      [`near.${APEX}`, 'A', 60, OWN],
    ] as const) {
      const { status, flags, answer, text } = await ask(daemon, name, type);
      assert.equal([status, flags.includes('aa')], ['NOERROR', true], text);
      assert.equal(answer, [{ name: `${name}.`, ttl, class: 'IN', type, data }]);
    }
    assert.is((await ask(daemon, APEX, 'TXT')).answer[0].data, '"beside it"');
    const none = await ask(daemon, `near.${APEX}`, 'AAAA');
    assert.equal([none.status, none.answer, none.authority[0].type], ['NOERROR', [], 'SOA']);
  });

  test(`${program}: a name whose target cannot be resolved has no addresses`, async ({ daemon }) => {
    for (const type of ['A', 'AAAA', 'MX']) {
      const { status, answer, authority, text } = await ask(daemon, `broken.${APEX}`, type);
      assert.equal([status, answer, authority[0].type], ['NOERROR', [], 'SOA'], text);
    }
    assert.is((await ask(daemon, `broken.${APEX}`, 'HINFO')).answer[0].data, '"ALIAS" "no addresses"');
  });
}

const why = whyNotPrograms(...PROGRAMS);
if (why === null) test.run();
else console.log(`skipped: transcripts of ALIAS, ${why}`);
