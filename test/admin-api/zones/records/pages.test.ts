/** Compares the cached pages with the stored ones. */

import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { RecordPageCache } from '../../../../admin-api/zones/records/pages.ts';
import fc from '../../../support/fc.ts';
import { startDaemon } from '../../daemon.ts';
import { testedTransports } from '../../transports.ts';

const page = (revision: number, size = 10) => ({ revision, body: Buffer.alloc(size), link: undefined });

test('a page is returned only for its own revision', () => {
  fc.assert(
    fc.property(fc.array(fc.tuple(fc.nat(5), fc.nat(3), fc.boolean()), { maxLength: 50 }), (steps) => {
      const pages = new RecordPageCache();
      const last = new Map<number, number>();
      for (const [key, revision, put] of steps) {
        if (put) {
          pages.put(`k${key}`, page(revision));
          last.set(key, revision);
        } else {
          const found = pages.get(`k${key}`, revision);
          assert.is(found?.revision, last.get(key) === revision ? revision : undefined);
          // A request for another revision removes the old page.
          if (found === undefined) last.delete(key);
        }
      }
    }),
  );
});

test('memory is limited: evicts the least recently used page, and does not store very large ones', () => {
  const pages = new RecordPageCache();
  for (let i = 0; i < 200; i++) {
    pages.put(`k${i}`, page(1, 500_000));
    pages.get('k0', 1);
  }
  assert.ok(pages.size <= 32 << 20, `${pages.size} bytes`);
  assert.is.not(pages.get('k0', 1), undefined);
  assert.is.not(pages.get('k199', 1), undefined);
  assert.is(pages.get('k1', 1), undefined);
  pages.put('large', page(1, 2 << 20));
  assert.is(pages.get('large', 1), undefined);
  for (let i = 0; i < 200; i++) pages.get(`k${i}`, 2);
  assert.is(pages.size, 0);
});

for (const transport of await testedTransports('lists of records'))
  test(`a list changes with its domain, and an unchanged one is a 304 (${transport})`, async () => {
    const daemon = await startDaemon(transport);
    try {
      const { body } = await daemon.call('POST', '/api/v1/domains', { json: { domain: 'pages.example.com' } });
      const path = `/api/v1/domains/${body.domain.id}/records`;
      for (let i = 0; i < 5; i++) {
        await daemon.call('POST', path, { json: { name: `h${i}`, type: 'A', content: '192.0.2.1' } });
        for (let again = 0; again < 3; again++) {
          const list = await daemon.call('GET', path);
          assert.is(Object.keys(list.body.records).length, i + 1);
          const first = await daemon.call('GET', `${path}?limit=1`);
          assert.is(first.headers.get('link') !== null, i > 0);
          const etag = String(list.headers.get('etag'));
          const unchanged = await daemon.call('GET', path, { headers: { 'if-none-match': `"0", W/${etag}` } });
          assert.is(unchanged.status, 304);
          assert.is(unchanged.text, '');
          assert.is((await daemon.call('GET', path, { headers: { 'if-none-match': '"0"' } })).status, 200);
          const domain = `/api/v1/domains/${body.domain.id}`;
          assert.is((await daemon.call('GET', domain, { headers: { 'if-none-match': etag } })).status, 304);
        }
      }
    } finally {
      await daemon.stop();
    }
  });

test.run();
