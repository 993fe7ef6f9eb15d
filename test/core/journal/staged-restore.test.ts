/**
 * Restores of large zones from the bin, whose answers are written in small transactions: compared
 * with a rebuild, with other writes next to them, and after a crash at any moment.
 */
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { parseName } from '../../../core/dns/wire/name.ts';
import { CLASS_IN, TYPE } from '../../../core/dns/wire/types.ts';
import { readHead } from '../../../core/journal/applied-head.ts';
import { unservedDomains } from '../../../core/journal/apply/imported-zone.ts';
import { type Draft, write } from '../../../core/journal/draft/draft.ts';
import { finishImport } from '../../../core/journal/upkeep/unfinished-import.ts';
import { openEnvironment } from '../../../core/store/environment.ts';
import { type Domain, domains, proxies, records } from '../../../core/store/rows.ts';
import { StoreReader } from '../../../core/store/store-reader.ts';
import { deleteDomain, restoreDomain } from '../../../core/upkeep/domains/bin.ts';
import { decodeMessage, encodeQuery } from '../../support/message.ts';
import { removeFolder, temporaryFolder } from '../../support/temp.ts';
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
  apply,
  checkDerived,
  entriesAfter,
  importZone,
  LARGE,
  onOneClock,
  step,
  withFollower,
} from './imports.ts';

const domain = newDomain('zone.test.');

const moveToBin = ({ environment, journal }: Store) =>
  write(environment, journal, 'test', (draft) => {
    deleteDomain({ environment, zoneSettings: DEFAULTS }, draft, domain, { by: null, now: 1, isPermanent: false });
  });

const restore = ({ environment, journal }: Store) =>
  write(environment, journal, 'test', (draft) => {
    restoreDomain({ zoneSettings: DEFAULTS }, draft, draft.deletedDomain(domain.id)!, 2);
  });

const withZoneInBin = (open: typeof embedded | typeof onOneClock, work: (store: Store) => Promise<void>) =>
  withStore(
    open as typeof embedded,
    async (store) => {
      await importZone(store, { domain, variant: 1, firstId: 2_000_000_000 });
      await moveToBin(store);
      await work(store);
    },
    LARGE,
  );

function addresses(path: ReturnType<typeof queryPath>, name: string): number {
  const query = encodeQuery({ name: parseName(name), type: TYPE.A, class: CLASS_IN }, 1);
  const reply = path.answer(query, 1232);
  return reply === null ? 0 : decodeMessage(reply).answer.length;
}

test('a restored zone is served when its restore is committed, with other writes next to it', () =>
  withZoneInBin(embedded, async (store) => {
    const { environment, journal } = store;
    const other = newDomain('other.test.');
    await write(environment, journal, 'test', (draft) => draft.put(domains, other));
    const path = queryPath(store);
    assert.is(addresses(path, 'n1001.zone.test.'), 0);
    let unserved = 0;
    await alongside(restore(store), async (round) => {
      await write(environment, journal, 'test', (draft) => draft.put(records, addressRecord(other, `w${round}`)));
      unserved += unservedDomains(environment).length;
      assert.is(addresses(path, `w${round}.other.test.`), 1);
    });
    assert.ok(unserved > 2, `${unserved} commits while answers were written`);
    for (const name of ['n1001', 'n1007.deep', 'mixed.case', 'n1005'])
      assert.ok(addresses(path, `${name}.zone.test.`) > 0);
    await path.close();
    await checkDerived(store);
  }));

const TOUCHES: Readonly<Record<string, (draft: Draft, store: Store) => unknown>> = {
  'a record is added': (draft) => draft.insert(records, addressRecord(domain, 'added')),
  'a target of other records is added to': (draft) => draft.insert(records, addressRecord(domain, 'mail', 99)),
  'the proxy is switched on': (draft) => draft.put(proxies, newProxy(domain)),
  'a zone below it is created': (draft) => draft.put(domains, newDomain('n1002.zone.test.')),
  'the zone above it is created': (draft) => draft.put(domains, newDomain('test.')),
  'it is moved to the bin again': (draft, { environment }) =>
    deleteDomain({ environment, zoneSettings: DEFAULTS }, draft, domain, { by: null, now: 3, isPermanent: false }),
};
for (const [what, touch] of Object.entries(TOUCHES))
  test(`the answers are right when during a restore ${what}`, async () => {
    // In each round of the restore one more step is done, until it ends first.
    for (let at = 0, isOver = false; !isOver; at = at * 4 + 1)
      await withZoneInBin(embedded, async (store) => {
        const { environment, journal } = store;
        let touched: Promise<unknown> | null = null;
        await alongside(restore(store), async (round) => {
          await write(environment, journal, 'test', (draft) => draft.put(domains, newDomain(`d${round}.example.`)));
          if (round === at) touched = write(environment, journal, 'test', (draft) => touch(draft, store));
        });
        await touched;
        isOver = touched === null;
        await checkDerived(store);
      });
  });

test('a node that follows the log restores the same', () =>
  withZoneInBin(onOneClock, (store) =>
    withFollower(async (follower) => {
      const { environment } = store;
      await restore(store);
      await apply(follower, entriesAfter(environment, readHead(follower.environment).sequence));
      await step(follower);
      checkAlike(environment, follower.environment);
      assert.is(follower.index.stats.names, store.index.stats.names);
    }),
  ));

test('after a crash at any moment of a restore, the next start serves the zone or has it in the bin', () =>
  withZoneInBin(embedded, async (store) => {
    const { environment, journal } = store;
    const copies: string[] = [];
    await alongside(restore(store), async (round) => {
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
      assert.is(
        (reader.domain(domain.id) as Domain | undefined) === undefined,
        reader.deletedDomain(domain.id) !== undefined,
      );
      await checkDerived({ environment: copy });
      finished += Number(isUnserved);
      await copy.close();
      removeFolder(folder);
    }
    assert.ok(finished > 0, 'a crash while answers were written');
  }));

test.run();
