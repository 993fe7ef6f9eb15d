/** The API contract: protection of the sites of a domain, a document with its defaults. */
import * as assert from 'uvu/assert';
import { certificate, ecKey, pemOfKey } from '../../support/certificate.ts';
import { everywhere, refused, succeeded } from './world.ts';

const key = ecKey();
const authority = certificate({ name: 'clients', key, ca: true });

await everywhere('contract, protection', (test) => {
  test('GET and PUT …/proxy/protection: what is omitted has its default', async ({ world }) => {
    const { client, path } = await world.zone();
    const at = `${path}/proxy/protection`;
    const empty = succeeded(await client.get(at));
    assert.equal([empty.headers.get('etag'), empty.body.revision, empty.body.updated_at], ['"0"', 0, null]);
    const { limits, challenge, tls } = empty.body as Record<string, Record<string, unknown>>;
    assert.equal([limits.connections, challenge.mode, challenge.except, tls.min_version], [null, 'off', [], '1.2']);
    const set = succeeded(await client.put(at, { limits: { connections: 100 }, tls: { min_version: '1.3' } }));
    const { revision, ...rest } = set.body as Record<string, unknown> & { limits: Record<string, unknown> };
    assert.equal([revision, rest.limits.connections, rest.limits.requests_per_second], [1, 100, null]);
    // What was read can be sent back.
    const { ok: _, ...body } = succeeded(await client.get(at)).body as Record<string, unknown>;
    succeeded(await client.put(at, body, { 'if-match': '"1"' }));
    refused(await client.put(at, body, { 'if-match': '"1"' }), '412 changed');
    refused(await client.put(at, { slow: { header_timeout: 0 } }), '422 validation', '/slow/header_timeout');
    refused(await client.put(at, { challenge: { mode: 'maybe' } }), '422 validation', '/challenge/mode');
    refused(await client.put(at, { limit: {} }), '422 unknown_field', '/limit');
    refused(
      await client.put(at, { challenge: { except: ['/a', 'b'] } }),
      '422 invalid_protection',
      '/challenge/except/1',
    );
  });

  test('authorities of clients: certificates of authorities alone, without other text', async ({ world }) => {
    const { client, path } = await world.zone();
    const at = `${path}/proxy/protection`;
    const put = (pem: string | null) =>
      client.put(at, { tls: { client_certificates: 'required', client_authorities: pem } });
    const set = succeeded(await put(`A comment\n${authority}\n${authority}`));
    const { client_authorities } = (set.body as Record<string, Record<string, unknown>>).tls;
    assert.is(client_authorities, authority);
    const leaf = certificate({ name: 'leaf', key });
    const old = certificate({ name: 'old', key, ca: true, from: -10, to: -1 });
    for (const wrong of [null, 'nothing', leaf, old, authority + pemOfKey(key)])
      refused(await put(wrong), '422 invalid_authorities', '/tls/client_authorities');
  });
});
