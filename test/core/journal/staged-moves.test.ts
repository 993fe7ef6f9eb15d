/**
 * Large zones that are moved to the bin or restored, whose answers are deleted and written in small
 * transactions: compared with a rebuild, with other writes next to them, and after a crash at any
 * moment.
 */
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { parseName } from '../../../core/dns/wire/name.ts';
import { CLASS_IN, RCODE, TYPE } from '../../../core/dns/wire/types.ts';
import { readHead } from '../../../core/journal/applied-head.ts';
import { unservedDomains } from '../../../core/journal/apply/imported-zone.ts';
import { type Draft, write } from '../../../core/journal/draft/draft.ts';
import { finishImport } from '../../../core/journal/upkeep/unfinished-import.ts';
import { openEnvironment } from '../../../core/store/environment.ts';
import { deletedDomains, dnssec, domains, proxies, records, spellings } from '../../../core/store/rows.ts';
import { StoreReader } from '../../../core/store/store-reader.ts';
import { deleteDomain, restoreDomain } from '../../../core/upkeep/domains/bin.ts';
import { decodeMessage, encodeQuery } from '../../support/message.ts';
import { removeFolder, temporaryFolder } from '../../support/temp.ts';
import {
  addressRecord,
  checkAlike,
  DEFAULTS,
  dump,
  embedded,
  newDomain,
  newProxy,
  queryPath,
  type Store,
  withStore,
} from './fixture.ts';
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
  spellingsOf,
  step,
  withFollower,
} from './imports.ts';
import { checkRebuilt, newRow, signedStore } from './signing/rig.ts';

const domain = newDomain('zone.test.');

const putIntoBin = (draft: Draft, { environment }: Store): unknown =>
  deleteDomain({ environment, zoneSettings: DEFAULTS }, draft, domain, { by: null, now: 1, isPermanent: false });
const takeFromBin = (draft: Draft): unknown =>
  restoreDomain({ zoneSettings: DEFAULTS }, draft, draft.deletedDomain(domain.id)!, 2);

const moveToBin = (store: Store) =>
  write(store.environment, store.journal, 'test', (draft) => void putIntoBin(draft, store));
const restore = ({ environment, journal }: Store) =>
  write(environment, journal, 'test', (draft) => void takeFromBin(draft));
const MOVES = { restore, deletion: moveToBin };

/** Runs `work` on a store with the zone, which is in the bin if it is restored later. */
const withZone = (open: typeof embedded, isInBin: boolean, work: (store: Store) => Promise<void>) =>
  withStore(
    open,
    async (store) => {
      await importZone(store, { domain, variant: 1, firstId: 2_000_000_000 });
      if (isInBin) await moveToBin(store);
      await work(store);
    },
    LARGE,
  );

interface Reply {
  readonly rcode: number;
  readonly addresses: number;
}

function ask(path: ReturnType<typeof queryPath>, name: string): Reply {
  const query = encodeQuery({ name: parseName(name), type: TYPE.A, class: CLASS_IN }, 1);
  const { rcode, answer } = decodeMessage(path.answer(query, 1232)!);
  return { rcode, addresses: answer.length };
}

const NOT_SERVED: readonly number[] = [RCODE.SERVFAIL, RCODE.REFUSED];
const NAMES = ['n1001', 'n1007.deep', 'mixed.case', 'n1005'];

test('a restored zone is served when its restore is committed, with other writes next to it', () =>
  withZone(embedded, true, async (store) => {
    const { environment, journal } = store;
    const other = newDomain('other.test.');
    await write(environment, journal, 'test', (draft) => draft.put(domains, other));
    const path = queryPath(store);
    for (const name of NAMES) assert.is(ask(path, `${name}.zone.test.`).rcode, RCODE.REFUSED);
    let unserved = 0;
    await alongside(restore(store), async (round) => {
      await write(environment, journal, 'test', (draft) => draft.put(records, addressRecord(other, `w${round}`)));
      unserved += unservedDomains(environment).length;
      assert.is(ask(path, `w${round}.other.test.`).addresses, 1);
    });
    assert.ok(unserved > 2, `${unserved} commits while answers were written`);
    for (const name of NAMES) assert.ok(ask(path, `${name}.zone.test.`).addresses > 0);
    await path.close();
    await checkDerived(store);
  }));

test('a deleted zone is not served from its commit on, and refused when all answers are deleted', () =>
  withZone(embedded, false, async (store) => {
    const { environment, journal } = store;
    const other = newDomain('other.test.');
    await write(environment, journal, 'test', (draft) => draft.put(domains, other));
    const path = queryPath(store);
    let unserved = 0;
    await alongside(moveToBin(store), async (round) => {
      await write(environment, journal, 'test', (draft) => draft.put(records, addressRecord(other, `w${round}`)));
      assert.is(ask(path, `w${round}.other.test.`).addresses, 1);
      if (store.reader.domain(domain.id) !== undefined) return;
      unserved += unservedDomains(environment).length;
      for (const name of ['@', ...NAMES, 'none']) assert.ok(NOT_SERVED.includes(ask(path, fullName(name)).rcode), name);
    });
    assert.ok(unserved > 2, `${unserved} commits while answers were deleted`);
    for (const name of ['@', ...NAMES, 'none']) assert.is(ask(path, fullName(name)).rcode, RCODE.REFUSED, name);
    await path.close();
    assert.is(store.index.unavailable.count, 0);
    await checkDerived(store);
  }));

const fullName = (name: string): string => (name === '@' ? 'zone.test.' : `${name}.zone.test.`);

/** Deletes everything of the domain in the bin. */
function purge(draft: Draft, { environment }: Store): void {
  for (const { key, value } of recordsOf(environment, domain.id)) draft.delete(records, records.decode(key, value));
  for (const row of spellingsOf(environment, domain.id)) draft.delete(spellings, row);
  draft.delete(deletedDomains, draft.deletedDomain(domain.id)!);
}

const again = { ...newDomain('zone.test.'), id: domain.id + 1_000_000 };
const TOUCHES: Readonly<
  Record<'restore' | 'deletion', Readonly<Record<string, (draft: Draft, store: Store) => unknown>>>
> = {
  restore: {
    'a record is added': (draft) => draft.insert(records, addressRecord(domain, 'added')),
    'a target of other records is added to': (draft) => draft.insert(records, addressRecord(domain, 'mail', 99)),
    'the proxy is switched on': (draft) => draft.put(proxies, newProxy(domain)),
    'a zone below it is created': (draft) => draft.put(domains, newDomain('n1002.zone.test.')),
    'the zone above it is created': (draft) => draft.put(domains, newDomain('test.')),
    'it is moved to the bin again': (draft, store) => putIntoBin(draft, store),
  },
  deletion: {
    'it is restored': (draft) => takeFromBin(draft),
    'its name is taken again': (draft) => {
      draft.put(domains, again);
      draft.insert(records, addressRecord(again, 'n1001'));
    },
    'a zone below it is created': (draft) => draft.put(domains, newDomain('n1002.zone.test.')),
    'the zone above it is created': (draft) => draft.put(domains, newDomain('test.')),
    'it is deleted for good': purge,
  },
};
for (const kind of ['restore', 'deletion'] as const)
  for (const [what, touch] of Object.entries(TOUCHES[kind]))
    test(`the answers are right when during a ${kind} ${what}`, async () => {
      // In each round one more step is done, until the last step is done first.
      for (let at = 0, isOver = false; !isOver; at = at * 4 + 1)
        await withZone(embedded, kind === 'restore', async (store) => {
          const { environment, journal, index } = store;
          let touched: Promise<unknown> | null = null;
          await alongside(MOVES[kind](store), async (round) => {
            await write(environment, journal, 'test', (draft) => draft.put(domains, newDomain(`d${round}.example.`)));
            if (round === at) touched = write(environment, journal, 'test', (draft) => touch(draft, store));
            // The next start finds the name of each zone whose answers are not all written.
            const { reader } = store;
            for (const id of unservedDomains(environment))
              assert.ok(reader.domain(id) !== undefined || reader.deletedDomain(id) !== undefined);
          });
          await touched;
          isOver = touched === null;
          await checkDerived(store);
          assert.is(index.unavailable.count, 0);
        });
    });

test('a signed zone is deleted in steps, with its NSEC3 records', () =>
  withZone(signedStore, false, async (store) => {
    const { environment, journal } = store;
    await write(environment, journal, 'test', (draft) => draft.put(dnssec, newRow(store, domain)));
    assert.ok(dump(environment, ['nsec3']).length > LINES);
    const path = queryPath(store);
    let unserved = 0;
    await alongside(moveToBin(store), async (round) => {
      await write(environment, journal, 'test', (draft) => draft.put(domains, newDomain(`d${round}.example.`)));
      if (store.reader.domain(domain.id) !== undefined) return;
      unserved += unservedDomains(environment).length;
      for (const name of NAMES) assert.ok(NOT_SERVED.includes(ask(path, fullName(name)).rcode), name);
    });
    assert.ok(unserved > 2, `${unserved} commits while answers were deleted`);
    assert.equal(dump(environment, ['nsec3']), []);
    await path.close();
    await checkDerived(store);
    await restore(store);
    await checkRebuilt(store, 'restored');
  }));

for (const kind of ['restore', 'deletion'] as const) {
  test(`a node that follows the log stores the same after a ${kind}`, () =>
    withZone(onOneClock as typeof embedded, kind === 'restore', (store) =>
      withFollower(async (follower) => {
        const { environment } = store;
        await MOVES[kind](store);
        await apply(follower, entriesAfter(environment, readHead(follower.environment).sequence));
        await step(follower);
        checkAlike(environment, follower.environment);
        assert.is(follower.index.stats.names, store.index.stats.names);
      }),
    ));

  test(`after a crash at any moment of a ${kind}, the next start has the zone as a whole or not at all`, () =>
    withZone(embedded, kind === 'restore', async (store) => {
      const { environment, journal } = store;
      const copies: string[] = [];
      await alongside(MOVES[kind](store), async (round) => {
        await write(environment, journal, 'test', (draft) => draft.put(domains, newDomain(`d${round}.example.`)));
        if (copies.length >= 6) return;
        const folder = temporaryFolder('crash');
        copies.push(folder);
        await environment.root.backup(`${folder}/waypost.mdb`, false);
      });
      let finished = 0;
      for (const folder of copies) {
        const copy = openEnvironment(folder);
        const isUnserved = unservedDomains(copy).length > 0;
        assert.is((await finishImport(copy, DEFAULTS))?.compiledAnswers ?? false, isUnserved);
        const reader = new StoreReader(copy);
        assert.is(reader.domain(domain.id) === undefined, reader.deletedDomain(domain.id) !== undefined);
        await checkDerived({ environment: copy });
        finished += Number(isUnserved);
        await copy.close();
        removeFolder(folder);
      }
      assert.ok(finished > 0, 'a crash between the entry and its last step');
    }));
}

test.run();
