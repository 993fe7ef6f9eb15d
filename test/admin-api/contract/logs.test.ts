/** The API contract: delivery of request logs. Secrets are stored encrypted and never shown. */
import * as assert from 'uvu/assert';
import { openSecrets } from '../../../core/base/secrets.ts';
import type { LogsDocument } from '../../../core/site/logs/document.ts';
import { siteDocumentContext } from '../../../core/store/rows.ts';
import { StoreReader } from '../../../core/store/store-reader.ts';
import { everywhere, refused, succeeded, type World, type Zone } from './world.ts';

const SECRET = `whsec_${Buffer.alloc(32, 1).toString('base64')}`;
const ENDPOINT = { url: 'https://1.1.1.1/logs', authorization: 'Bearer verysecret', signing_secret: SECRET };
const BUCKET = {
  ...{ endpoint: 'https://1.1.1.1/', region: 'eu-1', name: 'bucket', prefix: 'a/b/', path_style: true },
  ...{ access_key: 'key', secret_key: 'verysecret' },
};

const at = ({ path }: Zone): string => `${path}/proxy/logs`;
const stored = (world: World, zone: Zone): LogsDocument =>
  new StoreReader(world.daemon.environment).siteDocument(Number(zone.id), 'logs')?.content as LogsDocument;

await everywhere('contract, logs', (test) => {
  test('GET before any setting; PUT of an endpoint; secrets that are omitted stay', async ({ world }) => {
    const zone = await world.zone();
    const { client } = zone;
    const empty = succeeded(await client.get(at(zone))).body;
    assert.equal([empty.enabled, empty.endpoint, empty.bucket, empty.revision], [false, null, null, 0]);
    const set = succeeded(await client.put(at(zone), { enabled: true, endpoint: ENDPOINT, sample: 0.5 }));
    assert.not.match(set.text, /verysecret|whsec_/);
    const { body } = succeeded(await client.get(at(zone)));
    assert.equal(body.endpoint, { url: ENDPOINT.url, has_authorization: true, has_signing_secret: true });
    assert.equal([body.sample, body.client_address], [0.5, 'full']);
    assert.not.match(JSON.stringify(stored(world, zone)), /verysecret|AQEBAQ/);
    const { ok: _, ...read } = body as Record<string, unknown>;
    succeeded(await client.put(at(zone), { ...read, client_address: 'truncated', fields: ['status', 'time'] }));
    const { endpoint, fields, clientAddress } = stored(world, zone);
    assert.equal([fields, clientAddress], [['time', 'status'], 'truncated']);
    const secrets = openSecrets(world.daemon.keyFile);
    const context = siteDocumentContext(Number(zone.id), 'logs');
    const unseal = (sealed = ''): Buffer => secrets.unseal(Buffer.from(sealed, 'base64'), context);
    assert.is(unseal(endpoint?.sealedAuthorization).toString(), ENDPOINT.authorization);
    assert.equal(unseal(endpoint?.sealedSecret), Buffer.alloc(32, 1));
    const moved = { enabled: true, endpoint: { url: 'https://1.1.1.1:8443/logs' } };
    refused(await client.put(at(zone), moved), '422 invalid_logs', '/endpoint/authorization');
    const none = { url: 'https://1.1.1.1:8443/', authorization: null, signing_secret: null };
    const without = succeeded(await client.put(at(zone), { enabled: true, endpoint: none })).body;
    assert.equal([without.endpoint.has_authorization, without.endpoint.has_signing_secret], [false, false]);
  });

  test('a bucket; a new key needs its secret', async ({ world }) => {
    const zone = await world.zone();
    const { client } = zone;
    const { secret_key: _, ...address } = BUCKET;
    refused(await client.put(at(zone), { enabled: true, bucket: address }), '422 invalid_logs');
    const set = succeeded(await client.put(at(zone), { enabled: true, bucket: BUCKET }));
    assert.equal(set.body.bucket, address);
    succeeded(await client.put(at(zone), { enabled: true, bucket: { ...address, name: 'other' } }));
    assert.not.equal(stored(world, zone).bucket?.sealedSecretAccessKey, '');
    const other = { enabled: true, bucket: { ...address, access_key: 'other' } };
    refused(await client.put(at(zone), other), '422 invalid_logs', '/bucket/secret_key');
  });

  test('refused settings', async ({ world }) => {
    const zone = await world.zone();
    const { client } = zone;
    const put = (json: object) => client.put(at(zone), { enabled: true, endpoint: ENDPOINT, ...json });
    refused(await put({ endpoint: null }), '422 invalid_logs', '/enabled');
    refused(await put({ bucket: BUCKET }), '422 invalid_logs', '/bucket');
    const urls = ['http://1.1.1.1/', 'https://u:p@1.1.1.1/', 'x'];
    for (const url of urls) refused(await put({ endpoint: { url } }), '422 invalid_url', '/endpoint/url');
    for (const host of ['127.0.0.1', '[::1]', '10.0.0.1', 'localhost', '169.254.169.254']) {
      refused(await put({ endpoint: { url: `https://${host}/` } }), '422 private_url', '/endpoint/url');
      const bucket = { ...BUCKET, endpoint: `https://${host}` };
      refused(await put({ endpoint: null, bucket }), '422 private_url', '/bucket/endpoint');
    }
    refused(await put({ endpoint: { url: ENDPOINT.url, signing_secret: 'whsec_short' } }), '422 invalid_logs');
    refused(await put({ endpoint: { url: ENDPOINT.url, authorization: 'a\u00e9b' } }), '422 invalid_logs');
    refused(await put({ endpoint: null, bucket: { ...BUCKET, endpoint: 'https://1.1.1.1/path' } }), '422 invalid_logs');
    refused(await put({ fields: ['nothing'] }), '422 validation');
    for (const sample of [0, 1.5, -1]) refused(await put({ sample }), '422 validation');
    const tested = succeeded(await client.post(`${at(zone)}/test`, {})).body;
    assert.equal([tested.delivered, tested.status, tested.error, tested.duration_ms], [true, 200, null, 1]);
    const { body } = succeeded(await client.get(`${at(zone)}/state`));
    assert.equal([body.nodes, body.missing_nodes], [[], []]);
  });
});
