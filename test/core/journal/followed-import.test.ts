/**
 * Large imports on nodes that follow the log: they store and serve what the node does that imports,
 * whatever lies between the entries of the import.
 */
import { setImmediate } from 'node:timers/promises';
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { parseName } from '../../../core/dns/wire/name.ts';
import { CLASS_IN, TYPE } from '../../../core/dns/wire/types.ts';
import { readHead } from '../../../core/journal/applied-head.ts';
import { isImportPart } from '../../../core/journal/apply/import-entries.ts';
import { replayEntries } from '../../../core/journal/apply/replay.ts';
import { type Draft, write } from '../../../core/journal/draft/draft.ts';
import { decodeEntry, encodeEntry, hashEntry, NO_HASH } from '../../../core/journal/entry-codec.ts';
import { importsIn, withdrawImport } from '../../../core/journal/upkeep/abandoned-imports.ts';
import { rebuildAnswers } from '../../../core/journal/upkeep/rebuild.ts';
import { finishImport } from '../../../core/journal/upkeep/unfinished-import.ts';
import { fillIndex } from '../../../core/store/index/build.ts';
import { type Comment, comments, domains, records } from '../../../core/store/rows.ts';
import { decodeMessage, encodeQuery } from '../../support/message.ts';
import { until } from '../../support/until.ts';
import { addressRecord, checkAlike, DEFAULTS, newDomain, queryPath, type Store, withStore } from './fixture.ts';
import {
  alongside,
  apply,
  checkDerived,
  entriesAfter,
  importZone,
  LARGE,
  LINES,
  onOneClock,
  recordsOf,
  step,
  whenAccepted,
  withFollower,
} from './imports.ts';

const ask = (path: ReturnType<typeof queryPath>, name: string): unknown => {
  const query = encodeQuery({ name: parseName(name), type: TYPE.A, class: CLASS_IN }, 1);
  const reply = path.answer(query, 1232);
  return reply === null ? null : decodeMessage(reply);
};

test('a node that follows the log stores and serves the same', () =>
  withStore(
    onOneClock,
    (store) =>
      withFollower(async (follower) => {
        const { environment } = store;
        const domain = newDomain('zone.test.');
        const comment: Comment = { content: 'of the old records', account: '', modifiedAt: 1 };
        for (const [i, variant] of [1, 2, 2, 3].entries()) {
          await importZone(store, { domain, variant, firstId: 2_000_000_000 + i * 100_000 });
          const row = { domainId: domain.id, type: TYPE.A, comments: [comment] };
          if (i === 1)
            await write(environment, store.journal, 'test', (draft) => {
              for (const name of ['n2001', 'mail']) draft.put(comments, { ...row, name: parseName(name, domain.apex) });
            });
          await apply(follower, entriesAfter(environment, readHead(follower.environment).sequence));
          await step(follower);
          checkAlike(environment, follower.environment);
          assert.is(follower.index.stats.names, store.index.stats.names);
          const paths = [queryPath(store), queryPath(follower as unknown as Store)];
          for (const name of [
            'zone.test.',
            'n1001.zone.test.',
            'n2005.zone.test.',
            'n3000.deep.zone.test.',
            'x.wild.zone.test.',
            'alias.zone.test.',
            'mail.zone.test.',
            'a.sub.zone.test.',
            'none.zone.test.',
          ])
            assert.equal(ask(paths[0], name), ask(paths[1], name), name);
          for (const path of paths) await path.close();
        }
        const left = [...environment.rows.get(comments.number)!.getKeys({})];
        assert.is(left.length, 1, 'the comments of a set without records are deleted');
      }),
    LARGE,
  ));

test('before the last entry nothing of an import can be read, and after it all', () =>
  withStore(
    onOneClock,
    (store) =>
      withFollower(async (follower) => {
        const domain = newDomain('zone.test.');
        await importZone(store, { domain, variant: 1, firstId: 2_000_000_000 });
        let parts = 0;
        const entries = entriesAfter(store.environment, 0);
        await apply(follower, entries, () => {
          const { length } = recordsOf(follower.environment, domain.id);
          const isLast = readHead(follower.environment).sequence === entries.length;
          assert.is(length, isLast ? LINES + 9 : 0);
          if (!isLast) assert.is([...follower.environment.answers.getKeys({})].length, 0);
          parts += Number(!isLast);
        });
        assert.ok(parts > 3, `${parts} parts`);
        assert.ok(entries.every(({ length }) => length < 70_000));
      }),
    LARGE,
  ));

test('a copy that is made in the middle of an import follows to its end', () =>
  withStore(
    onOneClock,
    async (store) => {
      const { environment } = store;
      const domain = newDomain('zone.test.');
      await importZone(store, { domain, variant: 1, firstId: 2_000_000_000 });
      const copied = new Set<string>();
      await withFollower(async (source) => {
        const before = environment.journal.getKeysCount();
        await apply(source, entriesAfter(environment, 0));
        await importZone(store, { domain, variant: 2, firstId: 2_100_000_000 });
        const copy = async (rebuilds = false): Promise<void> => {
          const state = `${source.environment.hidden.read()[0]?.state ?? 'none'} ${rebuilds}`;
          if (copied.has(state)) return;
          copied.add(state);
          await withFollower(async (follower) => {
            // As after a start with other settings.
            if (rebuilds) await rebuildAnswers(follower.environment, DEFAULTS);
            await apply(follower, entriesAfter(environment, readHead(follower.environment).sequence));
            await step(follower);
            if (!rebuilds) checkAlike(environment, follower.environment);
            assert.is(recordsOf(follower.environment, domain.id).length, LINES + 9);
            assert.is(follower.index.stats.names, store.index.stats.names);
            await checkDerived(follower as unknown as Store);
          }, source.environment);
        };
        await apply(source, entriesAfter(environment, before), async () => {
          await copy();
          await copy(true);
        });
        for (; source.applier.imports.hasWork; await step(source, 1)) await copy();
      });
      assert.equal([...copied].sort(), ['imported false', 'imported true', 'replaced false', 'replaced true']);
    },
    LARGE,
  ));

test('imports of two nodes at once, into two domains, are both stored', () =>
  withStore(
    onOneClock,
    (store) =>
      withStore(
        onOneClock,
        (other) =>
          withFollower(async (follower) => {
            const [domain, second] = [newDomain('zone.test.'), newDomain('zone.test.')];
            const twin = { ...second, apex: parseName('twin.example.') };
            await importZone(store, { domain, variant: 1, firstId: 2_000_000_000 });
            await write(store.environment, store.journal, 'test', (draft) =>
              draft.put(domains, newDomain('end.test.')),
            );
            await importZone(other, { domain: twin, variant: 1, firstId: 2_100_000_000 });
            const logs = [store, other].map(({ environment }) => entriesAfter(environment, 0).map(decodeEntry));
            let [sequence, most] = [0, 0];
            let previousHash: Buffer = NO_HASH;
            for (let i = 0; i < Math.max(logs[0].length, logs[1].length); i++)
              for (const entry of [logs[0][i], logs[1][i]]) {
                if (entry === undefined) continue;
                const bytes = encodeEntry({ ...entry, sequence: ++sequence, previousHash });
                previousHash = hashEntry(bytes);
                await apply(follower, [bytes]);
                most = Math.max(most, follower.environment.hidden.read().length);
              }
            await step(follower);
            assert.is(most, 2);
            for (const { id } of [domain, twin]) assert.is(recordsOf(follower.environment, id).length, LINES + 9);
            await checkDerived(follower as unknown as Store);
          }),
        LARGE,
      ),
    LARGE,
  ));

test('an import that is withdrawn leaves nothing on any node', () =>
  withStore(
    onOneClock,
    (store) =>
      withFollower(async (follower) => {
        const { environment, journal } = store;
        const [domain, read] = [newDomain('zone.test.'), newDomain('read.test.')];
        await importZone(store, { domain, variant: 1, firstId: 2_000_000_000 });
        let attempts = 0;
        const more = (draft: Draft): void => {
          if (++attempts > 1) throw new Error('only once');
          draft.domain(read.id);
        };
        const imported = importZone(store, { domain, variant: 2, firstId: 2_100_000_000, more });
        imported.catch(() => {});
        while (environment.hidden.read().length === 0) await setImmediate();
        await write(environment, journal, 'test', (draft) => draft.put(domains, read));
        await whenAccepted(() =>
          write(environment, journal, 'test', (draft) => draft.insert(records, addressRecord(domain, 'added'))),
        );
        await imported.then(
          () => assert.unreachable('the import does not conflict'),
          (error: Error) => assert.is(error.message, 'only once'),
        );
        await until(() => environment.hidden.read().length === 0, 'the records are deleted');
        await apply(follower, entriesAfter(environment, 0));
        await step(follower);
        checkAlike(environment, follower.environment);
        assert.equal(importsIn(environment), []);
        assert.is(recordsOf(environment, domain.id).length, LINES + 10);
        await checkDerived(store);
      }),
    LARGE,
  ));

test('a restore to the middle of an import hides its records, and the next start withdraws it', () =>
  withStore(
    onOneClock,
    async (store) => {
      const domain = newDomain('zone.test.');
      await importZone(store, { domain, variant: 1, firstId: 2_000_000_000 });
      await importZone(store, { domain, variant: 2, firstId: 2_100_000_000 });
      const all = entriesAfter(store.environment, 0).map((bytes) => ({ entry: decodeEntry(bytes), bytes }));
      const isPart = all.map(({ entry }) => isImportPart(entry.changes));
      for (const end of [isPart.lastIndexOf(true), all.length])
        await withStore(
          async ({ environment, index, folder, reader }, history) => {
            const entries = all.slice(0, end);
            const middle = Math.floor(end / 2);
            for (const some of [entries.slice(0, middle), entries.slice(middle)])
              await replayEntries(environment, DEFAULTS, null, some, hashEntry(some[some.length - 1].bytes));
            assert.is(importsIn(environment).length, end < all.length ? 1 : 0);
            await finishImport(environment, DEFAULTS);
            await fillIndex(index, environment, { directory: folder });
            return onOneClock({ environment, index, folder, reader }, history);
          },
          async (restored) => {
            const { environment, journal } = restored;
            const firstId = end < all.length ? 2_000_000_000 : 2_100_000_000;
            for (const row of importsIn(environment)) await withdrawImport(environment, journal, row);
            await until(() => environment.hidden.read().length === 0, 'the records are deleted');
            const ids = recordsOf(environment, domain.id).map(({ key }) => key.readUInt32BE(key.length - 4));
            assert.is(ids.length, LINES + 9);
            assert.ok(ids.every((id) => id >= firstId && id < firstId + 100_000));
            await checkDerived(restored);
          },
          { ...LARGE, isComplete: false },
        );
    },
    LARGE,
  ));

test('other writes next to an import are applied in the same order by a node that follows', () =>
  withStore(
    onOneClock,
    (store) =>
      withFollower(async (follower) => {
        const { environment, journal } = store;
        const [domain, other] = [newDomain('zone.test.'), newDomain('other.test.')];
        await write(environment, journal, 'test', (draft) => draft.put(domains, other));
        await importZone(store, { domain, variant: 1, firstId: 2_000_000_000 });
        await alongside(importZone(store, { domain, variant: 2, firstId: 2_100_000_000 }), async (round) => {
          await write(environment, journal, 'test', (draft) => draft.put(records, addressRecord(other, `w${round}`)));
        });
        // Steps are done between any two groups.
        await apply(follower, entriesAfter(environment, 0), () => step(follower, 1));
        await step(follower);
        checkAlike(environment, follower.environment);
        assert.is(follower.index.stats.names, store.index.stats.names);
      }),
    LARGE,
  ));

test.run();
