/** The API contract: error pages of a domain, a document with a revision of its own. */
import { deflateRawSync } from 'node:zlib';
import * as assert from 'uvu/assert';
import { everywhere, refused, succeeded } from './world.ts';

await everywhere('contract, error pages', (test) => {
  test('GET and PUT …/proxy/error-pages: the whole document, with its revision as ETag', async ({ world }) => {
    const { client, path } = await world.zone();
    const at = `${path}/proxy/error-pages`;
    const empty = succeeded(await client.get(at));
    assert.is(empty.headers.get('etag'), '"0"');
    assert.equal(
      [empty.body.pages, empty.body.maintenance, empty.body.revision, empty.body.updated_at],
      [[], null, 0, null],
    );
    const pages = [{ status: '5xx', html: '<h1>{{status}} ä</h1>\n' }];
    const set = succeeded(await client.put(at, { pages }));
    assert.equal([set.body.pages, set.body.maintenance, set.body.revision], [pages, null, 1]);
    const stored = succeeded(await client.get(at));
    assert.is(stored.headers.get('etag'), '"1"');
    // What was read can be sent back.
    const { ok: _, ...body } = { ...stored.body, maintenance: 'closed' } as Record<string, unknown>;
    const changed = await client.put(at, body, { 'if-match': '"1"' });
    assert.is(succeeded(changed).body.maintenance, 'closed');
    refused(await client.put(at, body, { 'if-match': '"1"' }), '412 changed');
    const unknown = await client.put(at, { pages: [{ status: '404', html: '{{x}}' }] });
    refused(unknown, '422 invalid_error_page', '/pages/0/html');
    for (const status of ['200', '6xx', '4xy', '40']) {
      const { body: reply } = await client.put(at, { pages: [{ status, html: 'x' }] });
      assert.is(reply.ok, false, status);
    }
    assert.is(succeeded(await client.get(at)).body.revision, 2);
  });

  test('GET …/proxy/error-pages/preview: the page of the query, as a document without scripts and origin', async ({
    world,
  }) => {
    const { client, path } = await world.zone();
    const at = `${path}/proxy/error-pages/preview`;
    const encode = (html: string | Uint8Array): string => deflateRawSync(html).toString('base64url');
    const preview = (html: string | Uint8Array, status = '') => client.get(`${at}?page=${encode(html)}${status}`);
    const shown = await preview('<h1>{{status}} {{title}} ä</h1><script>alert(1)</script>');
    assert.equal([shown.status, shown.text], [200, '<h1>502 Bad Gateway ä</h1><script>alert(1)</script>']);
    assert.is(shown.headers.get('content-type'), 'text/html; charset=utf-8');
    assert.is(shown.headers.get('cache-control'), 'no-store');
    const policy = (shown.headers.get('content-security-policy') ?? '').split('; ');
    for (const directive of ['sandbox', "default-src 'none'", "form-action 'none'", "frame-ancestors 'none'"])
      assert.ok(policy.includes(directive), directive);
    assert.not.match(policy.join(), /script|allow-|https?:|\*|'self'/);
    for (const [status, text] of [
      ['404', '404'],
      ['4xx', '404'],
      ['5xx', '502'],
      ['maintenance', '503'],
    ])
      assert.is((await preview('{{status}}', `&status=${status}`)).text, text, status);
    assert.match((await client.get(at)).text, /<dt>host<\/dt><dd>www\.example\.com<\/dd>/);
    for (const [page, fault] of [
      [encode('{{x}}'), '422 invalid_error_page'],
      [encode(' '), '422 invalid_error_page'],
      [encode(Buffer.alloc(32 * 1024 + 1, 'a')), '422 invalid_preview'],
      [encode(Buffer.of(0xff)), '422 invalid_preview'],
      ['AAAA', '422 invalid_preview'],
      ['', '422 invalid_preview'],
    ])
      refused(await client.get(`${at}?page=${page}`), fault);
    assert.is((await preview(Buffer.alloc(32 * 1024, 'a'))).text.length, 32 * 1024);
    for (const status of ['200', '6xx', 'x'])
      refused(await preview('x', `&status=${status}`), '422 invalid_status', '/status');
    refused(await world.nobody.get(at), '401 missing_token');
  });
});
