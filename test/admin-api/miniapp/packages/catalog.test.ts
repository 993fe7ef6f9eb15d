/** The sorted list of the store, kept up to date by the journal. */
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { Catalog, type CatalogSearch } from '../../../../admin-api/miniapp/packages/store/catalog.ts';
import { type Draft, write } from '../../../../core/journal/draft/draft.ts';
import { accounts, apps, type Upload, uploads } from '../../../../core/store/rows.ts';
import { StoreReader } from '../../../../core/store/store-reader.ts';
import { embedded, newAccount, type Store, withStore } from '../../../core/journal/fixture.ts';

const test = suite('admin-api/miniapp/packages/catalog');
const SHA256 = 'a'.repeat(64);
const FIRST: CatalogSearch = { key: 'name', descending: false, matches: null, after: null, limit: 100 };

interface Shown {
  readonly id: number;
  readonly name: string | undefined;
  readonly accountId: number;
  readonly isPublished?: boolean;
}

/** Without a name, the row is one of an earlier version. */
function put(draft: Draft, { id, name, accountId, isPublished = true }: Shown): void {
  const appId = `com.example.a${id}`;
  const times = { createdAt: 1, updatedAt: 1 };
  const published = isPublished ? id : null;
  draft.put(apps, {
    ...{ id: appId, accountId, name: name ?? null, approvedCode: 1, suspended: null, ...times },
    current: { in_review: null, approved: null, published },
  });
  const texts = { description: null, category: null, minHostVersion: '1.0' };
  const row: Upload = {
    ...{ id, accountId, appId, version: '1.0', versionCode: 1, sha256: SHA256, size: 1, notes: null },
    listing: { name: name ?? '', ...texts, permissions: [], backgroundPermissions: [], icon: null },
    ...{ state: isPublished ? 'published' : 'withdrawn', claim: null, summary: null, ...times },
    history: [{ state: 'published', at: 100 - id, by: null, reason: null, codes: [] }],
  };
  const { listing, ...old } = row;
  draft.put(uploads, name === undefined ? (old as Upload) : { ...old, listing });
}

const change = ({ environment, journal }: Store, work: (draft: Draft) => void) =>
  write(environment, journal, 'test', work);

const catalogOf = ({ environment, journal }: Store): Catalog =>
  new Catalog(new StoreReader(environment), (listener) => journal.onApps(listener));

async function names(catalog: Catalog, search: Partial<CatalogSearch> = {}): Promise<string> {
  const found: string[] = [];
  for (let after: CatalogSearch['after'] = null; ; ) {
    const page = await catalog.find({ ...FIRST, ...search, after });
    found.push(...page.found.map(({ listing }) => listing.name));
    if (page.last === null) return found.join(' ');
    after = page.last;
  }
}

test('has each order in pages of any size, and follows the journal', () =>
  withStore(embedded, async (store) => {
    const { id: accountId } = newAccount();
    await change(store, (draft) => {
      draft.put(accounts, { ...newAccount(), id: accountId });
      for (const [i, name] of ['b', 'D', 'a', 'c', 'B'].entries()) put(draft, { id: i + 1, name, accountId });
    });
    const catalog = catalogOf(store);
    for (const limit of [1, 2, 5, 6]) {
      assert.is(await names(catalog, { limit }), 'a b B c D');
      assert.is(await names(catalog, { limit, descending: true }), 'D c B b a');
      assert.is(await names(catalog, { limit, key: 'app_id' }), 'b D a c B');
      assert.is(await names(catalog, { limit, key: 'published_at' }), 'B c a D b');
    }
    await change(store, (draft) => {
      put(draft, { id: 4, name: 'c', accountId, isPublished: false });
      put(draft, { id: 3, name: 'z', accountId });
      put(draft, { id: 9, name: 'aa', accountId });
    });
    assert.is(await names(catalog, { limit: 2 }), 'aa b B D z');
    const matches = (...texts: readonly string[]) => texts.some((text) => text === 'b' || text === 'z');
    const search = await catalog.find({ ...FIRST, matches, limit: 1 });
    assert.equal([search.found.length, search.total, search.last !== null], [1, 3, true]);
    assert.is((await catalog.find({ ...FIRST, matches, limit: 3 })).last, null);
    assert.is((await catalog.find({ ...FIRST, limit: 1 })).total, 5);
  }));

test('has neither apps of deleted accounts nor rows of earlier versions', () =>
  withStore(embedded, async (store) => {
    const { id: accountId } = newAccount();
    await change(store, (draft) => {
      draft.put(accounts, { ...newAccount(), id: accountId });
      put(draft, { id: 1, name: 'kept', accountId });
      put(draft, { id: 2, name: 'orphan', accountId: accountId + 1000 });
      put(draft, { id: 3, name: undefined, accountId });
    });
    const catalog = catalogOf(store);
    assert.is(await names(catalog), 'kept');
    await change(store, (draft) => put(draft, { id: 4, name: undefined, accountId }));
    assert.is(await names(catalog), 'kept');
  }));

test.run();
