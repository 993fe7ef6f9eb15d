/**
 * Two accounts can see and change nothing of each other. The endpoints are those of the route list,
 * so that a new one is covered.
 */

import * as assert from 'uvu/assert';
import type { Route } from '../../../admin-api/http/route.ts';
import { idKey } from '../../../core/store/keys.ts';
import { type Answer, type Daemon, listOf } from '../daemon.ts';
import { packageForm, packageText, UPLOAD } from '../miniapp/packages/package.ts';
import { signedIn } from './browser.ts';
import { storedPasskey } from './factors.ts';
import { concrete, type Ids, parametersOf } from './routes.ts';
import { sampleOf } from './sample.ts';
import { prepareZone } from './signed.ts';
import { snapshot } from './store.ts';
import { testedWebhook } from './webhook.ts';
import { type Client, each, everywhere, type Member, refused, succeeded, type World, type Zone } from './world.ts';

/** Parameters that identify objects of an account. */
const OWNED = new Set([
  'domain_id',
  'record_id',
  'token_id',
  'session_id',
  'passkey_id',
  'account_id',
  'key_id',
  'purge_id',
  'app_id',
  'upload_id',
  'foreign_key_id',
  'webhook_id',
  'delivery_id',
]);
/** Parameters of objects for which administrators act: see operators.test.ts. */
const ACTED = ['domain_id', 'token_id', 'key_id', 'app_id', 'upload_id', 'webhook_id', 'delivery_id'];
/** Other parameters: their objects are the same for all accounts. */
const COMMON = new Set(['seq', 'revision', 'version', 'store_key_id', 'name', 'type']);

/** A record set, as a path names it. */
const SET = { name: 'www', type: 'A' };

interface Victim extends Member {
  readonly zone: Zone;
  readonly ids: Ids;
}

async function victimOf(world: World, name: string): Promise<Victim> {
  const member = await world.member({ plan: 'unlimited', email: `${name}@example.net` });
  const zone = await world.zone(member.client, `${name}.example.net`);
  const record = await zone.add('www', 'A', '192.0.2.1');
  await zone.add('mail', 'MX', `10 ${name}.example.org`);
  const token = (await member.client.post('/api/v1/tokens', { name: `of ${name}` })).body;
  const key = (await member.client.post('/api/v1/tsig-keys', { name: `of.${name}` })).body;
  const foreignKey = await prepareZone(world, zone, 'DELETE /dnssec/');
  const form = packageForm(packageText(`com.example.${name}`, 1));
  const { upload } = succeeded(await member.client.send('POST', UPLOAD, form)).body;
  const ids = {
    app_id: String(upload.app_id),
    upload_id: String(upload.id),
    domain_id: zone.id,
    record_id: String(record.id),
    token_id: String(token.id),
    session_id: (await signedIn(world, member)).id,
    passkey_id: await storedPasskey(world, member.id),
    key_id: String(key.id),
    account_id: member.id,
    foreign_key_id: String(foreignKey),
    ...SET,
    ...(await testedWebhook(member.client)),
  };
  return { ...member, zone, ids };
}

/** Everything except the request id and the time of the response. */
function comparable({ status, headers, text }: Answer): unknown[] {
  const own = ['x-request-id', 'date'];
  return [
    status,
    [...headers].filter(([name]) => !own.includes(name)),
    text.replace(/"request_id":"[0-9a-f]{16}"/, ''),
  ];
}

const withIds = (world: World): Route[] =>
  world.daemon.api.routes.filter((route) => parametersOf(route.path).some((name) => OWNED.has(name)));

function methodsOf({ method }: Route): string[] {
  return method === 'GET' ? ['GET', 'HEAD'] : [method];
}

/** Runs `work`, and checks that the store is unchanged. */
async function unchanged(daemon: Daemon, work: () => Promise<void>): Promise<void> {
  const before = snapshot(daemon.environment);
  await work();
  assert.equal(snapshot(daemon.environment), before);
}

await everywhere('contract, two accounts', (test) => {
  test('this test knows every path parameter, and whether it is an id of an account', async ({ world }) => {
    for (const { path } of world.daemon.api.routes)
      for (const name of parametersOf(path)) assert.ok(OWNED.has(name) || COMMON.has(name), `${path}: ${name}`);
    assert.ok(withIds(world).length >= 10);
  });

  test('every endpoint treats ids of another account like unknown ids, and changes nothing', async ({ world }) => {
    const alice = await victimOf(world, 'alice');
    const bob = await victimOf(world, 'bob');
    const viewer = await world.member({ role: 'viewer' });
    const attackers: [string, Client][] = [
      ['user', bob.client],
      ['viewer', viewer.client],
      ['admin', world.admin],
    ];
    for (const area of ['dns', 'proxy', 'packages', 'account'])
      for (const scope of [area, `${area}:read`]) attackers.push([scope, await world.scoped(bob.client, [scope])]);
    for (const scope of ['dns', 'proxy', 'packages', 'account:read'])
      attackers.push([`admin with ${scope}`, await world.scoped(world.admin, [scope])]);
    let tried = 0;
    await unchanged(world.daemon, async () => {
      for (const route of withIds(world))
        for (const [who, client] of attackers) {
          // Administrators may access all accounts, with a token that is allowed to.
          if (who.startsWith('admin') && route.admin) continue;
          if (who === 'admin' && parametersOf(route.path).some((name) => ACTED.includes(name))) continue;
          // First all ids of the other account, then each of them among own ids.
          const own = who.startsWith('admin') || who === 'viewer' ? {} : bob.ids;
          const names = parametersOf(route.path).filter((name) => !Object.hasOwn(SET, name));
          const mixes = [
            alice.ids,
            ...(names.length > 1 ? names.map((name) => ({ ...own, [name]: alice.ids[name] })) : []),
          ];
          for (const ids of mixes)
            for (const method of methodsOf(route)) {
              const absent = {
                ...SET,
                ...Object.fromEntries(
                  names.map((name) => [
                    name,
                    ids[name] === alice.ids[name] ? String(Number.MAX_SAFE_INTEGER) : ids[name],
                  ]),
                ),
              };
              const options = sampleOf(route);
              const answer = await client.send(method, concrete(route.path, ids), options);
              const what = `${who}: ${method} ${route.path} ${JSON.stringify(ids)}: ${answer.text}`;
              assert.ok(answer.status === 404 || answer.status === 403, what);
              assert.equal(
                comparable(answer),
                comparable(await client.send(method, concrete(route.path, absent), options)),
                what,
              );
              assert.not.ok(answer.text.includes('alice'), what);
              tried++;
            }
        }
    });
    assert.ok(tried > 200, `${tried} requests`);
  });

  test('an id in any other form is unknown, to its owner too', async ({ world }) => {
    const alice = await victimOf(world, 'alice2');
    await unchanged(world.daemon, async () => {
      for (const route of withIds(world)) {
        if (route.admin || route.path.includes('{app_id}')) continue;
        const absent = comparable(await alice.client.send(route.method, concrete(route.path), sampleOf(route)));
        for (const form of [
          (id: string) => `+${id}`,
          (id: string) => `-${id}`,
          (id: string) => `${id}.0`,
          (id: string) => `${id}e0`,
          (id: string) => `0x${Number(id).toString(16)}`,
          (id: string) => id.replace(/./, String.fromCodePoint(0xff11)),
          (id: string) => `${id}${'0'.repeat(17)}`,
          () => '0',
          (id: string) => `${id}%00`,
          (id: string) => `%20${id}`,
          (id: string) => `0${id}`,
          (id: string) => `${id}.json`,
        ]) {
          const ids = Object.fromEntries(
            Object.entries(alice.ids).map(([name, id]) => [name, encodeURI(form(String(id)))]),
          );
          assert.equal(
            comparable(await alice.client.send(route.method, concrete(route.path, ids), sampleOf(route))),
            absent,
            route.path,
          );
        }
      }
    });
  });

  test('a batch cannot use record ids of another account', async ({ world }) => {
    const alice = await victimOf(world, 'alice3');
    const bob = await victimOf(world, 'bob3');
    await unchanged(world.daemon, async () => {
      const batch = (id: number) => [{ delete: [id] }, { put: [{ id, name: 'x', type: 'A', content: '192.0.2.9' }] }];
      const absent = batch(Number.MAX_SAFE_INTEGER);
      for (const [i, json] of batch(Number(alice.ids.record_id)).entries()) {
        const path = `${bob.zone.records}/batch`;
        const answer = await bob.client.post(path, json);
        refused(answer, '404 no_such_record');
        assert.equal(comparable(answer), comparable(await bob.client.post(path, absent[i])));
      }
    });
  });

  test('lists never contain objects of another account', async ({ world }) => {
    const alice = await victimOf(world, 'alice4');
    const bob = await victimOf(world, 'bob4');
    const { body } = await alice.client.get('/api/v1/audit?limit=1');
    const id = alice.ids;
    for (const query of [
      '',
      '?q=alice',
      '?q=',
      `?account_id=${id.account_id}`,
      `?account=${id.account_id}`,
      '?domain=alice4.example.net',
      `?cursor=${body.next_cursor}`,
      `?cursor=${Buffer.from('alice4.example.net.').toString('base64url')}`,
      `?cursor=${idKey(alice.zone.id).toString('base64url')}`,
    ])
      for (const { method, path, admin, scope } of world.daemon.api.routes) {
        // The check of a name lists nothing, and repeats the name.
        if (method !== 'GET' || admin || scope === null || path.endsWith('/domains/check')) continue;
        const answer = await bob.client.get(concrete(path, { ...bob.ids, seq: '1' }) + query);
        // A link to the next page repeats the query.
        for (const secret of [
          'alice4',
          `"domain_id":${id.domain_id},`,
          `"account_id":${id.account_id},`,
          `"id":${id.domain_id},"domain"`,
          `"id":${id.record_id},"name"`,
          `"id":${id.token_id},"name"`,
          `"id":${id.key_id},"name"`,
          alice.username,
        ])
          assert.not.ok(answer.text.includes(secret), `${path}${query}: ${answer.text}`);
      }
  });

  test('audit: entries of the own account, all for administrators', async ({ world }) => {
    const alice = await victimOf(world, 'alice5');
    const bob = await victimOf(world, 'bob5');
    const of = async (client: Client, query = '') =>
      each(listOf(succeeded(await client.get(`/api/v1/audit?limit=1000${query}`)).body.entries), 'account_id');
    assert.equal([...new Set(await of(bob.client))], [String(bob.id)]);
    assert.equal([...new Set(await of(alice.client))], [String(alice.id)]);
    const all = new Set(await of(world.admin));
    assert.ok(all.has(String(alice.id)) && all.has(String(bob.id)));
    for (const name of ['account', 'account_id'])
      assert.equal([...new Set(await of(world.admin, `&${name}=${alice.id}`))], [String(alice.id)]);
  });

  test('an Idempotency-Key of another account does not return its response', async ({ world }) => {
    const alice = await victimOf(world, 'alice6');
    const bob = await victimOf(world, 'bob6');
    const headers = { 'idempotency-key': 'theirs' };
    const json = { name: 'once', type: 'A', content: '192.0.2.1' };
    succeeded(await alice.client.post(alice.zone.records, json, headers));
    refused(await bob.client.post(alice.zone.records, json, headers), '404 no_such_domain');
    refused(await world.admin.post(alice.zone.records, json, headers), '409 record_exists');
  });

  test('409 zone_exists does not reveal the owner of the domain', async ({ world }) => {
    const alice = await victimOf(world, 'alice7');
    const bob = await world.member();
    for (const domain of [alice.zone.domain, `sub.${alice.zone.domain}`]) {
      const answer = await bob.client.post('/api/v1/domains', { domain });
      refused(answer, '409 zone_exists', '/domain');
      for (const secret of [alice.username, 'account']) assert.not.ok(answer.text.includes(secret), answer.text);
    }
  });
});
