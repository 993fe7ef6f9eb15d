/**
 * Large imports, whose records and answers are written in small transactions: compared with imports
 * in one transaction, with other writes next to them, and after a crash at any moment.
 */
import { setImmediate } from 'node:timers/promises';
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { parseName } from '../../../core/dns/wire/name.ts';
import { CLASS_IN, TYPE } from '../../../core/dns/wire/types.ts';
import { unservedDomains } from '../../../core/journal/apply/imported-zone.ts';
import { type Draft, write } from '../../../core/journal/draft/draft.ts';
import type { ImportPhase, ImportProgress } from '../../../core/journal/journal.ts';
import { importsIn, withdrawImport } from '../../../core/journal/upkeep/abandoned-imports.ts';
import { finishImport } from '../../../core/journal/upkeep/unfinished-import.ts';
import { type Environment, openEnvironment } from '../../../core/store/environment.ts';
import { fillIndex } from '../../../core/store/index/build.ts';
import { IndexWriter } from '../../../core/store/index/writer.ts';
import { afterPrefix, idKey } from '../../../core/store/keys.ts';
import { readStoreLevel } from '../../../core/store/level.ts';
import { type Domain, domains, imports, proxies, records, spellings } from '../../../core/store/rows.ts';
import { StoreReader } from '../../../core/store/store-reader.ts';
import { deleteDomain } from '../../../core/upkeep/domains/bin.ts';
import { decodeMessage, encodeQuery } from '../../support/message.ts';
import { removeFolder, temporaryFolder } from '../../support/temp.ts';
import { until } from '../../support/until.ts';
import {
  addressRecord,
  checkAlike,
  DEFAULTS,
  embedded,
  newDomain,
  newProxy,
  queryPath,
  type Store,
  withStore,
} from './fixture.ts';
import {
  alongside,
  checkDerived,
  importZone,
  LARGE,
  LINES,
  onOneClock,
  recordsOf,
  spellingsOf,
  whenAccepted,
  whenSettled,
} from './imports.ts';

const ask = (path: ReturnType<typeof queryPath>, name: string): unknown => {
  const query = encodeQuery({ name: parseName(name), type: TYPE.A, class: CLASS_IN }, 1);
  const reply = path.answer(query, 1232);
  return reply === null ? null : decodeMessage(reply);
};

for (const isOverArena of [false, true])
  test(`a staged import stores and serves what an import in one transaction does${isOverArena ? ', with names in the store' : ''}`, () => {
    const options = isOverArena ? { arenaBytes: 64 << 10 } : LARGE;
    const domain = newDomain('zone.test.');
    const firstId = 2_000_000_000;
    return withStore(
      onOneClock,
      (store) =>
        withStore(
          onOneClock,
          async (other) => {
            for (const [i, variant] of [1, 2, 2, 3].entries()) {
              const input = { domain, variant, firstId: firstId + i * 100_000 };
              await importZone(store, input);
              await importZone(other, { ...input, isStaged: false });
              await whenSettled(store.environment);
              checkAlike(store.environment, other.environment, { ignoresEntries: true });
              assert.is(store.index.stats.names, other.index.stats.names);
              const paths = [queryPath(store), queryPath(other)];
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
          },
          options,
        ),
      options,
    );
  });

test('other writes are committed during an import, and readers see all of it or nothing', () =>
  withStore(
    embedded,
    async (store) => {
      const { environment, journal, reader } = store;
      const [domain, other] = [newDomain('zone.test.'), newDomain('other.test.')];
      await write(environment, journal, 'test', (draft) => draft.put(domains, other));
      await importZone(store, { domain, variant: 1, firstId: 2_000_000_000 });
      const old = recordsOf(environment, domain.id).length;
      const path = queryPath(store);
      const seen = new Set<number>();
      let isNew = false;
      const transaction = environment.root.useReadTransaction();
      const imported = importZone(store, { domain, variant: 2, firstId: 2_100_000_000 });
      const rounds = await alongside(imported, async (round) => {
        await write(environment, journal, 'test', (draft) => draft.put(records, addressRecord(other, `w${round}`)));
        const ids = new Set(recordsOf(environment, domain.id).map(({ key }) => key.readUInt32BE(key.length - 4)));
        isNew ||= [...ids].some((id) => id >= 2_100_000_000);
        assert.is(ids.size, old);
        assert.ok([...ids].every((id) => isNew === id >= 2_100_000_000));
        seen.add(reader.zoneState(domain.id).revision);
        assert.is((ask(path, `w${round}.other.test.`) as { answer: unknown[] }).answer.length, 1);
      });
      assert.ok(rounds > 2, `${rounds} commits`);
      const start = idKey(domain.id);
      const before = [...environment.records.getKeys({ start, end: afterPrefix(start), transaction })];
      assert.ok(before.every((key) => (key as Buffer).readUInt32BE(key.length - 4) < 2_100_000_000));
      assert.is(before.length, old, 'a transaction from before the import');
      transaction.done();
      await checkDerived(store);
      await path.close();
    },
    LARGE,
  ));

const TOUCHES: Readonly<Record<string, (draft: Draft, domain: Domain, environment: Environment) => unknown>> = {
  'a record is added': (draft, domain) => draft.insert(records, addressRecord(domain, 'added')),
  'a record at an imported name is added': (draft, domain) => draft.insert(records, addressRecord(domain, 'n2001', 99)),
  'the proxy is switched on': (draft, domain) => draft.put(proxies, newProxy(domain)),
  'a zone below it is created': (draft) => draft.put(domains, newDomain('n2002.zone.test.')),
  'the zone above it is created': (draft) => draft.put(domains, newDomain('test.')),
  'it is deleted': (draft, domain, environment) => {
    for (const { key, value } of recordsOf(environment, domain.id)) draft.delete(records, records.decode(key, value));
    for (const row of spellingsOf(environment, domain.id)) draft.delete(spellings, row);
    const row = draft.row(imports, idKey(domain.id));
    if (row !== undefined) draft.delete(imports, row);
    draft.delete(domains, domain);
  },
  'it is moved to the bin': (draft, domain, environment) =>
    deleteDomain({ environment, zoneSettings: DEFAULTS }, draft, domain, { by: null, now: 1, isPermanent: false }),
};
for (const [what, touch] of Object.entries(TOUCHES))
  test(`the answers are right when during an import ${what}`, async () => {
    // In each round of the import one more step is done, until the import ends first.
    for (let at = 0, isOver = false; !isOver; at = at * 4 + 1)
      await withStore(
        embedded,
        async (store) => {
          const { environment, journal } = store;
          const domain = newDomain('zone.test.');
          await importZone(store, { domain, variant: 1, firstId: 2_000_000_000 });
          const imported = importZone(store, { domain, variant: 2, firstId: 2_100_000_000 });
          let touched: Promise<unknown> | null = null;
          await alongside(
            imported.catch(() => {}),
            async (round) => {
              await write(environment, journal, 'test', (draft) => draft.put(domains, newDomain(`d${round}.example.`)));
              if (round === at)
                touched = whenAccepted(() =>
                  write(environment, journal, 'test', (draft) => touch(draft, domain, environment)),
                );
            },
          );
          await touched;
          isOver = touched === null;
          await until(() => environment.hidden.read().length === 0, 'hidden records are deleted');
          await checkDerived(store);
        },
        LARGE,
      );
  });

/** Notes each phase in a list that several imports share. */
class NotedProgress implements ImportProgress {
  phase: ImportPhase | null = null;
  #total = 0;
  #done = 0;

  constructor(
    private readonly name: string,
    private readonly phases: string[],
  ) {}

  begin(phase: ImportPhase, total: number): void {
    this.phase = phase;
    this.#done = 0;
    this.#total = total;
    this.phases.push(`${this.name} ${phase}`);
  }

  get done(): number {
    return this.#done;
  }

  set done(done) {
    assert.ok(done > this.#done && done <= this.#total, `${this.phase}: ${done} of ${this.#total}`);
    this.#done = done;
    if (done === LINES + 9) this.phases.push(`${this.name} all records`);
  }
}

test('a staged import notes its progress, and one that waits for another import says so', () =>
  withStore(
    embedded,
    async (store) => {
      const phases: string[] = [];
      const [first, second] = [new NotedProgress('first', phases), new NotedProgress('second', phases)];
      const [a, b] = [newDomain('zone.test.'), newDomain('other.test.')];
      await importZone(store, { domain: a, variant: 1, firstId: 2_000_000_000 });
      const imported = importZone(store, { domain: a, variant: 2, firstId: 2_100_000_000, progress: first });
      while (first.phase !== 'records') await setImmediate();
      const other = importZone(store, { domain: b, variant: 2, firstId: 2_200_000_000, progress: second });
      await Promise.all([imported, other]);
      const steps = ['records', 'all records', 'answers', 'serving', 'cleanup'];
      assert.equal(
        phases.filter((phase) => phase.startsWith('first')),
        ['waiting', ...steps].map((step) => `first ${step}`),
      );
      assert.ok(phases.indexOf('second waiting') < phases.indexOf('first cleanup'));
      assert.equal(
        phases.slice(phases.indexOf('first cleanup') + 1),
        steps.map((step) => `second ${step}`),
      );
    },
    LARGE,
  ));

test('while the index is filled, an import is one transaction: the snapshot has what is published', () =>
  withStore(
    embedded,
    async (store) => {
      const { environment, index, folder } = store;
      const domain = newDomain('zone.test.');
      await importZone(store, { domain, variant: 1, firstId: 2_000_000_000 });
      const imported = importZone(store, { domain, variant: 2, firstId: 2_100_000_000 });
      await alongside(imported, async () => {
        await setImmediate();
        assert.equal(environment.hidden.read(), []);
        assert.equal(unservedDomains(environment), []);
      });
      await fillIndex(index, environment, { directory: folder });
      assert.is(index.filling, null);
    },
    { ...LARGE, isComplete: false },
  ));

test('while a node has an older version, an import is one entry', () =>
  withStore(
    (store, history) => embedded(store, history, () => ({ agreed: 7, nodes: () => [] })),
    async ({ environment, ...store }) => {
      await importZone(
        { environment, ...store },
        { domain: newDomain('zone.test.'), variant: 1, firstId: 2_000_000_000 },
      );
      assert.is([...environment.journal.getKeys({})].length, 1);
      assert.is(readStoreLevel(environment.meta), 1);
    },
    LARGE,
  ));

test('an import that conflicts at its end is repeated, and leaves nothing of the first attempt', () =>
  withStore(
    embedded,
    async (store) => {
      const { environment, journal } = store;
      const [domain, read] = [newDomain('zone.test.'), newDomain('read.test.')];
      let attempts = 0;
      const more = (draft: Draft): void => {
        attempts++;
        draft.domain(read.id);
      };
      const imported = importZone(store, { domain, variant: 1, firstId: 2_000_000_000, more });
      while (environment.hidden.read().length === 0) await setImmediate();
      await write(environment, journal, 'test', (draft) => draft.put(domains, read));
      await imported;
      assert.is(attempts, 2);
      assert.is(recordsOf(environment, domain.id).length, LINES + 9);
      await checkDerived(store);
    },
    LARGE,
  ));

/** As a start does with the imports of before. False: there was none. */
async function withdrawAll(environment: Environment): Promise<boolean> {
  const rows = importsIn(environment);
  const journal = embedded({ environment, index: new IndexWriter(4 << 20, 0, true) } as Store, 1000);
  for (const row of rows) assert.ok(await withdrawImport(environment, journal, row));
  await until(() => environment.hidden.read().length === 0, 'hidden records are deleted');
  await journal.close();
  return rows.length > 0;
}

test('after a crash at any moment of an import, the next start has all of it or nothing', () =>
  withStore(
    embedded,
    async (store) => {
      const { environment, journal } = store;
      const domain = newDomain('zone.test.');
      await importZone(store, { domain, variant: 1, firstId: 2_000_000_000 });
      const found = new Set<string>();
      const copies: string[] = [];
      const copied = new Map<string, number>();
      const imported = importZone(store, { domain, variant: 2, firstId: 2_100_000_000 });
      await alongside(imported, async (round) => {
        await write(environment, journal, 'test', (draft) => draft.put(domains, newDomain(`d${round}.example.`)));
        // Two copies of each state: a slow machine takes many rounds.
        const state = `${environment.hidden.read()[0]?.state} ${unservedDomains(environment).length}`;
        const times = (copied.get(state) ?? 0) + 1;
        copied.set(state, times);
        if (times > 2) return;
        const folder = temporaryFolder('crash');
        copies.push(folder);
        await environment.root.backup(`${folder}/waypost.mdb`, false);
      });
      for (const folder of copies) {
        const copy = openEnvironment(folder);
        const wasUnserved = unservedDomains(copy).length > 0;
        const finished = await finishImport(copy, DEFAULTS);
        for (const [what, was] of Object.entries(finished ?? {})) if (was) found.add(what);
        if (await withdrawAll(copy)) found.add('withdrawn');
        assert.is(finished?.compiledAnswers ?? false, wasUnserved);
        const ids = recordsOf(copy, domain.id).map(({ key }) => key.readUInt32BE(key.length - 4));
        assert.is(ids.length, LINES + 9);
        const isNew = ids[0] >= 2_100_000_000;
        assert.ok(ids.every((id) => isNew === id >= 2_100_000_000));
        for (const { key, value } of recordsOf(copy, domain.id))
          for (const lookup of records.lookups(key, value)) assert.ok(copy.lookups.get(lookup)?.equals(key));
        const reader = new StoreReader(copy);
        assert.is(reader.zoneState(domain.id).recordCount, LINES + 9);
        const [entries] = [copy.lookups.getStats() as { entryCount: number }];
        const rows = copy.records.getStats() as { entryCount: number };
        assert.ok(entries.entryCount >= rows.entryCount && rows.entryCount === LINES + 9);
        await checkDerived({ environment: copy });
        await copy.close();
        removeFolder(folder);
      }
      assert.equal([...found].sort(), ['compiledAnswers', 'deletedRecords', 'withdrawn']);
    },
    LARGE,
  ));

test.run();
