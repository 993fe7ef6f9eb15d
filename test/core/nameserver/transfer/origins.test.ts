/**
 * What the apex serves for the origin of its domain, as a secondary sees it: the serial rises when
 * it changes, so that the secondary transfers the zone again.
 */
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { parseRdata } from '../../../../core/dns/wire/rdata/index.ts';
import { TYPE } from '../../../../core/dns/wire/types.ts';
import { type Draft, write } from '../../../../core/journal/draft/draft.ts';
import { domains, type ProxyConfig, proxies, type RecordRow, records } from '../../../../core/store/rows.ts';
import { isAfter } from '../../../../core/zone/compile/serial.ts';
import { depth } from '../../../support/depth.ts';
import fc from '../../../support/fc.ts';
import { SEED } from '../../../support/seed.ts';
import { applyIxfr, serialOf, transferRequest, zoneText } from '../../../support/transfer-client.ts';
import { newDomain, newProxy, newRecord } from '../../journal/fixture.ts';
import { type Transferred, withTransfers } from './fixture.ts';

const RUNS = depth({ quick: 15, moderate: 20, full: 1200 });

const test = suite('origins in transfers');
const APEX = 'zone.test.';
const V4 = '93.184.215.14';
const OTHER_V4 = '93.184.215.15';
const V6 = '2606:2800:21f:cb07:6820:80da:af6b:8b2c';

/** The zone of a secondary that asks with its serial, as every refresh does. */
class Secondary {
  readonly #rig: Transferred;
  #held: string[] = [];
  #serial = 0;

  constructor(rig: Transferred) {
    this.#rig = rig;
  }

  get serial(): number {
    return this.#serial;
  }

  /** Whether the zone has changed. Its serial must have risen then. */
  async refresh(): Promise<boolean> {
    const before = withoutSoa(this.#held);
    const whole = await this.#rig.records(transferRequest(APEX));
    const serial = serialOf(whole[0]);
    const isChanged = withoutSoa(zoneText(whole)).join() !== before.join();
    if (this.#serial === 0) this.#held = zoneText(whole);
    else {
      if (isChanged) assert.ok(isAfter(serial, this.#serial), `${before} became ${zoneText(whole)}`);
      const answer = await this.#rig.records(transferRequest(APEX, this.#serial));
      if (answer.length > 1) this.#held = applyIxfr(this.#held, answer);
      assert.equal(this.#held, zoneText(whole));
    }
    this.#serial = serial;
    return isChanged;
  }

  get addresses(): string[] {
    return this.#held.filter((line) => line.startsWith(`${APEX} `) && / (A|AAAA) /.test(line));
  }
}

const withoutSoa = (lines: readonly string[]): string[] => lines.filter((line) => !line.includes(' SOA '));

const put = ({ store }: Transferred, work: (draft: Draft) => void): Promise<unknown> =>
  write(store.environment, store.journal, 'test', work);

test('a secondary is notified of a new origin', () =>
  withTransfers(async (rig) => {
    const domain = newDomain(APEX);
    const secondary = new Secondary(rig);
    const setProxy = (more: Partial<ProxyConfig>, enabled = false): Promise<unknown> =>
      put(rig, (draft) => draft.put(proxies, { ...newProxy(domain, enabled), ...more }));
    await put(rig, (draft) => {
      draft.put(domains, domain);
      draft.put(records, newRecord(domain, 'www', TYPE.CNAME, parseRdata(TYPE.CNAME, APEX)));
    });
    await secondary.refresh();
    assert.equal(secondary.addresses, []);
    for (const [originHost, address] of [
      [V4, V4],
      [OTHER_V4, OTHER_V4],
      [V6, V6],
      [null, null],
      [V4, V4],
    ] as const) {
      const { serial } = secondary;
      await setProxy({ originHost });
      assert.ok(await secondary.refresh());
      assert.ok(isAfter(secondary.serial, serial));
      assert.is(secondary.addresses.length, address === null ? 0 : 1);
      if (address !== null) assert.match(secondary.addresses[0], address);
    }
    const { serial } = secondary;
    await setProxy({ originHost: V4, originPort: 8443 });
    assert.not.ok(await secondary.refresh());
    assert.is(secondary.serial, serial, 'another port of the origin is nothing of the zone');
  }));

const RECORDS = [
  ['@', TYPE.A, OTHER_V4],
  ['@', TYPE.AAAA, V6],
  ['@', TYPE.TXT, '"x"'],
  ['@', TYPE.MX, `10 ${APEX}`],
  ['@', TYPE.ALIAS, 'elsewhere.example.'],
  ['www', TYPE.CNAME, APEX],
] as const;

type Change =
  | { readonly kind: 'origin'; readonly host: string | null; readonly isOn: boolean }
  | { readonly kind: 'no proxy' }
  | { readonly kind: 'record'; readonly index: number };

const change: fc.Arbitrary<Change> = fc.oneof(
  {
    weight: 4,
    arbitrary: fc.record({
      kind: fc.constant('origin' as const),
      host: fc.constantFrom(null, V4, OTHER_V4, V6, 'o.example'),
      isOn: fc.boolean(),
    }),
  },
  { weight: 1, arbitrary: fc.constant({ kind: 'no proxy' as const }) },
  {
    weight: 4,
    arbitrary: fc.record({ kind: fc.constant('record' as const), index: fc.nat(RECORDS.length - 1) }),
  },
);

test('whatever changes the apex raises the serial', async () => {
  console.log(`seed ${SEED}`);
  let changed = 0;
  const property = fc.asyncProperty(fc.array(fc.array(change, { minLength: 1, maxLength: 3 })), (entries) =>
    withTransfers(async (rig) => {
      const domain = newDomain(APEX);
      const rows = RECORDS.map(
        ([name, type, content]): RecordRow => newRecord(domain, name, type, parseRdata(type, content)),
      );
      const stored = new Set<RecordRow>();
      let hasProxy = false;
      const secondary = new Secondary(rig);
      await put(rig, (draft) => draft.put(domains, domain));
      await secondary.refresh();
      for (const entry of entries) {
        await put(rig, (draft) => {
          for (const step of entry)
            if (step.kind === 'origin') {
              draft.put(proxies, { ...newProxy(domain, step.isOn), originHost: step.host });
              hasProxy = true;
            } else if (step.kind === 'no proxy') {
              if (hasProxy) draft.delete(proxies, newProxy(domain));
              hasProxy = false;
            } else {
              const row = rows[step.index];
              if (stored.delete(row)) draft.delete(records, row);
              else {
                stored.add(row);
                draft.put(records, row);
              }
            }
        });
        if (await secondary.refresh()) changed++;
      }
    }),
  );
  await fc.assert(property, { numRuns: RUNS });
  assert.ok(changed > RUNS / 2, `only ${changed} changes`);
});

test.run();
