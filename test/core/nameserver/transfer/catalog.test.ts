/** Catalogs (RFC 9432) list the domains that there are, and answer only for their apex. */
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { formatName, parseName } from '../../../../core/dns/wire/name.ts';
import { CLASS_IN, RCODE, TYPE } from '../../../../core/dns/wire/types.ts';
import { type Draft, write } from '../../../../core/journal/draft/draft.ts';
import { type Domain, domains } from '../../../../core/store/rows.ts';
import { mayBeCatalog } from '../../../../core/zone/compile/catalog.ts';
import { TCP_LIMIT } from '../../../reference/compare.ts';
import fc from '../../../support/fc.ts';
import { decodeMessage, encodeQuery } from '../../../support/message.ts';
import { SEED } from '../../../support/seed.ts';
import { newDomain, queryPath } from '../../journal/fixture.ts';
import { withTransfers } from './fixture.ts';
import { Secondary } from './secondary.ts';

const test = suite('catalogs');
const ACCOUNTS = 3;
const CATALOGS = [
  { apex: 'own.catalog.test.', accountId: 1, members: 'account' },
  { apex: 'all.catalog.test.', accountId: 2, members: 'all' },
] as const;
const NAMES = ['a.test.', 'b.test.', 'c.a.test.', 'other.catalog.test.'];

interface Step {
  readonly kind: 'create' | 'delete' | 'give' | 'look';
  readonly which: number;
  readonly accountId: number;
}

const step: fc.Arbitrary<Step> = fc.record({
  kind: fc.constantFrom('create' as const, 'create' as const, 'delete' as const, 'give' as const, 'look' as const),
  which: fc.nat(NAMES.length - 1),
  accountId: fc.nat(ACCOUNTS - 1).map((n) => n + 1),
});

test('generated changes of the members lead to the catalog of the model', async () => {
  let differences = 0;
  const property = fc.asyncProperty(fc.array(step, { maxLength: 25 }), (steps) =>
    withTransfers(async (rig) => {
      const { store } = rig;
      const commit = (work: (draft: Draft) => void) => write(store.environment, store.journal, 'test', work);
      const catalogs: Domain[] = CATALOGS.map(({ apex, accountId, members }) => ({
        ...newDomain(apex),
        ...{ accountId, kind: 'catalog', members },
      }));
      for (const catalog of catalogs) await commit((draft) => draft.put(domains, catalog));
      const secondaries = catalogs.map(({ apex }) => new Secondary(rig, formatName(apex)));
      const held = new Map<number, Domain>();
      for (const { kind, which, accountId } of [...steps, { kind: 'look', which: 0, accountId: 1 } as const]) {
        const domain = held.get(which);
        if (kind === 'create' && domain === undefined) {
          const created = { ...newDomain(NAMES[which]), accountId };
          held.set(which, created);
          await commit((draft) => draft.put(domains, created));
        } else if (kind === 'delete' && domain !== undefined) {
          held.delete(which);
          await commit((draft) => draft.delete(domains, domain));
        } else if (kind === 'give' && domain !== undefined) {
          const given = { ...domain, accountId };
          held.set(which, given);
          await commit((draft) => {
            draft.delete(domains, domain);
            draft.put(domains, given);
          });
        } else if (kind === 'look') {
          for (const [i, { apex, members, accountId: owner }] of CATALOGS.entries()) {
            const listed = [...held.values()].filter((zone) => members === 'all' || zone.accountId === owner);
            const expected = [
              `${apex} 0 NS invalid.`,
              `version.${apex} 0 TXT "2"`,
              ...listed.map((zone) => `${zone.id}.zones.${apex} 0 PTR ${formatName(zone.apex)}`),
            ];
            assert.equal((await secondaries[i].look()).sort(), expected.sort());
          }
        }
      }
      differences += secondaries.reduce((sum, secondary) => sum + secondary.differences, 0);
    }),
  );
  await fc.assert(property, { seed: SEED, numRuns: 15 });
  assert.ok(differences > 0, 'no IXFR was incremental');
});

test('a catalog answers for its apex only', () =>
  withTransfers(async ({ store }) => {
    const catalog: Domain = { ...newDomain('catalog.test.'), kind: 'catalog', members: 'all' };
    const member = newDomain('a.test.');
    await write(store.environment, store.journal, 'test', (draft) => {
      draft.put(domains, catalog);
      draft.put(domains, member);
    });
    const path = queryPath(store);
    const ask = (name: string, type: number) => {
      const packet = encodeQuery({ name: parseName(name), type, class: CLASS_IN }, 1);
      return decodeMessage(path.answer(packet, TCP_LIMIT)!);
    };
    assert.is(ask('catalog.test.', TYPE.SOA).answer.length, 1);
    assert.is(ask(`${member.id}.zones.catalog.test.`, TYPE.PTR).rcode, RCODE.NXDOMAIN);
    assert.is(ask('version.catalog.test.', TYPE.TXT).rcode, RCODE.NXDOMAIN);
    await path.close();
  }));

test('the names of members fit', () => {
  const label = 'a'.repeat(63);
  assert.is(mayBeCatalog(parseName('catalog.test.')), true);
  assert.is(mayBeCatalog(parseName(`${label}.${label}.${label}.${'a'.repeat(37)}.`)), true);
  assert.is(mayBeCatalog(parseName(`${label}.${label}.${label}.${'a'.repeat(45)}.`)), false);
});

test.run();
