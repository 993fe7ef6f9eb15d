/** States of secondary zones, written together. */
import { mock } from 'node:test';
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { UnavailableError } from '../../../../core/base/errors.ts';
import { write } from '../../../../core/journal/draft/draft.ts';
import type { Journal } from '../../../../core/journal/journal.ts';
import { idKey } from '../../../../core/store/keys.ts';
import { type SecondaryRow, secondaries } from '../../../../core/store/rows.ts';
import { RowBatch } from '../../../../core/upkeep/secondary/commit.ts';
import { until } from '../../../support/until.ts';
import { embedded, type Store, withStore } from '../../journal/fixture.ts';

const log = { debug: () => {} } as never;

const rowOf = (domainId: number, at: number, serial: number | null = 1): SecondaryRow => ({
  ...{ domainId, serial, transferredAt: 1, refreshedAt: at, expiresAt: at + 100 },
  ...{ refresh: 10, retry: 10, expire: 100, error: null },
});

async function store(parts: Store, rows: readonly SecondaryRow[]): Promise<void> {
  await write(parts.environment, parts.journal, 'test', (draft) => {
    for (const row of rows) draft.put(secondaries, row);
  });
}

const refreshedAt = ({ reader }: Store, domainId: number): number | null | undefined =>
  reader.row(secondaries, idKey(domainId))?.refreshedAt;

/** Entries that were committed since. */
const entriesAfter = (parts: Store, before: number): number => parts.journal.head - before;

/** With timers that the test lets pass. */
async function withBatch(work: (parts: Store, batch: RowBatch) => Promise<void>): Promise<void> {
  await withStore(embedded, async (parts) => {
    mock.timers.enable({ apis: ['setTimeout'] });
    const batch = new RowBatch({ ...parts, log });
    try {
      await work(parts, batch);
    } finally {
      mock.timers.reset();
      await batch.stop();
    }
  });
}

/** The time of the batch passes. */
const untilWritten = (condition: () => boolean): Promise<void> =>
  until(() => {
    mock.timers.tick(500);
    return condition();
  });

test('rows are written in few entries, each the latest', () =>
  withBatch(async (parts, batch) => {
    const ids = Array.from({ length: 450 }, (_, i) => i + 1);
    await store(
      parts,
      ids.map((id) => rowOf(id, 10)),
    );
    const before = parts.journal.head;
    for (const id of ids) batch.add(rowOf(id, 20));
    for (const id of ids) batch.add(rowOf(id, 30));
    // What is written can be read before the journal counts it.
    await untilWritten(() => refreshedAt(parts, 450) === 30 && entriesAfter(parts, before) >= 3);
    for (const id of ids) assert.is(refreshedAt(parts, id), 30);
    assert.is(entriesAfter(parts, before), 3);
  }));

test('a zone that was deleted, transferred or confirmed meanwhile is left as it is', () =>
  withBatch(async (parts, batch) => {
    await store(parts, [rowOf(1, 10), rowOf(2, 10, 2), rowOf(3, 50), rowOf(5, 10), rowOf(6, 10, null)]);
    batch.add(rowOf(1, 20));
    batch.add(rowOf(2, 20));
    batch.add({ ...rowOf(3, 20), error: 'older' });
    batch.add(rowOf(4, 20));
    batch.add({ ...rowOf(5, 10), error: 'failed' });
    batch.add({ ...rowOf(6, 10, null), error: 'failed' });
    await untilWritten(() => refreshedAt(parts, 1) === 20);
    assert.equal(
      [1, 2, 3, 4].map((id) => refreshedAt(parts, id)),
      [20, 10, 50, undefined],
    );
    for (const id of [5, 6]) assert.is(parts.reader.row(secondaries, idKey(id))?.error, 'failed');
  }));

test('rows that cannot be written are written later', () =>
  withBatch(async (parts, sound) => {
    await store(parts, [rowOf(1, 10)]);
    let failures = 0;
    const journal = new Proxy(parts.journal, {
      get(target, key) {
        if (key === 'commit' && failures < 2)
          return () => {
            failures++;
            return Promise.reject(new UnavailableError('no_quorum', 'Writes are unavailable.'));
          };
        const value = Reflect.get(target, key) as unknown;
        return typeof value === 'function' ? value.bind(target) : value;
      },
    }) as Journal;
    const batch = new RowBatch({ ...parts, journal, log });
    batch.add(rowOf(1, 20));
    await untilWritten(() => failures === 2);
    batch.add(rowOf(1, 30));
    assert.is(refreshedAt(parts, 1), 10);
    await untilWritten(() => refreshedAt(parts, 1) === 30);
    await batch.stop();
    // What is added after the end is not written.
    batch.add(rowOf(1, 40));
    await sound.stop();
    assert.is(refreshedAt(parts, 1), 30);
  }));

test.run();
