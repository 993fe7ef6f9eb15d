/** Rows of documents: keys by domain and kind, and what goes with a domain. */
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { hasSecrets, siteDocumentKey, siteDocuments, siteDocumentVersions } from '../../../core/store/rows.ts';

const test = suite('site documents');

test('a row returns from its key and value as it was', () => {
  for (const kind of ['origins', 'rules', 'protection', 'error_pages', 'logs'] as const) {
    const row = { domainId: 7, kind, revision: 3, updatedAt: 1_700_000_000, content: { list: [1, 'ü'] } };
    const key = siteDocuments.key(row);
    assert.equal(key, siteDocumentKey(7, kind));
    assert.equal(siteDocuments.decode(key, siteDocuments.encode(row)), row);
  }
});

test('a kind that only a later version knows is read, as one without secrets', () => {
  const row = { domainId: 7, kind: 'rules', revision: 3, updatedAt: 1_700_000_000, content: {} } as const;
  const key = Buffer.concat([siteDocuments.key(row).subarray(0, 8), Uint8Array.of(200)]);
  const { kind, revision } = siteDocuments.decode(key, siteDocuments.encode(row));
  assert.is(revision, 3);
  assert.is(hasSecrets(kind), false);
});

test('an earlier version has a key of its own behind that of its document', () => {
  const actor = { accountId: 5, username: 'ann', tokenName: null };
  const row = { domainId: 7, kind: 'rules', revision: 3, updatedAt: 1_700_000_000, actor, content: {} } as const;
  const key = siteDocumentVersions.key(row);
  assert.equal(key.subarray(0, 9), siteDocumentKey(7, 'rules'));
  assert.equal(siteDocumentVersions.decode(key, siteDocumentVersions.encode(row)), row);
  assert.ok(key.compare(siteDocumentVersions.key({ ...row, revision: 300 })) < 0);
});

test.run();
