/** Rows of documents: keys by domain and kind, and what goes with a domain. */
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { siteDocumentKey, siteDocuments } from '../../../core/store/rows.ts';

const test = suite('site documents');

test('a row returns from its key and value as it was', () => {
  for (const kind of ['origins', 'rules', 'protection', 'error_pages', 'logs'] as const) {
    const row = { domainId: 7, kind, revision: 3, updatedAt: 1_700_000_000, content: { list: [1, 'ü'] } };
    const key = siteDocuments.key(row);
    assert.equal(key, siteDocumentKey(7, kind));
    assert.equal(siteDocuments.decode(key, siteDocuments.encode(row)), row);
  }
});

test.run();
