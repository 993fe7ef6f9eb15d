/** The API contract: DNSSEC of a domain. */
import * as assert from 'uvu/assert';
import { dsRdata } from '../../../core/dns/dnssec/dnskey.ts';
import { MAX_NSEC3_APEX } from '../../../core/dns/dnssec/nsec3.ts';
import { parseName } from '../../../core/dns/wire/name.ts';
import { parseRdata } from '../../../core/dns/wire/rdata/index.ts';
import { TYPE } from '../../../core/dns/wire/types.ts';
import { rawReader } from '../../../core/store/raw-reader.ts';
import { Reader } from '../../../core/store/reader.ts';
import { EXAMPLE_KEYS } from '../../core/dns/dnssec/rsa-keys.ts';
import { type Json, listOf, NO_DS } from '../daemon.ts';
import { FOREIGN_KEY } from './sample.ts';
import { finishSigning, setState, sign } from './signed.ts';
import { everywhere, refused, succeeded, type World, type Zone } from './world.ts';

const FOREIGN_DS = `ffff0d02${'ab'.repeat(32)}`;
const LONG_AGO = 1;

const get = async (zone: Zone): Promise<Json> => succeeded(await zone.client.get(`${zone.path}/dnssec`)).body;
const check = async (zone: Zone): Promise<Json> =>
  succeeded(await zone.client.post(`${zone.path}/dnssec/check`, {})).body;

/** DS rdata of the first key of a zone, in hexadecimal. */
function dsOf({ daemon }: World, zone: Zone): string {
  const reader = new Reader(rawReader(daemon.environment));
  const [{ dnskey }] = reader.dnssec(zone.id)!.keys;
  return Buffer.from(dsRdata(parseName(`${zone.domain}.`), Buffer.from(dnskey, 'base64'))).toString('hex');
}

await everywhere('contract, DNSSEC', (test) => {
  test('a zone is off, is signed with a new key, and shows what the registrar asks for', async ({ world }) => {
    const zone = await world.zone();
    const off = await get(zone);
    assert.equal([off.status, off.algorithm, off.keys, off.ds, off.error], ['off', null, [], [], null]);
    const on = succeeded(await zone.client.put(`${zone.path}/dnssec`, { enabled: true })).body;
    assert.equal([on.status, on.algorithm], ['signing', 13]);
    const [ds] = listOf(on.ds);
    const [dnskey] = listOf(on.dnskey);
    const [key] = listOf(on.keys);
    assert.equal([ds.algorithm, ds.digest_type, dnskey.flags, dnskey.protocol, key.state], [13, 2, 257, 3, 'active']);
    assert.equal([ds.key_tag, dnskey.key_tag], [key.key_tag, key.key_tag]);
    assert.match(String(ds.record), new RegExp(`^${zone.domain}\\. 3600 IN DS ${ds.key_tag} 13 2 [0-9A-F]{64}$`, 'i'));
    assert.match(String(on.next_step), /Wait/);
    assert.match(String(on.signatures.earliest_expiry), /^20/);
    assert.equal(await get(zone), on);
    assert.equal(succeeded(await zone.client.put(`${zone.path}/dnssec`, { enabled: true })).body, on);
  });

  test('the algorithm is 13 or 15, and stays while the zone is signed', async ({ world }) => {
    const zone = await world.zone();
    const put = (json: object) => zone.client.put(`${zone.path}/dnssec`, json);
    refused(await put({ enabled: true, algorithm: 8 }), '422 bad_algorithm', '/algorithm');
    assert.is(succeeded(await put({ enabled: true, algorithm: 15 })).body.algorithm, 15);
    refused(await put({ enabled: true, algorithm: 13 }), '422 bad_algorithm', '/algorithm');
    await finishSigning(world.daemon, zone.id);
    assert.is(succeeded(await put({ enabled: false })).body.status, 'off');
    refused(await put({ enabled: true }), '409 dnssec_rolling');
    await finishSigning(world.daemon, zone.id);
    assert.is(succeeded(await put({ enabled: true, algorithm: 13 })).body.algorithm, 13);
  });

  test('the private key of a zone that is signed elsewhere is taken, and never returned', async ({ world }) => {
    const zone = await world.zone();
    const put = (json: object) => zone.client.put(`${zone.path}/dnssec`, { enabled: true, ...json });
    // RFC 6605 section 6.1.
    const secret = 'GU6SnQ/Ou+xC5RumuIUIuJZteXT2z0O/ok1s38Et6mQ=';
    const text = `Private-key-format: v1.2\nAlgorithm: 13 (ECDSAP256SHA256)\nPrivateKey: ${secret}\n`;
    refused(await put({ private_key: 'x' }), '422 bad_key', '/private_key');
    refused(await put({ private_key: text.replace('13 ', '14 ') }), '422 bad_key', '/private_key');
    refused(await put({ private_key: text, algorithm: 15 }), '422 bad_algorithm', '/algorithm');
    refused(await put({ algorithm: 8 }), '422 bad_algorithm', '/algorithm');
    const taken = succeeded(await put({ private_key: text }));
    assert.equal([taken.body.algorithm, listOf(taken.body.dnskey)[0].key_tag], [13, 55648]);
    assert.not.ok(JSON.stringify(taken.body).includes(secret));
    assert.equal(succeeded(await put({ private_key: text })).body, taken.body, 'the same key again');
    refused(
      await put({ private_key: text.replace(/PrivateKey: .*/, `PrivateKey: ${secret.replace('GU', 'AU')}`) }),
      '409 dnssec_on',
    );
  });

  test('DNSKEY records of the other provider are published with the imported key', async ({ world }) => {
    const zone = await world.zone();
    const put = (json: object) => zone.client.put(`${zone.path}/dnssec`, { enabled: true, ...json });
    const [{ file, dnskey }] = EXAMPLE_KEYS;
    const zsk = dnskey.replace('257', '256');
    refused(await put({ foreign_keys: [zsk] }), '422 bad_dnskey', '/foreign_keys');
    const wrong = await put({ private_key: file, foreign_keys: [zsk, FOREIGN_KEY] });
    refused(wrong, '422 bad_dnskey', '/foreign_keys/1');
    refused(await put({ private_key: file, foreign_keys: [zsk, zsk] }), '422 bad_dnskey', '/foreign_keys/1');
    succeeded(await put({ private_key: file, foreign_keys: [dnskey, zsk] }));
    const foreign = succeeded(await zone.client.get(`${zone.path}/dnssec/foreign-keys`)).body.foreign_keys;
    assert.equal(
      listOf(foreign).map((key) => key.dnskey),
      [zsk],
      'its own key is not foreign',
    );
  });

  test('a private key is refused if the parent has the DS of another key', async ({ world }) => {
    const { daemon } = world;
    const zone = await world.zone();
    const [{ file, dnskey }] = EXAMPLE_KEYS;
    const put = () => zone.client.put(`${zone.path}/dnssec`, { enabled: true, private_key: file });
    const ds = (flags: string) =>
      Buffer.from(
        dsRdata(parseName(`${zone.domain}.`), parseRdata(TYPE.DNSKEY, dnskey.replace('257', flags))),
      ).toString('hex');
    daemon.parent.look = { ...NO_DS, sets: [[FOREIGN_DS]], ttl: 3600 };
    const answer = await put();
    refused(answer, '422 bad_key', '/private_key');
    assert.match(String(answer.body.error.message), /DS record of another key: it names key tag 65535/);
    daemon.parent.look = { ...NO_DS, sets: [[ds('256')]], ttl: 3600 };
    refused(await put(), '422 bad_key', '/private_key');
    daemon.parent.look = { ...NO_DS, sets: [[], [FOREIGN_DS, ds('257')]], ttl: 3600 };
    succeeded(await put());
    daemon.parent.look = NO_DS;
  });

  test('a zone is signed with an imported key of RSA, which is not replaced by another of RSA', async ({ world }) => {
    for (const { file, dnskey } of EXAMPLE_KEYS) {
      const zone = await world.zone();
      const path = `${zone.path}/dnssec`;
      const taken = succeeded(await zone.client.put(path, { enabled: true, private_key: file })).body;
      assert.equal(
        [`257 3 ${taken.algorithm}`, listOf(taken.dnskey)[0].algorithm],
        [dnskey.slice(0, -dnskey.split(' ')[3].length - 1), taken.algorithm],
      );
      await setState(world.daemon, zone.id, { phase: 'secure', servedSince: LONG_AGO });
      refused(await zone.client.post(`${path}/rollover`, {}), '422 bad_algorithm');
      const foreign = (json: string) => zone.client.post(`${path}/foreign-keys`, { dnskey: json });
      refused(await foreign(`256 3 ${taken.algorithm} AwEAAQ==`), '422 bad_dnskey', '/dnskey');
      refused(await foreign(dnskey), '422 bad_dnskey', '/dnskey');
      succeeded(await foreign(dnskey.replace('257', '256')));
    }
  });

  test('a name that is too long for NSEC3 is refused', async ({ world }) => {
    const label = 'a'.repeat(60);
    const zone = await world.zone(undefined, `${label}.${label}.${label}.${'b'.repeat(30)}.example.net`);
    assert.ok(parseName(`${zone.domain}.`).length > MAX_NSEC3_APEX);
    const answer = await zone.client.put(`${zone.path}/dnssec`, { enabled: true });
    refused(answer, '422 invalid_name');
    assert.match(String(answer.body.error.message), /maximum with NSEC3 is 222/);
  });

  test('with the DS at the parent the zone is secure; other DS records are named', async ({ world }) => {
    const { daemon } = world;
    const zone = await world.zone();
    await sign(world, zone);
    assert.is((await get(zone)).status, 'awaiting_ds');
    daemon.parent.look = { ...NO_DS, sets: [[FOREIGN_DS]], ttl: 3600 };
    const foreign = await check(zone);
    assert.equal([foreign.status, foreign.error.code, foreign.error.reason], ['awaiting_ds', 'ds_mismatch', 'foreign']);
    assert.match(String(foreign.error.message), /key tag 65535.*reject/s);
    daemon.parent.look = { ...NO_DS, sets: [[dsOf(world, zone)]], ttl: 3600 };
    const secure = await check(zone);
    assert.equal([secure.status, secure.error], ['secure', null]);
    assert.is(secure.parent.answered, 2);
    daemon.parent.look = { trouble: 'no server answered' };
    const silent = await check(zone);
    assert.equal([silent.status, silent.error.code], ['secure', 'parent_unreachable']);
    daemon.parent.look = NO_DS;
    const missing = await check(zone);
    assert.equal([missing.status, missing.error.reason], ['awaiting_ds', 'missing']);
  });

  test('a rollover: begun once, cancelled, and not while another change is made', async ({ world }) => {
    const { daemon } = world;
    const zone = await world.zone();
    const post = (what: string, json = {}) => zone.client.post(`${zone.path}/dnssec/${what}`, json);
    refused(await post('rollover'), '409 dnssec_off');
    refused(await post('rollover/cancel'), '409 dnssec_off');
    refused(await post('check'), '409 dnssec_off');
    succeeded(await zone.client.put(`${zone.path}/dnssec`, { enabled: true }));
    refused(await post('rollover'), '409 dnssec_rolling');
    await setState(daemon, zone.id, { phase: 'awaiting_ds', servedSince: LONG_AGO });
    const begun = succeeded(await post('rollover')).body;
    assert.equal([begun.status, listOf(begun.ds).length], ['rolling_publish', 1]);
    assert.equal(
      listOf(begun.keys).map(({ state }) => state),
      ['active', 'incoming'],
    );
    refused(await post('rollover'), '409 dnssec_rolling');
    daemon.parent.look = NO_DS;
    const cancelled = succeeded(await post('rollover/cancel')).body;
    assert.equal(
      listOf(cancelled.keys).map(({ id, state }) => [id, state]),
      [[listOf(begun.keys)[0].id, 'active']],
    );
    await setState(daemon, zone.id, { phase: 'secure', servedSince: LONG_AGO });
    const urgent = succeeded(await post('rollover', { emergency: true })).body;
    assert.is(listOf(urgent.ds).length, 2, 'both DS records may be set at once');
    await setState(daemon, zone.id, { phase: 'retire' });
    refused(await post('rollover/cancel'), '409 dnssec_rolling');
  });

  test('a rollover to another algorithm signs with both keys, and publishes the new one later', async ({ world }) => {
    const { daemon } = world;
    const zone = await world.zone();
    const post = (what: string, json: object) => zone.client.post(`${zone.path}/dnssec/${what}`, json);
    const keysIn = (body: Json) => listOf(body.keys).map(({ algorithm, state }) => [algorithm, state]);
    await sign(world, zone);
    refused(await post('rollover', { algorithm: 5 }), '422 bad_algorithm', '/algorithm');
    refused(await post('rollover', { algorithm: 15, emergency: true }), '422 bad_algorithm', '/algorithm');
    const foreign = succeeded(await post('foreign-keys', { dnskey: FOREIGN_KEY })).body.foreign_key;
    refused(await post('rollover', { algorithm: 15 }), '409 dnssec_foreign_keys');
    succeeded(await zone.client.delete(`${zone.path}/dnssec/foreign-keys/${foreign.id}`));
    const begun = succeeded(await post('rollover', { algorithm: 15 })).body;
    assert.equal([begun.status, begun.algorithm, listOf(begun.ds).length], ['rolling_sign', 13, 1]);
    assert.equal(keysIn(begun), [
      [13, 'active'],
      [15, 'incoming'],
    ]);
    refused(await post('foreign-keys', { dnskey: FOREIGN_KEY }), '409 dnssec_rolling');
    const away = succeeded(await post('rollover/cancel', {})).body;
    assert.equal(keysIn(away), [
      [13, 'active'],
      [15, 'outgoing'],
    ]);
    assert.equal(succeeded(await post('rollover/cancel', {})).body, away, 'it is cancelled already');
    await setState(daemon, zone.id, { servedSince: LONG_AGO });
    daemon.parent.look = NO_DS;
    assert.is((await check(zone)).status, 'rolling_resign');
    await setState(daemon, zone.id, { servedSince: LONG_AGO });
    const back = await check(zone);
    assert.equal([back.algorithm, keysIn(back)], [13, [[13, 'active']]]);
    assert.is(succeeded(await post('rollover', { algorithm: 13 })).body.status, 'rolling_publish');
  });

  test('a zone stays signed while its parent has a DS, and is then unsigned', async ({ world }) => {
    const { daemon } = world;
    const zone = await world.zone();
    const put = (json: object) => zone.client.put(`${zone.path}/dnssec`, json);
    await sign(world, zone);
    daemon.parent.look = { ...NO_DS, sets: [[dsOf(world, zone)]], ttl: 3600 };
    assert.is((await check(zone)).status, 'secure');
    refused(await put({ enabled: false }), '409 dnssec_ds_present');
    refused(await zone.client.delete(zone.path), '409 dnssec_ds_present');
    assert.is((await get(zone)).status, 'secure', 'nothing has changed');
    daemon.parent.look = { trouble: 'no server answered' };
    refused(await put({ enabled: false }), '409 dnssec_ds_present');
    daemon.parent.look = { ...NO_DS, sets: [[dsOf(world, zone)]], ttl: 3600 };
    for (let i = 0; i < 2; i++) {
      const removing = succeeded(await put({ enabled: false, force: true })).body;
      assert.equal([removing.status, removing.ds], ['removing_ds', []], 'signed until the DS is gone');
    }
    assert.is(succeeded(await put({ enabled: true })).body.status, 'awaiting_ds');
    daemon.parent.look = NO_DS;
    assert.is(succeeded(await put({ enabled: false })).body.status, 'removing_ds');
    assert.is((await check(zone)).status, 'removing_ds', 'caches may have it');
    await setState(daemon, zone.id, { servedSince: LONG_AGO, settledSince: LONG_AGO });
    assert.is((await check(zone)).status, 'off');
    succeeded(await zone.client.delete(zone.path));
    const other = await world.zone();
    await sign(world, other);
    assert.is(
      succeeded(await other.client.put(`${other.path}/dnssec`, { enabled: false, force: true })).body.status,
      'off',
    );
  });

  test('with force, a domain is deleted whatever its parent has', async ({ world }) => {
    const zone = await world.zone();
    await sign(world, zone);
    world.daemon.parent.look = { ...NO_DS, sets: [[FOREIGN_DS]], ttl: 3600 };
    refused(await zone.client.delete(zone.path), '409 dnssec_ds_present');
    succeeded(await zone.client.delete(`${zone.path}?force=true`));
    world.daemon.parent.look = NO_DS;
  });

  test('foreign keys stand among the DNSKEY records', async ({ world }) => {
    const zone = await world.zone();
    const path = `${zone.path}/dnssec/foreign-keys`;
    const post = (dnskey: string) => zone.client.post(path, { dnskey });
    refused(await post(FOREIGN_KEY), '409 dnssec_off');
    assert.equal(succeeded(await zone.client.get(path)).body.foreign_keys, []);
    await sign(world, zone);
    for (const bad of [
      '257 3 13',
      '257 3 15 l02Woi0iS8Aa25FQkUd9RMzZHJpBoRQwAQEX1SxZJA4=',
      FOREIGN_KEY.replace('256 3', '256 2'),
      FOREIGN_KEY.replace('256', '0'),
      FOREIGN_KEY.replace('256', '384'),
      FOREIGN_KEY.replace('oJMR', 'oJMS'),
    ])
      refused(await post(bad), '422 bad_dnskey', '/dnskey');
    const { foreign_key: key } = succeeded(await post(FOREIGN_KEY)).body;
    assert.equal([key.dnskey, key.algorithm, key.key_tag], [FOREIGN_KEY, 13, 34505]);
    refused(await post(FOREIGN_KEY), '422 bad_dnskey', '/dnskey');
    assert.equal(succeeded(await zone.client.get(path)).body.foreign_keys, [key]);
    succeeded(await zone.client.delete(`${path}/${key.id}`));
    refused(await zone.client.delete(`${path}/${key.id}`), '404 no_such_key');
  });

  test('a parent zone of the same account gets the DS records without any action', async ({ world }) => {
    const parent = await world.zone();
    const zone = await world.zone(parent.client, `child.${parent.domain}`);
    const dsAtParent = async () => (await parent.list('?type=DS')).map(({ name }) => name);
    await sign(world, zone);
    assert.equal(await dsAtParent(), ['child']);
    const secure = await check(zone);
    assert.equal([secure.status, secure.parent.zone], ['secure', parent.domain]);
    succeeded(await zone.client.put(`${zone.path}/dnssec`, { enabled: false }));
    assert.equal(await dsAtParent(), []);
    await setState(world.daemon, zone.id, { servedSince: LONG_AGO, settledSince: LONG_AGO });
    assert.is((await check(zone)).status, 'off');
  });

  test('a zone that awaits its DS is signalled in the signed zone of the nameservers', async ({ world }) => {
    const { daemon } = world;
    const holder = await world.zone(world.admin, 'waypost.test');
    const zone = await world.zone();
    const other = await world.zone(world.admin, 'customer.waypost.test');
    const signals = async (type: string) => holder.list(`?type=${type}`);
    const names = async () => (await signals('CDNSKEY')).map(({ name }) => name).sort();
    const namesOf = ({ domain }: Zone) => ['ns1', 'ns2'].map((host) => `_dsboot.${domain}._signal.${host}`);
    await sign(world, zone);
    assert.equal(await names(), [], 'signatures would be missing');
    await sign(world, holder);
    daemon.parent.look = NO_DS;
    assert.is((await check(zone)).status, 'awaiting_ds');
    assert.equal(await names(), namesOf(zone), 'only nameservers outside a zone can signal for it');
    const [ds] = listOf((await get(zone)).ds);
    const [first] = await signals('CDS');
    assert.equal([first.content, first.ttl], [`${ds.key_tag} 13 2 ${ds.digest}`, 3600]);
    // The parent is ours, and has the DS already.
    await sign(world, other);
    assert.equal(await names(), namesOf(zone));

    const path = `${holder.records}/${first.id}`;
    refused(await holder.client.delete(path), '422 dnssec_is_ours');
    refused(await holder.client.put(path, { name: 'x', type: 'A', content: '192.0.2.1' }), '422 dnssec_is_ours');
    const text = await holder.text();
    assert.not.match(text, /_dsboot/);
    succeeded(await holder.client.upload(holder.zonefile, text));
    assert.equal(await names(), namesOf(zone), 'an import keeps them');

    const dnskey = FOREIGN_KEY.replace('256', '257');
    const foreign = succeeded(await zone.client.post(`${zone.path}/dnssec/foreign-keys`, { dnskey })).body;
    assert.is((await signals('CDNSKEY')).length, 4, 'they equal the CDNSKEY records of the zone');
    succeeded(await zone.client.delete(`${zone.path}/dnssec/foreign-keys/${foreign.foreign_key.id}`));
    daemon.parent.look = { ...NO_DS, sets: [[dsOf(world, zone)]], ttl: 3600 };
    assert.is((await check(zone)).status, 'secure');
    assert.equal(await names(), []);
    daemon.parent.look = NO_DS;
    assert.is((await check(zone)).status, 'awaiting_ds');
    assert.equal(await names(), namesOf(zone));
    succeeded(await zone.client.put(`${zone.path}/dnssec`, { enabled: false }));
    assert.equal(await names(), []);
    succeeded(await zone.client.put(`${zone.path}/dnssec`, { enabled: true }));
    assert.equal(await names(), namesOf(zone));
    succeeded(await zone.client.delete(zone.path));
    assert.equal(await names(), []);
  });
});
