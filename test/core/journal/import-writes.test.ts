/**
 * Writes to a zone after the last entry of a large import, while nodes still write its answers and
 * delete the old records: each node has the same rows and answers in the end, whatever its pace.
 */
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { parseName } from '../../../core/dns/wire/name.ts';
import { CLASS_IN, TYPE } from '../../../core/dns/wire/types.ts';
import { readHead } from '../../../core/journal/applied-head.ts';
import { type Draft, write } from '../../../core/journal/draft/draft.ts';
import { aliasTargets, type Domain, records } from '../../../core/store/rows.ts';
import { decodeMessage, encodeQuery } from '../../support/message.ts';
import { addressRecord, checkAlike, newDomain, queryPath, type Store, withStore } from './fixture.ts';
import {
  apply,
  checkDerived,
  entriesAfter,
  type Follower,
  importZone,
  LARGE,
  LINES,
  onOneClock,
  recordsOf,
  step,
  withFollower,
} from './imports.ts';

/** Names of the zone that the writes change, and names next to them. */
const NAMES = [
  'zone.test.',
  'added.zone.test.',
  'n1001.zone.test.',
  'n1002.zone.test.',
  'n2003.zone.test.',
  'n3003.zone.test.',
  'n6990.zone.test.',
  'mail.zone.test.',
  'alias.zone.test.',
  'b.deeper.zone.test.',
  'deeper.zone.test.',
  'none.zone.test.',
];

async function answersOf(store: Pick<Store, 'index' | 'folder'>): Promise<unknown[]> {
  const path = queryPath(store as Store);
  const answers = NAMES.flatMap((name) =>
    [TYPE.A, TYPE.SOA].map((type) => {
      const reply = path.answer(encodeQuery({ name: parseName(name), type, class: CLASS_IN }, 1), 1232);
      return reply === null ? null : decodeMessage(reply);
    }),
  );
  await path.close();
  return answers;
}

function named(environment: Store['environment'], domain: Domain, name: string) {
  const owner = parseName(name, domain.apex);
  const found = recordsOf(environment, domain.id).map(({ key, value }) => records.decode(key, value));
  return found.filter((record) => Buffer.from(record.name).equals(Buffer.from(owner)));
}

/** One entry each. */
const WRITES: readonly ((draft: Draft, domain: Domain, environment: Store['environment']) => void)[] = [
  (draft, domain) => draft.insert(records, addressRecord(domain, 'added')),
  // The import has deleted these names, and one gets the same node as before.
  (draft, domain) => draft.insert(records, addressRecord(domain, 'n1001', 1)),
  (draft, domain) => draft.insert(records, addressRecord(domain, 'n1002', 77)),
  (draft, domain) => draft.insert(records, addressRecord(domain, 'b.deeper')),
  (draft, domain) => draft.insert(records, addressRecord(domain, 'mail', 44)),
  (draft, domain, environment) => {
    for (const name of ['n2003', 'n3003', 'n6990'])
      for (const record of named(environment, domain, name)) draft.delete(records, record);
  },
  (draft, domain, environment) => {
    for (const record of named(environment, domain, 'b.deeper')) draft.delete(records, record);
    for (const record of named(environment, domain, 'added')) draft.delete(records, record);
  },
  (draft, domain) => draft.insert(records, addressRecord(domain, 'added', 2)),
];

test('writes after the last entry of an import are served with it, by a node of any pace', () =>
  withStore(
    onOneClock,
    async (store) => {
      const { environment, journal } = store;
      const domain = newDomain('zone.test.');
      await importZone(store, { domain, variant: 1, firstId: 2_000_000_000 });
      const first = readHead(environment).sequence;
      await importZone(store, { domain, variant: 2, firstId: 2_100_000_000 });
      const imported = readHead(environment).sequence;
      for (const change of WRITES)
        await write(environment, journal, 'test', (draft) => change(draft, domain, environment));
      const expected = await answersOf(store);
      const entries = entriesAfter(environment, 0);
      let isServed = false;
      for (let pace = 0; !isServed; pace += 3)
        await withFollower(async (follower) => {
          await apply(follower, entries.slice(0, first));
          await step(follower);
          await apply(follower, entries.slice(first, imported));
          await step(follower, pace);
          isServed = follower.applier.imports.isServed(domain.id);
          for (const bytes of entries.slice(imported)) {
            const served = await answersOf(follower);
            await apply(follower, [bytes]);
            if (!follower.applier.imports.isServed(domain.id)) {
              assert.equal(await answersOf(follower), served, 'a write is served with the import');
              assert.ok(hiddenRowsOf(follower, domain) >= LINES, 'no write deletes the old records at once');
            }
            await step(follower, 1);
          }
          await step(follower);
          assert.equal(await answersOf(follower), expected, `after ${pace} steps`);
          checkAlike(environment, follower.environment);
          assert.is(follower.index.stats.names, store.index.stats.names);
          if (isServed) await checkDerived(follower as unknown as Store);
        });
    },
    LARGE,
  ));

/** Rows of the domain that readers do not see. */
function hiddenRowsOf({ environment }: Pick<Follower, 'environment'>, { id }: Domain): number {
  return [...environment.allRecords({})].length - recordsOf(environment, id).length;
}

test('addresses of an ALIAS that an import has replaced change no serial, before and after its deletion', () =>
  withStore(
    onOneClock,
    async (store) => {
      const { environment, journal } = store;
      const domain = newDomain('zone.test.');
      await importZone(store, { domain, variant: 1, firstId: 2_000_000_000 });
      await importZone(store, { domain, variant: 2, firstId: 2_100_000_000 });
      const before = readHead(environment).sequence;
      const family = { addresses: ['cb007101'], ttl: 60, stale: false, goodAt: 1 };
      const name = parseName('b1.example.net.');
      const row = { name, a: family, aaaa: { ...family, addresses: [] }, error: null, checkedAt: 1 };
      await write(environment, journal, 'test', (draft) =>
        draft.put(aliasTargets, { ...row, spread: { from: '', to: null } }),
      );
      const entries = entriesAfter(environment, 0);
      for (const steps of [0, 5, 1000])
        await withFollower(async (follower) => {
          await apply(follower, entries.slice(0, before));
          await step(follower, steps);
          await apply(follower, entries.slice(before));
          await step(follower);
          checkAlike(environment, follower.environment);
        });
    },
    LARGE,
  ));

test.run();
