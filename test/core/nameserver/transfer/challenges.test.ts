/**
 * A zone with answers to ACME's challenges is served as one in which the customer has written the
 * same TXT, in answers, AXFR and IXFR: two stores, one with the rows of challenges, one with
 * records, are led through the same generated steps.
 */
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { equalNames, parseName } from '../../../../core/dns/wire/name.ts';
import { parseRdata } from '../../../../core/dns/wire/rdata/index.ts';
import { CLASS_IN, TYPE } from '../../../../core/dns/wire/types.ts';
import { type Draft, write } from '../../../../core/journal/draft/draft.ts';
import { rebuildAnswers } from '../../../../core/journal/upkeep/rebuild.ts';
import { acmeChallenges, domains, proxies, type RecordRow, records } from '../../../../core/store/rows.ts';
import { StoreReader } from '../../../../core/store/store-reader.ts';
import { challengeRdata } from '../../../../core/zone/compile/challenged.ts';
import { TCP_LIMIT } from '../../../reference/compare.ts';
import { depth } from '../../../support/depth.ts';
import fc from '../../../support/fc.ts';
import { encodeQuery } from '../../../support/message.ts';
import { SEED } from '../../../support/seed.ts';
import { DEFAULTS, dump, newDomain, newProxy, newRecord, queryPath } from '../../journal/fixture.ts';
import { type Transferred, withTransfers } from './fixture.ts';
import { Secondary } from './secondary.ts';

const RUNS = depth({ quick: 15, moderate: 20, full: 1200 });

const test = suite('challenges in zones');
const APEX = 'zone.test.';
const NAMES = [
  '@',
  '*',
  'www',
  '_acme-challenge',
  '_acme-challenge.b',
  '*.x.b',
  'a._acme-challenge',
  '*._acme-challenge',
  'b',
];
const TYPES = ['A', 'TXT', 'NS', 'DNAME'] as const;
const ASKED = [
  '',
  'b.',
  'x.b.',
  '_acme-challenge.b.',
  '_acme-challenge.x.b.',
  '_acme-challenge.',
  'a._acme-challenge.',
  'x._acme-challenge.',
  'www.',
  'other.',
];
const DIGESTS = [0, 1, 2, 3, 4].map((i) => String(i).repeat(43));

type Step =
  | { readonly kind: 'record'; readonly name: number; readonly type: number }
  | { readonly kind: 'challenge'; readonly which: number }
  | { readonly kind: 'proxy'; readonly on: boolean }
  | { readonly kind: 'look' };

const below = (n: number): fc.Arbitrary<number> => fc.nat({ max: n - 1 });
const step: fc.Arbitrary<Step> = fc.oneof(
  {
    weight: 5,
    arbitrary: fc.record({
      kind: fc.constant('record' as const),
      name: below(NAMES.length),
      type: below(TYPES.length),
    }),
  },
  { weight: 6, arbitrary: fc.record({ kind: fc.constant('challenge' as const), which: below(DIGESTS.length) }) },
  { weight: 1, arbitrary: fc.record({ kind: fc.constant('proxy' as const), on: fc.boolean() }) },
  { weight: 3, arbitrary: fc.constant({ kind: 'look' as const }) },
);

const RDATA = { A: '192.0.2.1', TXT: '"mine"', NS: 'ns.elsewhere.example.', DNAME: 'elsewhere.example.' };

const domain = newDomain(APEX);
const name = parseName('_acme-challenge', domain.apex);
const rows = new Map<string, RecordRow>();
/**
 * A record that is there goes, one that is not comes. `ttl` of the customer's TXT at the name of
 * the challenges is what the service gives, so that both RRsets are alike.
 */
function rowOf(at: number, type: (typeof TYPES)[number]): RecordRow {
  const id = `${at} ${type}`;
  const row = rows.get(id) ?? newRecord(domain, NAMES[at], TYPE[type], parseRdata(TYPE[type], RDATA[type]), 30);
  rows.set(id, row);
  return row;
}
/** The validated names, relative to the apex. */
const VALIDATED = ['', '', 'b', 'x.b', '_acme-challenge'];
const challengeRows = DIGESTS.map((digest, i) =>
  newRecord(domain, ['_acme-challenge', VALIDATED[i]].filter(Boolean).join('.'), TYPE.TXT, challengeRdata(digest), 30),
);

/** The change to the store of challenges and to the one of records. */
class Steps {
  readonly #held = new Set<RecordRow>();
  readonly #open = new Set<number>();
  /** Whether the last step took something away. */
  isChanging = false;

  prepare(action: Step): readonly [(draft: Draft) => void, (draft: Draft) => void] | null {
    switch (action.kind) {
      case 'record': {
        const type = TYPES[action.type];
        // What no zone may hold: a wildcard that delegates, a DNAME next to NS or another name
        // below it.
        if (NAMES[action.name].includes('*') && (type === 'NS' || type === 'DNAME')) return null;
        const row = rowOf(action.name, type);
        const gone = this.#held.delete(row);
        if (!gone) this.#held.add(row);
        this.isChanging = gone;
        const work = (draft: Draft): void => (gone ? draft.delete(records, row) : draft.put(records, row));
        return [work, work];
      }
      case 'challenge': {
        const gone = this.#open.delete(action.which);
        if (!gone) this.#open.add(action.which);
        this.isChanging = gone;
        const row = {
          domainId: domain.id,
          type: 'dns-01',
          token: DIGESTS[action.which],
          content: DIGESTS[action.which],
          ...(VALIDATED[action.which] && { name: `${VALIDATED[action.which]}.zone.test` }),
        } as const;
        const record = challengeRows[action.which];
        return [
          (draft) => (gone ? draft.delete(acmeChallenges, row) : draft.put(acmeChallenges, row)),
          (draft) => (gone ? draft.delete(records, record) : draft.put(records, record)),
        ];
      }
      case 'proxy': {
        const work = (draft: Draft): void => draft.put(proxies, newProxy(domain, action.on));
        return [work, work];
      }
      default:
        return null;
    }
  }
}

/** Responses to all questions, the serial taken out. */
function answers({ store }: Transferred): string[] {
  const path = queryPath(store);
  const serial = Buffer.alloc(4);
  serial.writeUInt32BE(store.reader.zoneState(domain.id).serial);
  const all = ASKED.flatMap((label) =>
    [TYPE.TXT, TYPE.A, TYPE.NS, TYPE.SOA].map((type) => {
      const packet = encodeQuery({ name: parseName(label + APEX), type, class: CLASS_IN }, 1);
      const answer = Buffer.from(path.answer(packet, TCP_LIMIT) ?? []).toString('hex');
      return `${label} ${type} ${answer.replaceAll(serial.toString('hex'), 'serial')}`;
    }),
  );
  void path.close();
  return all;
}

async function bothServeAlike(steps: readonly Step[], together: boolean): Promise<number> {
  let differences = 0;
  await withTransfers((ours) =>
    withTransfers(async (theirs) => {
      const put = ({ store }: Transferred, work: (draft: Draft) => void): Promise<unknown> =>
        write(store.environment, store.journal, 'test', work);
      for (const rig of [ours, theirs]) await put(rig, (draft) => draft.put(domains, domain));
      const secondaries = [new Secondary(ours, APEX), new Secondary(theirs, APEX)];
      const sequence = new Steps();
      let pending: Promise<unknown>[] = [];
      for (const action of [...steps, { kind: 'look' } as const]) {
        const works = sequence.prepare(action);
        // A row has to be there before it can be changed: pending requests come in any
        // order.
        if (sequence.isChanging) await Promise.all(pending.splice(0));
        if (works !== null) pending.push(put(ours, works[0]), put(theirs, works[1]));
        if (!together || action.kind === 'look') await Promise.all(pending.splice(0));
        if (action.kind !== 'look') continue;
        const [zone, wanted] = [await secondaries[0].look(), await secondaries[1].look()];
        assert.equal(zone, wanted);
        assert.equal(answers(ours), answers(theirs));
      }
      pending = [];
      differences = secondaries[0].differences;
      // And made again from the rows, it is the same.
      const { environment } = ours.store;
      const before = dump(environment, ['answers']);
      await rebuildAnswers(environment, DEFAULTS);
      assert.equal(dump(environment, ['answers']), before);
    }),
  );
  return differences;
}

test('challenges are transferred like records of the customer', async () => {
  console.log(`seed ${SEED}`);
  let differences = 0;
  const property = fc.asyncProperty(
    fc.array(step, { minLength: 4, maxLength: 30 }),
    fc.boolean(),
    async (steps, together) => {
      differences += await bothServeAlike(steps, together);
    },
  );
  await fc.assert(property, { numRuns: RUNS });
  assert.ok(differences > RUNS / 4, `only ${differences} answers were differences`);
});

test('nothing is added next to a CNAME; the revision stays, the serial rises', () =>
  withTransfers(async ({ store }) => {
    const { environment, journal } = store;
    const put = (work: (draft: Draft) => void): Promise<unknown> => write(environment, journal, 'test', work);
    const row = { domainId: domain.id, type: 'dns-01', token: 't', content: DIGESTS[0] } as const;
    const cname = newRecord(domain, '_acme-challenge', TYPE.CNAME, parseName('elsewhere.example.'));
    await put((draft) => draft.put(domains, domain));
    const reader = new StoreReader(environment);
    const before = reader.zoneState(domain.id);
    const path = queryPath(store);
    const ask = (): Buffer =>
      Buffer.from(path.answer(encodeQuery({ name, type: TYPE.TXT, class: CLASS_IN }, 1), TCP_LIMIT) ?? []);
    await put((draft) => draft.put(acmeChallenges, row));
    const after = reader.zoneState(domain.id);
    assert.ok(ask().includes(DIGESTS[0]));
    assert.is(after.revision, before.revision);
    assert.is(after.recordCount, before.recordCount);
    assert.is(after.serial, before.serial + 1);
    await put((draft) => draft.put(records, cname));
    assert.not.ok(ask().includes(DIGESTS[0]));
    assert.ok(ask().includes('elsewhere'));
    await put((draft) => draft.delete(records, cname));
    assert.ok(ask().includes(DIGESTS[0]));
    assert.ok(equalNames(cname.name, name));
    // A challenge of HTTP is nothing of the zone's.
    const { serial } = reader.zoneState(domain.id);
    await put((draft) => draft.put(acmeChallenges, { ...row, type: 'http-01' }));
    assert.is(reader.zoneState(domain.id).serial, serial);
    await path.close();
  }));

test.run();
