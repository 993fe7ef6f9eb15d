/** How many entries stay in the journal: by number, and by size. */
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { write } from '../../../../core/journal/draft/draft.ts';
import { openEmbeddedJournal } from '../../../../core/journal/embedded-journal.ts';
import { domains, NO_LABELS, zoneLabels } from '../../../../core/store/rows.ts';
import { DEFAULTS, type JournalFactory, newDomain, type Store, withStore } from '../fixture.ts';

const MB = 1 << 20;

const bounded =
  (historyBytes: number): JournalFactory =>
  ({ environment, index }, history) =>
    openEmbeddedJournal({ environment, index, zoneSettings: DEFAULTS, history, historyBytes });

function sizeOf({ environment }: Store): { entries: number; bytes: number } {
  let [entries, bytes] = [0, 0];
  for (const { value } of environment.journal.getRange({})) {
    entries++;
    bytes += value.length;
  }
  return { entries, bytes };
}

/** Entries of 100 KB. */
async function writeLarge({ environment, journal }: Store, count: number): Promise<void> {
  const domain = newDomain('large.test.');
  await write(environment, journal, 'test', (draft) => draft.put(domains, domain));
  for (let i = 0; i < count; i++)
    await write(environment, journal, 'test', (draft) =>
      draft.put(zoneLabels, { domainId: domain.id, ...NO_LABELS, account: String(i).padEnd(100_000) }),
    );
}

test('large entries are deleted early, so that the journal stays below its size', () =>
  withStore(
    bounded(MB),
    async (store) => {
      await writeLarge(store, 60);
      const { entries, bytes } = sizeOf(store);
      assert.ok(bytes <= MB, `${bytes} bytes`);
      assert.ok(bytes > MB / 2 && entries > 4, `${entries} entries: no more than necessary are deleted`);
      // The last one is there, and the entries have no gap.
      const keys = [...store.environment.journal.getKeys({})].map((key) => (key as Buffer).readUIntBE(2, 6));
      assert.is(keys[keys.length - 1], store.journal.head);
      assert.is(keys[0], store.journal.head - entries + 1);
    },
    { history: 1000 },
  ));

test('a start with a journal above its size deletes with the first write; an entry above the size stays alone', () =>
  withStore(bounded(Number.POSITIVE_INFINITY), async (store) => {
    await writeLarge(store, 30);
    assert.is(sizeOf(store).entries, 31);
    await store.journal.close();
    const { environment, index } = store;
    store.journal = openEmbeddedJournal({
      environment,
      index,
      zoneSettings: DEFAULTS,
      history: 1000,
      historyBytes: 65_536,
    });
    const next = newDomain('next.test.');
    await write(environment, store.journal, 'test', (draft) => draft.put(domains, next));
    assert.ok(sizeOf(store).bytes < 65_536);
    await write(environment, store.journal, 'test', (draft) =>
      draft.put(zoneLabels, { domainId: next.id, ...NO_LABELS, account: 'x'.repeat(200_000) }),
    );
    assert.is(sizeOf(store).entries, 1);
  }));

test.run();
