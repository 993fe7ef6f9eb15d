/** Webhooks: created, changed, listed; their secrets shown once and stored encrypted. */
import * as assert from 'uvu/assert';
import { openSecrets } from '../../../core/base/secrets.ts';
import { webhookContext } from '../../../core/store/rows.ts';
import { StoreReader } from '../../../core/store/store-reader.ts';
import { everywhere, refused, succeeded } from './world.ts';

const WEBHOOKS = '/api/v1/webhooks';
const URL = 'https://1.1.1.1/hook';

await everywhere('contract, webhooks', (test) => {
  test('POST returns the secret, once; the store has it encrypted', async ({ world }) => {
    const { client } = world.user;
    const answer = succeeded(await client.post(WEBHOOKS, { url: 'https://1.1.1.1:8443/a?b=c#d' }));
    const { secret, id, created_at, updated_at, ...rest } = answer.body;
    assert.equal(rest, {
      ...{ ok: true, url: 'https://1.1.1.1:8443/a?b=c', description: '', events: ['*'], domain_ids: null },
      ...{ enabled: true, status: 'ok', disabled_reason: null, failing_since: null, rotated_until: null },
    });
    assert.is(answer.headers.get('cache-control'), 'no-store');
    const read = succeeded(await client.get(`${WEBHOOKS}/${id}`));
    assert.not.ok(read.text.includes('whsec_'));
    const { environment, folder } = world.daemon;
    const row = new StoreReader(environment).webhook(Number(id));
    assert.not.ok(JSON.stringify(row).includes(String(secret).slice('whsec_'.length)));
    const sealed = Buffer.from(row?.sealed ?? '', 'base64');
    const plain = openSecrets(`${folder}/secret.key`).unseal(sealed, webhookContext(Number(id)));
    assert.is(`whsec_${plain.toString('base64')}`, secret);
    const rotated = succeeded(await client.post(`${WEBHOOKS}/${id}/rotate-secret`, {})).body;
    assert.not.equal(rotated.secret, secret);
    assert.match(String(rotated.rotated_until), /^\d{4}-/);
  });

  test('URLs: https, public, without credentials', async ({ world }) => {
    const { client } = world.user;
    for (const url of ['http://1.1.1.1/', 'ftp://1.1.1.1/', 'https://u:p@1.1.1.1/', 'https://1.1.1.1:0/', 'x', '/a'])
      refused(await client.post(WEBHOOKS, { url }), '422 invalid_url', '/url');
    const hosts = ['127.0.0.1', '10.0.0.1', '[::1]', '[fd00::1]', '[::ffff:10.0.0.1]', '169.254.169.254', 'localhost'];
    for (const host of [...hosts, 'receiver.internal', 'a.example', '2130706433'])
      refused(await client.post(WEBHOOKS, { url: `https://${host}/` }), '422 private_url', '/url');
    const { id } = succeeded(await client.post(WEBHOOKS, { url: URL })).body;
    refused(await client.send('PATCH', `${WEBHOOKS}/${id}`, { json: { url: 'https://[::1]/' } }), '422 private_url');
  });

  test('PATCH: omitted fields stay; events and domains are checked', async ({ world }) => {
    const { client } = world.user;
    const zone = await world.zone(client);
    const { id } = succeeded(await client.post(WEBHOOKS, { url: URL, events: ['records.*'], description: 'a' })).body;
    const path = `${WEBHOOKS}/${id}`;
    const patch = (json: object) => client.send('PATCH', path, { json });
    const changed = succeeded(await patch({ domain_ids: [Number(zone.id)], enabled: false })).body;
    assert.equal(
      [changed.events, changed.description, changed.domain_ids, changed.status],
      [['records.*'], 'a', [Number(zone.id)], 'disabled'],
    );
    refused(await patch({ events: [] }), '422 validation', '/events');
    refused(await patch({ events: ['records.read'] }), '422 validation');
    const other = await world.zone(world.admin);
    refused(await patch({ domain_ids: [Number(other.id)] }), '404 no_such_domain');
    refused(await client.post(`${path}/test`, {}), '409 webhook_disabled');
    refused(await client.post(`${path}/replay`, { since: '2026-02-30 00:00:00' }), '422 invalid_time', '/since');
    refused(await client.get(`${path}/deliveries?state=lost`), '400 invalid_state');
    refused(await client.get(`${path}/deliveries/1`), '404 no_such_delivery');
  });

  test('a deleted account takes its webhooks along', async ({ world }) => {
    const leaving = await world.member();
    const { id } = succeeded(await leaving.client.post(WEBHOOKS, { url: URL })).body;
    succeeded(await world.admin.delete(`/api/v1/accounts/${leaving.id}`));
    assert.is(new StoreReader(world.daemon.environment).webhook(Number(id)), undefined);
  });
});

await everywhere(
  'contract, limit of webhooks',
  (test) => {
    test('an account has as many as webhooks.max_per_account', async ({ world }) => {
      const { client } = world.user;
      for (let i = 0; i < 2; i++) succeeded(await client.post(WEBHOOKS, { url: URL }));
      refused(await client.post(WEBHOOKS, { url: URL }), '409 webhook_limit');
    });
  },
  { WAYPOST_WEBHOOKS_MAX_PER_ACCOUNT: '2' },
);
