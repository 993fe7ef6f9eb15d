/**
 * What IXFR sends makes the zone that AXFR sends, whatever was changed between: held to a secondary
 * that applies differences strictly.
 */

import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { parseName } from '../../../../core/dns/wire/name.ts';
import { parseRdata } from '../../../../core/dns/wire/rdata/index.ts';
import { type ResourceRecord, TYPE } from '../../../../core/dns/wire/types.ts';
import { type Draft, write } from '../../../../core/journal/draft/draft.ts';
import { idKey, nameKey } from '../../../../core/store/keys.ts';
import { aliasTargets, type Domain, domains, proxies, type RecordRow, records } from '../../../../core/store/rows.ts';
import { depth } from '../../../support/depth.ts';
import fc from '../../../support/fc.ts';
import { newId } from '../../../support/ids.ts';
import { SEED } from '../../../support/seed.ts';
import { applyIxfr, serialOf, takeMessage, transferRequest, zoneText } from '../../../support/transfer-client.ts';
import { addressRecord, newDomain, newProxy, newRecord } from '../../journal/fixture.ts';
import { LIMITS, type Transferred, withTransfers } from './fixture.ts';

const RUNS = depth({ quick: 10, moderate: 13, full: 800 });

const test = suite('transfers, differences');
const APEX = 'zone.test.';
const NAMES = ['@', '*', 'a', 'b', 'b.a', 'c.b.a', '*.w', 'ns.sub', 'sub', 'mail', '_x.b'];
const TYPES = ['A', 'AAAA', 'MX', 'TXT', 'NS', 'SRV', 'ALIAS'] as const;

type Step =
  | {
      readonly kind: 'add';
      readonly name: number;
      readonly type: number;
      readonly value: number;
      readonly proxied: boolean | null;
    }
  | { readonly kind: 'remove'; readonly which: number }
  | { readonly kind: 'ttl'; readonly which: number; readonly ttl: number }
  | { readonly kind: 'proxy'; readonly on: boolean; readonly origin: string | null }
  | { readonly kind: 'keep' }
  /** The addresses of the target of all ALIAS records change, and come to some of the records. */
  | { readonly kind: 'alias'; readonly value: number; readonly part: number }
  /** The secondary looks. */
  | { readonly kind: 'look' };

const below = (n: number): fc.Arbitrary<number> => fc.nat({ max: n - 1 });
const step: fc.Arbitrary<Step> = fc.oneof(
  {
    weight: 8,
    arbitrary: fc.record({
      kind: fc.constant('add' as const),
      name: below(NAMES.length),
      type: below(TYPES.length),
      value: below(4),
      proxied: fc.constantFrom(null, true, false),
    }),
  },
  { weight: 5, arbitrary: fc.record({ kind: fc.constant('remove' as const), which: below(100) }) },
  { weight: 3, arbitrary: fc.record({ kind: fc.constant('ttl' as const), which: below(100), ttl: below(3) }) },
  {
    weight: 1,
    arbitrary: fc.record({
      kind: fc.constant('proxy' as const),
      on: fc.boolean(),
      origin: fc.constantFrom(null, '192.0.2.7', '2001:db8::7', 'elsewhere.example'),
    }),
  },
  { weight: 1, arbitrary: fc.constant({ kind: 'keep' as const }) },
  { weight: 3, arbitrary: fc.record({ kind: fc.constant('alias' as const), value: below(3), part: below(3) }) },
  { weight: 4, arbitrary: fc.constant({ kind: 'look' as const }) },
);

function rdataOf(type: (typeof TYPES)[number], value: number): Uint8Array {
  const host = ['a', 'b.a', 'mail', 'x.w'][value];
  const texts = {
    A: `192.0.2.${value}`,
    AAAA: `2001:db8::${value}`,
    MX: `${value} ${host}.${APEX}`,
    TXT: `"${value}"`,
    NS: `${host}.${APEX}`,
    SRV: `0 0 ${value} ${host}.${APEX}`,
    ALIAS: 'elsewhere.example.',
  };
  return parseRdata(TYPE[type], texts[type]);
}

/** The zone as a client writes it: what it holds, and the drafts that change it. */
class Writer {
  readonly held: RecordRow[] = [];
  domain: Domain;

  constructor(domain: Domain) {
    this.domain = domain;
  }

  /** Null: the step changes nothing. */
  prepare(action: Step): ((draft: Draft) => void) | null {
    const { held, domain } = this;
    const at = (which: number): number => which % held.length;
    switch (action.kind) {
      case 'add': {
        const type = TYPES[action.type];
        const name = parseName(NAMES[action.name], domain.apex);
        const row = {
          ...newRecord(domain, NAMES[action.name], TYPE[type], rdataOf(type, action.value)),
          proxied: action.proxied,
        };
        const isThere = (other: RecordRow): boolean =>
          Buffer.compare(other.name, name) === 0 &&
          other.type === row.type &&
          Buffer.compare(other.rdata, row.rdata) === 0;
        // One RRset has one TTL, and one record stands in it once.
        if (held.some(isThere) || (type === 'NS' && NAMES[action.name].includes('*'))) return null;
        const ttl = held.find((other) => Buffer.compare(other.name, name) === 0 && other.type === row.type)?.ttl ?? 300;
        held.push({ ...row, ttl });
        return (draft) => draft.put(records, { ...row, ttl });
      }
      case 'remove': {
        if (held.length === 0) return null;
        const [row] = held.splice(at(action.which), 1);
        return (draft) => draft.delete(records, row);
      }
      case 'ttl': {
        if (held.length === 0) return null;
        const { name, type } = held[at(action.which)];
        const changed: RecordRow[] = [];
        for (const [i, row] of held.entries())
          if (row.type === type && Buffer.compare(row.name, name) === 0) {
            held[i] = { ...row, ttl: 100 + action.ttl };
            changed.push(held[i]);
          }
        return (draft) => {
          for (const row of changed) draft.put(records, row);
        };
      }
      case 'proxy':
        return (draft) => draft.put(proxies, { ...newProxy(domain, action.on), originHost: action.origin });
      case 'alias': {
        const family = { addresses: [`c633640${action.value}`], ttl: 60, stale: false, goodAt: 1 };
        const row = { name: parseName('elsewhere.example.'), a: family, aaaa: null, error: null, checkedAt: 1 };
        const middle = Buffer.concat([idKey(domain.id), nameKey(parseName('b', domain.apex))]).toString('hex');
        const spread = [
          { from: '', to: null },
          { from: '', to: middle },
          { from: middle, to: null },
        ][action.part];
        return (draft) => draft.put(aliasTargets, { ...row, spread });
      }
      case 'keep':
        this.domain = { ...domain, createdAt: domain.createdAt + 1 };
        return (draft) => draft.put(domains, this.domain);
      default:
        return null;
    }
  }
}

/** Holds a copy of the zone, and looks as a secondary does. */
class Secondary {
  #held: string[] = [];
  #serial = 0;
  differences = 0;
  readonly #rig: Transferred;

  constructor(rig: Transferred) {
    this.#rig = rig;
  }

  async look(): Promise<void> {
    const whole = await this.#rig.records(transferRequest(APEX));
    if (this.#serial === 0) this.#held = zoneText(whole);
    else {
      const answer = await this.#rig.records(transferRequest(APEX, this.#serial));
      assert.is(serialOf(answer[0]), serialOf(whole[0]));
      if (answer.length > 1) {
        if (answer[1].type === TYPE.SOA) this.differences++;
        this.#held = applyIxfr(this.#held, answer);
      }
    }
    this.#serial = serialOf(whole[0]);
    assert.equal(this.#held, zoneText(whole));
  }
}

test('IXFR applied to the old zone is the new zone', async () => {
  let differences = 0;
  console.log(`seed ${SEED}`);
  const property = fc.asyncProperty(fc.array(step, { minLength: 5, maxLength: 40 }), fc.boolean(), (steps, together) =>
    withTransfers(async (rig) => {
      const { environment, journal } = rig.store;
      const writer = new Writer(newDomain(APEX));
      const secondary = new Secondary(rig);
      const put = (work: (draft: Draft) => void): Promise<unknown> => write(environment, journal, 'test', work);
      await put((draft) => draft.put(domains, writer.domain));
      await secondary.look();
      const pending: Promise<unknown>[] = [];
      for (const item of steps) {
        const work = writer.prepare(item);
        // A row has to be there before it can be changed: pending requests come in any
        // order.
        if (item.kind === 'remove' || item.kind === 'ttl') await Promise.all(pending.splice(0));
        if (work !== null) pending.push(put(work));
        // Commits that wait for the same sync are one group, and one difference.
        if (!together || item.kind === 'look') {
          await Promise.all(pending.splice(0));
        }
        if (item.kind === 'look') await secondary.look();
      }
      await Promise.all(pending);
      await secondary.look();
      differences += secondary.differences;
    }),
  );
  await fc.assert(property, { numRuns: RUNS });
  assert.ok(differences > RUNS / 4, `only ${differences} answers were differences`);
});

test('a client behind the history, or with a serial never served, gets the whole zone', () =>
  withTransfers(
    async (rig) => {
      const { environment, journal } = rig.store;
      const domain = newDomain(APEX);
      await write(environment, journal, 'test', (draft) => draft.put(domains, domain));
      const [{ rdata }] = await rig.records(transferRequest(APEX));
      const first = Buffer.from(rdata).readUInt32BE(rdata.length - 20);
      const kindAt = async (version: number): Promise<string> => {
        const answer = await rig.records(transferRequest(APEX, version));
        return answer.length === 1 ? 'current' : answer[1].type === TYPE.SOA ? 'differences' : 'zone';
      };
      for (let i = 0; i < 3; i++)
        await write(environment, journal, 'test', (draft) => draft.put(records, addressRecord(domain, `h${i}`)));
      const { serial } = rig.store.reader.zoneState(domain.id);
      assert.is(serial, first + 3);
      assert.is(await kindAt(first), 'zone');
      assert.is(await kindAt(first + 1), 'differences');
      assert.is(await kindAt(first + 2), 'differences');
      assert.is(await kindAt(serial), 'current');
      // RFC 1995 section 2: a newer one is answered with ours.
      assert.is(await kindAt(serial + 5), 'current');
      assert.is(await kindAt(first - 10), 'zone');
    },
    { limits: { ...LIMITS, entries: 2 } },
  ));

test('no history is kept of a zone that is not transferred, nor of a deleted one', () =>
  withTransfers(async ({ store, histories, records: transfer }) => {
    const { environment, journal } = store;
    const domain = newDomain(APEX);
    await write(environment, journal, 'test', (draft) => draft.put(domains, domain));
    await write(environment, journal, 'test', (draft) => draft.put(records, addressRecord(domain, 'a')));
    assert.equal(histories.size, { bytes: 0, zones: 0 });
    await transfer(transferRequest(APEX));
    await write(environment, journal, 'test', (draft) => draft.put(records, addressRecord(domain, 'b')));
    assert.is(histories.size.zones, 1);
    assert.ok(histories.size.bytes > 0);
    await write(environment, journal, 'test', (draft) => {
      for (const row of draft.recordsOf(domain.id, null)) draft.delete(records, row);
      draft.delete(domains, domain);
    });
    assert.equal(histories.size, { bytes: 0, zones: 0 });
  }));

test('the zone is sent as of the request, whatever is written meanwhile', () =>
  withTransfers(async ({ store, answer }) => {
    const { environment, journal, reader } = store;
    const domain = newDomain(APEX);
    const row = (i: number): RecordRow => ({ ...addressRecord(domain, `h${i}`), id: newId() });
    await write(environment, journal, 'test', (draft) => {
      draft.put(domains, domain);
      for (let i = 0; i < 3000; i++) draft.put(records, row(i));
    });
    const { serial } = reader.zoneState(domain.id);
    const all: Uint8Array[] = [];
    const cancelled = new AbortController().signal;
    const request = {
      message: transferRequest(APEX),
      address: '127.0.0.1',
      port: 53,
      transport: 'tcp' as const,
      cancelled,
    };
    for await (const message of answer(request)) {
      all.push(message);
      await write(environment, journal, 'test', (draft) => draft.put(records, row(10_000 + all.length)));
    }
    assert.ok(all.length > 3, `${all.length} messages`);
    const whole: ResourceRecord[] = [];
    for (const message of all) takeMessage(message, whole);
    assert.is(serialOf(whole[0]), serial);
    assert.is(serialOf(whole[whole.length - 1]), serial);
    assert.is(whole.length, 3000 + 2 + 2);
  }));

test.run();
