/** The API contract: origins of names and paths, a document with a revision, and their health. */
import * as assert from 'uvu/assert';
import { write } from '../../../core/journal/draft/draft.ts';
import { healthKey } from '../../../core/site/pools/checks.ts';
import type { CompleteEntry } from '../../../core/site/pools/document.ts';
import { originHealth } from '../../../core/store/rows.ts';
import { certificate, ecKey, pemOfKey } from '../../support/certificate.ts';
import { listOf } from '../daemon.ts';
import { everywhere, refused, succeeded } from './world.ts';

/** Public addresses. */
const [A, B] = ['8.8.8.8', '8.8.4.4'];

await everywhere('contract, origins', (test) => {
  test('GET and PUT …/proxy/origins: the whole document, with its defaults and revision', async ({ world }) => {
    const { client, path } = await world.zone();
    const at = `${path}/proxy/origins`;
    const empty = succeeded(await client.get(at));
    assert.equal([empty.headers.get('etag'), empty.body.origins, empty.body.updated_at], ['"0"', [], null]);
    const set = succeeded(await client.put(at, { origins: [{ pool: [{ origin: A }, { origin: B, port: 80 }] }] }));
    const [{ pool, ...entry }] = listOf(set.body.origins);
    assert.equal(pool, [
      { origin: A, port: 443, protocol: 'https', weight: 1 },
      { origin: B, port: 80, protocol: 'http', weight: 1 },
    ]);
    assert.equal(entry, {
      ...{ name: '*', path: '/', label: null, health: null, sticky: null, stale_when_down: true, host: null },
      ejection: { failures: 5, error_rate: 50, min_requests: 20, duration: 30 },
      ...{ balance: 'round_robin', slow_start: null },
      ...{ retries: { attempts: 3, budget: 20 }, server_name: null, version: '1.1', client_certificate: null },
      ...{ proxy_protocol: 'none' },
      ...{ ca: null, pins: null, connect_timeout: null, response_timeout: null },
    });
    // What was read can be sent back.
    const { ok: _, ...body } = succeeded(await client.get(at)).body as Record<string, unknown>;
    assert.is(succeeded(await client.put(at, body, { 'if-match': '"1"' })).body.revision, 2);
    refused(await client.put(at, body, { 'if-match': '"1"' }), '412 changed');
    assert.is(succeeded(await client.put(at, { origins: [] })).body.revision, 3);
  });

  test('an error names the entry', async ({ world }) => {
    const { client, path } = await world.zone();
    const at = `${path}/proxy/origins`;
    const good = { name: 'www', pool: [{ origin: A }] };
    const put = (...origins: unknown[]) => client.put(at, { origins });
    refused(
      await put(good, { pool: [{ origin: A }, { origin: '10.0.0.1' }] }),
      '422 private_origin',
      '/origins/1/pool/1/origin',
    );
    refused(await put(good, good), '422 duplicate_entry', '/origins/1');
    refused(await put({ ...good, health: { interval: 1 } }), '422 validation', '/origins/0/health/interval');
    refused(await put({ ...good, pool: [] }), '422 validation', '/origins/0/pool');
    refused(
      await put({ ...good, pool: [{ origin: A, port: 8080 }] }),
      '422 protocol_required',
      '/origins/0/pool/0/protocol',
    );
    refused(await put({ ...good, poool: [] }), '422 unknown_field', '/origins/0/poool');
    const { body } = await put({ name: 'a b', pool: [{ origin: 'x' }] });
    assert.equal(
      listOf(body.error.details).map(({ pointer }) => pointer),
      ['/origins/0/name', '/origins/0/pool/0/origin'],
    );
  });

  test('the key of a client certificate is stored encrypted, and never returned', async ({ world }) => {
    const { client, path } = await world.zone();
    const at = `${path}/proxy/origins`;
    const key = ecKey();
    const pem = certificate({ name: 'client.example', key, dnsNames: ['client.example'] });
    const put = (client_certificate: unknown) =>
      client.put(at, { origins: [{ pool: [{ origin: A }], client_certificate }] });
    const pointer = '/origins/0/client_certificate/private_key';
    refused(await put({ certificate: pem }), '422 key_required', pointer);
    refused(await put({ certificate: pem, private_key: pemOfKey(ecKey()) }), '422 key_mismatch', pointer);
    refused(await put({ certificate: pem, private_key: 'x' }), '422 invalid_private_key', pointer);
    const set = succeeded(await put({ certificate: pem, private_key: pemOfKey(key) }));
    assert.equal(set.body.origins[0].client_certificate, { certificate: pem });
    assert.not.match(set.text, /PRIVATE|sealed/);
    // It is kept while the certificate stays.
    assert.equal(succeeded(await put({ certificate: pem })).body.origins[0].client_certificate, { certificate: pem });
  });

  test('GET …/proxy/origins/health: the states of all regions', async ({ world }) => {
    const { client, path, id } = await world.zone();
    const at = `${path}/proxy/origins`;
    const origins = [
      { pool: [{ origin: A }, { origin: B }], health: { path: '/up' } },
      { name: 'x', pool: [{ origin: A }] },
    ];
    const { body } = succeeded(await client.put(at, { origins }));
    const entry = body.origins[0] as unknown as CompleteEntry;
    const states = async () =>
      listOf(succeeded(await client.get(`${at}/health`)).body.entries).map((found) =>
        listOf(found.origins).map(({ state }) => state),
      );
    assert.equal(await states(), [['unknown', 'unknown'], ['unchecked']]);
    const { environment, journal } = world.daemon;
    const put = (region: string, ...up: boolean[]) =>
      write(environment, journal, 'test', (draft) =>
        draft.put(originHealth, {
          ...{ domainId: Number(id), region },
          origins: up.map((isUp, i) => ({
            ...{ key: healthKey(entry, entry.pool[i]), isUp, since: 1_700_000_000 },
            reason: isUp ? null : 'It refused the connection.',
          })),
        }),
      );
    await put('eu', true, false);
    assert.equal(await states(), [['up', 'down'], ['unchecked']]);
    await put('us', true, true);
    assert.equal(await states(), [['up', 'partly'], ['unchecked']]);
    const { entries } = succeeded(await client.get(`${at}/health`)).body;
    assert.equal(entries[0].origins[1], {
      ...{ origin: B, port: 443, protocol: 'https', weight: 1, state: 'partly', since: '2023-11-14 22:13:20' },
      ...{ reason: 'It refused the connection.', ejected_until: null },
      regions: [
        { region: 'eu', is_up: false, since: '2023-11-14 22:13:20', reason: 'It refused the connection.' },
        { region: 'us', is_up: true, since: '2023-11-14 22:13:20', reason: null },
      ],
    });
  });
});
