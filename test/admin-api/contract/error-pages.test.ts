/** The API contract: error pages of a domain, a document with a revision of its own. */
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
      const { body } = await client.put(at, { pages: [{ status, html: 'x' }] });
      assert.is(body.ok, false, status);
    }
    assert.is(succeeded(await client.get(at)).body.revision, 2);
  });
});
