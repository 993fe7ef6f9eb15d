/** Owners read what is wrong with the DS records at the parent, and resolvers see the same. */
import { setTimeout as sleep } from 'node:timers/promises';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { dsRdata } from '../../../core/dns/dnssec/dnskey.ts';
import { generateKeyPair } from '../../../core/dns/dnssec/keys.ts';
import { parseName } from '../../../core/dns/wire/name.ts';
import { formatRdata } from '../../../core/dns/wire/rdata/index.ts';
import { CLASS_IN, TYPE } from '../../../core/dns/wire/types.ts';
import { ADMIN_PASSWORD, type Daemon, startDaemon } from '../../support/daemon.ts';
import { queryTcp } from '../../support/dns-client.ts';
import { decodeMessage, encodeQuery } from '../../support/message.ts';
import { MovedClock, whyNotMovedClock } from '../../support/moved-clock.ts';
import { PATIENCE_MS } from '../../support/patience.ts';
import { type DnssecView, dsOf } from './owner.ts';
import { ParentZone } from './parent.ts';
import { whyNotResolver } from './resolvers.ts';
import { startValidator, type Verdict } from './validator.ts';

const ZONE = 'signed.example.';
const APEX = parseName(ZONE);
const WWW = parseName(`www.${ZONE}`);
const test = suite('faults of DS records');
const clock = new MovedClock();
let parent: ParentZone;
let daemon: Daemon;
let path: string;
let ours: readonly string[];
/** The key tag of our key. */
let tag: number;

test.before(async () => {
  parent = await ParentZone.start({ child: ZONE, dsTtl: 60, now: () => clock.now() });
  daemon = await startDaemon({ ...parent.settings, ...clock.env });
  await daemon.api.logIn('admin', ADMIN_PASSWORD);
  const id = await daemon.api.createDomain('signed.example');
  await daemon.api.createRecord(id, 'www', 'A', '192.0.2.1');
  path = `/api/v1/domains/${id}/dnssec`;
});
test.after(async () => {
  await daemon?.close();
  await parent?.close();
});

async function call(method: string, tail = '', json?: { [key: string]: boolean }): Promise<DnssecView> {
  return (await daemon.api.call(method, `${path}${tail}`, json)).body as unknown as DnssecView;
}

/**
 * The error in this status, and what a resolver with empty caches finds. `sets`: the DS records of
 * both servers, or of each.
 */
async function seen(
  status: string,
  ...sets: readonly (readonly string[])[]
): Promise<[error: DnssecView['error'], verdict: Verdict]> {
  for (const server of [0, 1]) parent.setDs(sets[server] ?? sets[0], server);
  const view = await checkUntil(status);
  const validator = await startValidator({ parent, zone: ZONE, ports: [daemon.dnsPort], env: clock.env });
  const verdict = await validator.ask(WWW, TYPE.A);
  await validator.stop();
  return [view.error, verdict];
}

/** Checks until the status is reached, which may need that the keeper has noted what is served. */
async function checkUntil(status: string): Promise<DnssecView> {
  for (const deadline = performance.now() + PATIENCE_MS; ; await sleep(100)) {
    // Looks of the last seconds count.
    clock.advance(60);
    const view = await call('POST', '/check');
    if (view.status === status) return view;
    if (performance.now() > deadline) throw new Error(`${status} is not reached: ${JSON.stringify(view)}`);
  }
}

/** The tag that a customer sees at the registrar. */
const tagIn = (ds: string): string => ds.split(' ')[0];

async function publishedKeys(): Promise<readonly Uint8Array[]> {
  const [response] = await queryTcp(daemon.dnsPort, [
    encodeQuery({ name: APEX, type: TYPE.DNSKEY, class: CLASS_IN }, 1),
  ]);
  return decodeMessage(response).answer.map(({ rdata }) => rdata);
}

const dsOfKey = (dnskey: Uint8Array): string => formatRdata(TYPE.DS, dsRdata(APEX, dnskey));

test('no DS was ordered yet: nothing is wrong; the right one: the zone is validated', async () => {
  const view = await call('PUT', '', { enabled: true });
  ours = dsOf(view);
  tag = view.ds[0].key_tag;
  assert.equal(await seen('signing', []), [null, 'insecure']);
  assert.equal(await seen('secure', ours), [null, 'secure']);
});

test('the DS is lost', async () => {
  const message = `The parent zone has no DS record for signed.example, so answers are not validated. Add the DS record with key tag ${tag} at your registrar.`;
  const error = { code: 'ds_mismatch', reason: 'missing', message };
  assert.equal(await seen('awaiting_ds', []), [error, 'insecure']);
  assert.equal(await seen('secure', ours), [null, 'secure']);
});

test('some servers of the parent have no DS', async () => {
  const message =
    'Some nameservers of the parent zone have no DS record for signed.example. This is normal for some hours after a change.';
  const [error] = await seen('secure', ours, []);
  assert.equal(error, { code: 'ds_mismatch', reason: 'missing', message });
});

test('the DS is foreign, alone and next to ours', async () => {
  const foreign = dsOfKey(generateKeyPair(13).dnskey);
  const fact = `The parent zone has a DS record of an unknown key (key tag ${tagIn(foreign)}, algorithm 13).`;
  const rejected =
    'Validating resolvers reject answers for signed.example: replace it at your registrar with the DS record shown here.';
  const error = { code: 'ds_mismatch', reason: 'foreign' };
  assert.equal(await seen('awaiting_ds', [foreign]), [{ ...error, message: `${fact} ${rejected}` }, 'bogus']);
  const message = `${fact} Remove it at your registrar.`;
  assert.equal(await seen('secure', [...ours, foreign]), [{ ...error, message }, 'secure']);
});

test('the DS is that of a former key, alone and next to ours', async () => {
  assert.equal(await seen('secure', ours), [null, 'secure']);
  const before = await publishedKeys();
  await call('POST', '/rollover');
  const added = (await publishedKeys()).find((key) => !before.some((other) => Buffer.compare(key, other) === 0))!;
  clock.advance(60);
  assert.is((await call('POST', '/rollover/cancel')).status, 'secure');
  const stale = dsOfKey(added);
  const fact = `The parent zone still has the DS record of a former key (key tag ${tagIn(stale)}, algorithm 13).`;
  const rejected =
    'Validating resolvers reject answers for signed.example: replace it at your registrar with the DS record shown here.';
  const error = { code: 'ds_mismatch', reason: 'stale' };
  assert.equal(await seen('awaiting_ds', [stale]), [{ ...error, message: `${fact} ${rejected}` }, 'bogus']);
  const message = `${fact} Remove it at your registrar.`;
  assert.equal(await seen('secure', [...ours, stale]), [{ ...error, message }, 'secure']);
});

const missing = whyNotResolver('unbound') ?? whyNotMovedClock();
if (missing === null) test.run();
else console.log(`skipped: faults of DS records, ${missing}`);
