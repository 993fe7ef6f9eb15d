/** TSIG keys: created, listed, deleted; their secrets shown once and stored encrypted. */
import * as assert from 'uvu/assert';
import { openSecrets } from '../../../core/base/secrets.ts';
import { parseName } from '../../../core/dns/wire/name.ts';
import type { TsigAlgorithm } from '../../../core/dns/wire/tsig.ts';
import { StoreReader } from '../../../core/store/store-reader.ts';
import { findOperatorKey, mayUse, openKeyring } from '../../../core/store/tsig-keys/keyring.ts';
import { listOf } from '../daemon.ts';
import { each, everywhere, outcome, refused, succeeded } from './world.ts';

const KEYS = '/api/v1/tsig-keys';

await everywhere('contract, TSIG keys', (test) => {
  test('POST: name, algorithm, scopes, domain_ids; ok, secret and the key', async ({ world }) => {
    const { client } = world.user;
    const answer = succeeded(await client.post(KEYS, { name: 'Transfer.Example.NET.' }));
    const { secret, id, created_at, ...rest } = answer.body;
    assert.equal(rest, {
      ok: true,
      name: 'transfer.example.net',
      algorithm: 'hmac-sha256',
      outgoing: false,
      scopes: ['dns'],
      domain_ids: null,
      policies: null,
      networks: null,
      expires_at: null,
      warnings: [],
    });
    assert.is(Buffer.from(String(secret), 'base64').length, 32);
    assert.is(answer.headers.get('cache-control'), 'no-store');
    const long = succeeded(
      await client.post(KEYS, { name: 'long.example.net', algorithm: 'hmac-sha512', scopes: ['dns:read'] }),
    );
    assert.is(Buffer.from(String(long.body.secret), 'base64').length, 64);
    const listed = listOf(succeeded(await client.get(KEYS)).body.tsig_keys);
    assert.equal(each(listed, 'name'), ['transfer.example.net', 'long.example.net']);
    const fields = ['id', 'name', 'algorithm', 'outgoing', 'scopes', 'domain_ids'];
    assert.equal(Object.keys(listed[0]), [...fields, 'policies', 'networks', 'expires_at', 'created_at']);
    assert.is(listed[0].id, id);
    assert.is(listed[0].created_at, created_at);
  });

  test('rejects invalid names, wrong scopes, and more rights than the token has', async ({ world }) => {
    const { client } = world.user;
    const sentences = ['my key', 'hmac-sha256:key:c2VjcmV0', 'key "a" {', 'ann@example.com', 'http://a.example'];
    for (const name of ['.', 'a..b', '-.'.repeat(200), ...sentences])
      refused(await client.post(KEYS, { name }), '422 invalid_name', '/name');
    for (const scopes of [[], ['account'], ['dns', 'proxy'], ['zone']])
      refused(await client.post(KEYS, { name: 'refused.example', scopes }), '422 invalid_scope', '/scopes');
    refused(await client.post(KEYS, { name: 'x.example', algorithm: 'gss-tsig' }), '422 validation', '/algorithm');
    const reader = await world.scoped(client, ['account', 'dns:read']);
    refused(await reader.post(KEYS, { name: 'refused.example', scopes: ['dns'] }), '422 invalid_scope', '/scopes');
    assert.equal(succeeded(await reader.post(KEYS, { name: 'reads.example' })).body.scopes, ['dns:read']);
    const none = await world.scoped(client, ['account']);
    refused(await none.post(KEYS, { name: 'refused.example' }), '422 invalid_scope', '/scopes');
  });

  test('a name is unique within an account; domains of other accounts are rejected', async ({ world }) => {
    const other = await world.member({ plan: 'unlimited' });
    const zone = await world.zone(other.client);
    succeeded(await world.user.client.post(KEYS, { name: 'taken.example' }));
    refused(await world.user.client.post(KEYS, { name: 'TAKEN.example.' }), '409 tsig_key_exists', '/name');
    succeeded(await other.client.post(KEYS, { name: 'taken.example' }));
    refused(
      await world.user.client.post(KEYS, { name: 'theirs.example', domain_ids: [zone.id] }),
      '404 no_such_domain',
    );
    const made = succeeded(await other.client.post(KEYS, { name: 'own.example', domain_ids: [zone.id, zone.id] }));
    assert.equal(made.body.domain_ids, [zone.id]);
  });

  test('the rights of a key follow from its scopes, its domains, and its account', async ({ world }) => {
    const { daemon } = world;
    const reader = new StoreReader(daemon.environment);
    const secrets = openSecrets(daemon.keyFile);
    const keyring = openKeyring(reader, secrets);
    const find = (name: string, algorithm: TsigAlgorithm) => keyring(parseName(`${name}.`), algorithm, zoneName).at(0);
    const owner = await world.member({ plan: 'unlimited' });
    const [first, second] = [await world.zone(owner.client), await world.zone(owner.client)];
    const zoneName = parseName(`www.${first.domain}.`);
    const key = async (client: typeof owner.client, name: string, more: object = {}) => {
      const { secret } = succeeded(await client.post(KEYS, { name, ...more })).body;
      const held = find(name, 'hmac-sha256')!;
      assert.is(Buffer.from(held.secret).toString('base64'), secret);
      return ([first, second] as const).flatMap(({ id }) =>
        (['read', 'write'] as const).map((access) => mayUse(held, reader.domain(Number(id))!, access)),
      );
    };
    assert.equal(await key(owner.client, 'all.of.owner'), [true, true, true, true]);
    assert.equal(await key(owner.client, 'reads.of.owner', { scopes: ['dns:read'] }), [true, false, true, false]);
    assert.equal(await key(owner.client, 'one.of.owner', { domain_ids: [first.id] }), [true, true, false, false]);
    assert.equal(await key(world.user.client, 'of.stranger'), [false, false, false, false]);
    assert.equal(await key(world.admin, 'of.operator'), [true, false, true, false]);
    assert.is(find('all.of.owner', 'hmac-sha512'), undefined);
    // The configuration names keys, and a customer may have taken such a name.
    assert.is(findOperatorKey(reader, secrets, parseName('all.of.owner.')), undefined);
    assert.is(findOperatorKey(reader, secrets, parseName('of.operator.'))?.row.name, 'of.operator');
    succeeded(await world.admin.patch(`/api/v1/accounts/${owner.id}`, { api_enabled: false }));
    assert.is(find('all.of.owner', 'hmac-sha256'), undefined);
  });

  test('DELETE revokes it, the audit has both entries, and keys are deleted with their account', async ({ world }) => {
    const leaving = await world.member();
    const { id } = succeeded(await leaving.client.post(KEYS, { name: 'leaving.example' })).body;
    succeeded(await leaving.client.post(KEYS, { name: 'stays.example' }));
    refused(await world.user.client.delete(`${KEYS}/${id}`), '404 no_such_tsig_key');
    succeeded(await leaving.client.delete(`${KEYS}/${id}`));
    assert.is(outcome(await leaving.client.delete(`${KEYS}/${id}`)), '404 no_such_tsig_key');
    const entries = (await world.audit()).filter(({ target }) => target === id);
    assert.equal(each(entries, 'action').sort(), ['tsig.create', 'tsig.delete']);
    succeeded(await world.admin.delete(`/api/v1/accounts/${leaving.id}`));
    assert.equal(new StoreReader(world.daemon.environment).tsigKeysByName(parseName('stays.example.'), leaving.id), []);
  });

  test('the secret of an existing key is entered, and never returned', async ({ world }) => {
    const { client } = world.user;
    const secret = Buffer.alloc(20, 7).toString('base64');
    for (const algorithm of ['hmac-sha1', 'hmac-sha224', 'hmac-sha256', 'hmac-sha384', 'hmac-sha512']) {
      const { body } = succeeded(await client.post(KEYS, { name: `given-${algorithm}.example`, algorithm, secret }));
      assert.equal([body.secret, body.algorithm, body.warnings], [undefined, algorithm, []]);
    }
    assert.not.match(JSON.stringify((await client.get(KEYS)).body), new RegExp(secret.slice(0, 12)));
    for (const wrong of ['!!', 'YWJj', Buffer.alloc(513).toString('base64')])
      refused(await client.post(KEYS, { name: 'wrong.example', secret: wrong }), '422 invalid_secret', '/secret');
  });

  test('keys for primaries have the names and secrets of the primaries, and sign nothing else', async ({ world }) => {
    const { client } = await world.member();
    const short = { name: 'theirs', algorithm: 'hmac-md5', secret: 'YWJj' };
    const { body } = succeeded(await client.post(KEYS, short));
    assert.equal([body.outgoing, body.scopes], [true, []]);
    assert.equal(each(listOf(body.warnings), 'code'), ['weak_algorithm', 'short_secret']);
    const long = { name: 'theirs', outgoing: true, secret: Buffer.alloc(32, 1).toString('base64') };
    assert.equal(succeeded(await client.post(KEYS, long)).body.warnings, []);
    succeeded(await client.post(KEYS, { name: 'theirs' }));
    refused(await client.post(KEYS, { ...short, outgoing: false }), '422 weak_algorithm', '/algorithm');
    refused(await client.post(KEYS, { ...short, scopes: ['dns'] }), '422 contradiction', '/scopes');
    const { id } = await world.zone(client);
    refused(await client.post(KEYS, { ...long, domain_ids: [id] }), '422 contradiction', '/domain_ids');
    const reader = new StoreReader(world.daemon.environment);
    assert.is(reader.tsigKeysByName(parseName('theirs.'), 0).length, 1);
  });

  test('keys of an account that becomes an administrator are found for zones of all accounts', async ({ world }) => {
    const member = await world.member();
    succeeded(await member.client.post(KEYS, { name: 'rises.example' }));
    const reader = new StoreReader(world.daemon.environment);
    const lookups = () => reader.tsigKeysByName(parseName('rises.example.'), 0).map(({ lookup }) => lookup);
    assert.equal(lookups(), ['account']);
    succeeded(await world.admin.patch(`/api/v1/accounts/${member.id}`, { role: 'admin' }));
    assert.equal(lookups(), ['operator']);
    succeeded(await world.admin.patch(`/api/v1/accounts/${member.id}`, { role: 'user' }));
    assert.equal(lookups(), ['account']);
  });
});
