/** The keeper of signed zones, over a store and a parent of the test, with a clock of the test. */
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { createLogger } from '../../../../core/base/log/index.ts';
import { Registry, selectFormat } from '../../../../core/base/metrics/index.ts';
import { dsRdata } from '../../../../core/dns/dnssec/dnskey.ts';
import { SigningKey } from '../../../../core/dns/dnssec/keys.ts';
import { type SigningFault, SigningFaults } from '../../../../core/dns/dnssec/signing-threads.ts';
import { TYPE } from '../../../../core/dns/wire/types.ts';
import { write } from '../../../../core/journal/draft/draft.ts';
import { nextPiece } from '../../../../core/journal/signing/progress.ts';
import { type Domain, dnssec, domains, records } from '../../../../core/store/rows.ts';
import { adviseOn } from '../../../../core/upkeep/signing/advice.ts';
import { SigningKeeper } from '../../../../core/upkeep/signing/keeper.ts';
import { signingMetrics } from '../../../../core/upkeep/signing/open.ts';
import type { LookResult } from '../../../../core/upkeep/signing/parent.ts';
import { readSignedZone, storeSignedZone } from '../../../../core/upkeep/signing/store-zone.ts';
import { beginRollover, beginSigning } from '../../../../core/upkeep/signing/zone-lifecycle.ts';
import { clusterTasks } from '../../../support/tasks.ts';
import { untilPasses } from '../../../support/until.ts';
import { addressRecord, dump, newDomain, type Store, withStore } from '../../journal/fixture.ts';
import { newKey, newRow, signedStore } from '../../journal/signing/rig.ts';

const test = suite('core/upkeep/signing/keeper');

const START = 1_800_000_000;
const HOUR = 3600;
const DAY = 86_400;
/** Seconds between two passes. */
const PASS = 15;

interface Rig {
  readonly store: Store;
  readonly keepers: SigningKeeper[];
  /** Domains whose parent was asked. */
  readonly looks: string[];
  readonly logged: string[];
  now: number;
  parent: LookResult | Promise<LookResult>;
  /** Whether all nodes serve the changes. */
  isServed: boolean;
}

function newRig(store: Store, nodeNames: readonly string[] = ['a']): Rig {
  const rig: Rig = {
    ...{ store, keepers: [], looks: [], logged: [], now: START, isServed: true },
    parent: { zone: 'test', sets: [[]], ttl: 0, servers: 1, answered: 1, checkedAt: 0 },
  };
  const log = createLogger({ level: 'info', format: 'text', write: (line) => void rig.logged.push(line) });
  for (const nodeName of nodeNames)
    rig.keepers.push(
      new SigningKeeper({
        ...store,
        ...{ nodeName, nameservers: ['ns1.waypost.test'], log, now: () => rig.now },
        tasks: clusterTasks(nodeName, () => nodeNames),
        publicParent: {
          async look() {
            rig.looks.push(nodeName);
            return await rig.parent;
          },
        },
        served: async () => {
          if (!rig.isServed) throw new Error('a node is late');
        },
      }),
    );
  return rig;
}

async function addZone({ store, now }: Rig, apex: string): Promise<Domain> {
  const domain = newDomain(apex);
  const { environment, journal } = store;
  await write(environment, journal, '1', (draft) => {
    draft.put(domains, domain);
    draft.put(records, addressRecord(domain, 'www'));
    storeSignedZone(draft, domain, beginSigning(newRow(store, domain), HOUR, now), [], now);
  });
  return domain;
}

/** What the background task of another part does. */
async function signAll({ store: { environment, journal } }: Rig, { id, apex }: Domain): Promise<void> {
  for (let isBusy = true; isBusy; )
    isBusy = (
      await write(environment, journal, 'dnssec', (draft) => {
        const row = draft.dnssec(id);
        if (row?.progress === undefined) return false;
        const next = nextPiece(environment, apex, row, { listed: 100, signed: 100 });
        if (next === null) draft.delete(dnssec, row);
        else draft.put(dnssec, next);
        return true;
      })
    ).result;
}

const phaseOf = ({ store: { reader } }: Rig, domain: Domain): string => {
  const zone = readSignedZone(reader, domain);
  return zone?.state.phase ?? 'off';
};

function dsOf({ store: { reader } }: Rig, { id, apex }: Domain, index = 0): string {
  const rdata = Buffer.from(reader.dnssec(id)!.keys[index].dnskey, 'base64');
  return Buffer.from(dsRdata(apex, rdata)).toString('hex');
}

async function pass(rig: Rig, seconds = 0): Promise<void> {
  rig.now += seconds;
  for (const keeper of rig.keepers) {
    await keeper.pass();
    await keeper.lookAtParents();
  }
}

test('a zone is signed, secure, rolled over and unsigned without any request but three', () =>
  withStore(signedStore, async (store) => {
    const rig = newRig(store);
    const domain = await addZone(rig, 'a.test.');
    await pass(rig);
    assert.is(store.reader.dnssecState(domain.id)?.servedSince, null, 'not all names are signed');
    await signAll(rig, domain);
    rig.isServed = false;
    await pass(rig);
    assert.is(store.reader.dnssecState(domain.id)?.servedSince, null, 'a node is late');
    rig.isServed = true;
    await pass(rig);
    assert.is(store.reader.dnssecState(domain.id)?.servedSince, START);
    await pass(rig, HOUR);
    assert.is(phaseOf(rig, domain), 'awaiting_ds');
    rig.parent = { ...rig.parent, sets: [[dsOf(rig, domain)]], ttl: HOUR } as LookResult;
    await pass(rig, HOUR);
    assert.is(phaseOf(rig, domain), 'secure');
    await write(store.environment, store.journal, '1', (draft) => {
      const key = newKey(store, domain, 2);
      const zone = readSignedZone(draft, domain)!;
      const options = { isEmergency: false, largestTtl: HOUR };
      storeSignedZone(draft, domain, beginRollover(zone, key, options, rig.now), [], rig.now);
    });
    await pass(rig);
    await pass(rig, 2 * HOUR);
    assert.is(phaseOf(rig, domain), 'rolling_ds');
    rig.parent = { ...rig.parent, sets: [[dsOf(rig, domain, 1)]] } as LookResult;
    for (let i = 0; i < 4 && phaseOf(rig, domain) === 'rolling_ds'; i++) await pass(rig, HOUR);
    assert.is(phaseOf(rig, domain), 'rolling_resign');
    await pass(rig);
    assert.is(phaseOf(rig, domain), 'rolling_resign', 'not all names are signed by the new key');
    await signAll(rig, domain);
    await pass(rig);
    assert.is(phaseOf(rig, domain), 'retire');
    await pass(rig, 2 * HOUR);
    assert.is(phaseOf(rig, domain), 'secure');
    assert.equal(
      store.reader.dnssec(domain.id)!.keys.map(({ id, use, isTrusted }) => [id, use, isTrusted]),
      [[2, 'sign', true]],
    );
    assert.match(rig.logged.join(''), /DNSSEC state changed domain=a\.test from=retire to=secure/);
    await pass(rig);
    rig.parent = { ...rig.parent, sets: [[]] } as LookResult;
    await pass(rig, DAY);
    assert.is(phaseOf(rig, domain), 'awaiting_ds');
  }));

test('one of several nodes asks the parent; another does if that one stops', () =>
  withStore(signedStore, async (store) => {
    const rig = newRig(store, ['a', 'b', 'c']);
    const domain = await addZone(rig, 'b.test.');
    await signAll(rig, domain);
    await pass(rig);
    const looksIn = async (hours: number): Promise<number> => {
      rig.looks.length = 0;
      for (let seconds = 0; seconds < hours * HOUR; seconds += PASS) await pass(rig, PASS);
      return rig.looks.length;
    };
    const all = await looksIn(4);
    assert.ok(all >= 4 && all <= 8, `${all} looks in 4 hours`);
    const [busiest] = rig.looks;
    rig.keepers.splice(['a', 'b', 'c'].indexOf(busiest), 1);
    const others = await looksIn(4);
    assert.ok(others >= 3 && others <= 8, `${others} looks in 4 hours`);
    assert.not(rig.looks.includes(busiest));
  }));

test('steps of zones do not wait for parents that do not answer', () =>
  withStore(signedStore, async (store) => {
    const rig = newRig(store);
    const [keeper] = rig.keepers;
    const apexes = Array.from({ length: 40 }, (_, i) => `f${i}.test.`);
    const signed: Domain[] = [];
    for (const apex of apexes) signed.push(await addZone(rig, apex));
    for (const domain of signed) await signAll(rig, domain);
    let answer: (result: LookResult) => void = () => {};
    rig.parent = new Promise((resolve) => {
      answer = resolve;
    });
    const looks = keeper.lookAtParents();
    await keeper.pass();
    rig.now += HOUR;
    await keeper.pass();
    for (const domain of signed) assert.is(phaseOf(rig, domain), 'awaiting_ds');
    answer({ trouble: 'no server answered' });
    await looks;
    for (const domain of signed) assert.is(phaseOf(rig, domain), 'awaiting_ds');
  }));

test('times that a clock which was ahead has noted do not stop a zone', () =>
  withStore(signedStore, async (store) => {
    const rig = newRig(store);
    const domain = await addZone(rig, 'f.test.');
    await signAll(rig, domain);
    rig.now = START + 500 * DAY;
    await pass(rig);
    assert.is(store.reader.dnssecState(domain.id)?.servedSince, START + 500 * DAY);
    rig.now = START;
    await pass(rig);
    assert.is(store.reader.dnssecState(domain.id)?.servedSince, START);
    await pass(rig, HOUR);
    assert.is(phaseOf(rig, domain), 'awaiting_ds');
    rig.now += 500 * DAY;
    await pass(rig);
    rig.now -= 500 * DAY;
    rig.parent = { ...rig.parent, sets: [[dsOf(rig, domain)]], ttl: HOUR } as LookResult;
    await pass(rig);
    assert.is(phaseOf(rig, domain), 'secure');
  }));

test('a parent that does not answer is asked every hour, and the zone stays as it is', () =>
  withStore(signedStore, async (store) => {
    const rig = newRig(store);
    const domain = await addZone(rig, 'c.test.');
    await signAll(rig, domain);
    rig.parent = { trouble: 'no server answered' };
    for (let i = 0; i < 8; i++) await pass(rig, 30 * 60);
    assert.is(phaseOf(rig, domain), 'awaiting_ds');
    assert.is(store.reader.dnssecState(domain.id)?.hasProblem, true);
    assert.ok(rig.looks.length <= 5, String(rig.looks.length));
  }));

test('metrics count zones by state, and the node warns of signatures that expire', () =>
  withStore(signedStore, async (store) => {
    const rig = newRig(store);
    const [keeper] = rig.keepers;
    const registry = new Registry();
    signingMetrics(registry, keeper, { made: 3, hits: 4, faults: new SigningFaults() });
    const domain = await addZone(rig, 'd.test.');
    await signAll(rig, domain);
    await pass(rig);
    const expose = () => registry.expose(selectFormat(undefined));
    assert.match(expose(), /waypost_dnssec_zones\{state="signing"\} 1/);
    assert.match(expose(), /waypost_dnssec_signatures_total\{source="made"\} 3/);
    assert.not.match(expose(), /earliest_expiry_seconds \d/);
    await keeper.findExpiry();
    assert.match(expose(), /waypost_dnssec_earliest_expiry_seconds \d/);
    assert.equal(keeper.warnings(), []);
    rig.now += 16 * DAY;
    assert.equal(keeper.warnings(), ['a DNSSEC signature expires in 5 days: zones are not signed again']);
    await write(store.environment, store.journal, 'test', (draft) =>
      draft.put(dnssec, { ...draft.dnssec(domain.id)!, clock: rig.now }),
    );
    // The next look waits for some times as long as the last one took.
    await untilPasses(async () => {
      await pass(rig, PASS);
      assert.equal(keeper.warnings(), []);
    });
  }));

test('signatures that begin in the future are a warning until the zone is signed again', () =>
  withStore(signedStore, async (store) => {
    const rig = newRig(store);
    const [keeper] = rig.keepers;
    const registry = new Registry();
    signingMetrics(registry, keeper, { made: 0, hits: 0, faults: new SigningFaults() });
    const expose = () => registry.expose(selectFormat(undefined));
    const domain = await addZone(rig, 'e.test.');
    await signAll(rig, domain);
    const setClock = (clock: number) =>
      write(store.environment, store.journal, 'test', (draft) =>
        draft.put(dnssec, { ...draft.dnssec(domain.id)!, clock }),
      );
    await keeper.findExpiry();
    assert.equal(keeper.warnings(), []);
    assert.match(expose(), new RegExp(`waypost_dnssec_latest_inception_seconds ${START - 2 * DAY}\n`));
    await setClock(START + 30 * DAY);
    const expected = 'DNSSEC signatures of 1 zones begin in the future: validating resolvers reject them';
    assert.equal(keeper.warnings(), [expected]);
    await keeper.findExpiry();
    assert.equal(keeper.warnings(), [expected]);
    assert.match(expose(), new RegExp(`waypost_dnssec_latest_inception_seconds ${START + 28 * DAY}\n`));
    assert.match(rig.logged.join(''), /signatures begin in the future.*1 zones, the last until 2027-/);
    await setClock(START - HOUR);
    assert.equal(keeper.warnings(), []);
    assert.match(rig.logged.join(''), /all signatures have begun/);
    await keeper.findExpiry();
    assert.match(expose(), new RegExp(`waypost_dnssec_latest_inception_seconds ${START - HOUR - 2 * DAY}\n`));
  }));

test('a wrong signature is not published, and the state and the log name it', () =>
  withStore(signedStore, async (store) => {
    const rig = newRig(store);
    const [keeper] = rig.keepers;
    const faults: SigningFault[] = [];
    const domain = await addZone(rig, 'e.test.');
    await signAll(rig, domain);
    const before = dump(store.environment, ['answers', 'nsec3']);
    const { signAll: rightly } = SigningKey;
    // A bit of each signature over DNSKEY flips.
    SigningKey.signAll = (inputs) =>
      rightly(inputs).map((signature, i) => {
        if (inputs[i].message[1] === TYPE.DNSKEY) signature[40] ^= 1;
        return signature;
      });
    try {
      const row = store.reader.dnssec(domain.id)!;
      await write(store.environment, store.journal, '1', (draft) =>
        draft.put(dnssec, { ...row, clock: row.clock + 8 * DAY }),
      ).then(
        () => assert.unreachable(),
        (error: Error) => faults.push({ apex: domain.apex, keyTag: 7, reason: error.message }),
      );
    } finally {
      SigningKey.signAll = rightly;
    }
    assert.match(faults[0].reason, /Cannot sign .* a signature was wrong and was not published/);
    assert.equal(dump(store.environment, ['answers', 'nsec3']), before);
    for (let i = 0; i < 3; i++) keeper.noteFault(faults[0]);
    assert.is(rig.logged.filter((line) => /cannot sign a zone domain=e\.test key_tag=7/.test(line)).length, 1);
    await pass(rig);
    const problem = () => adviseOn(readSignedZone(store.reader, domain)!, domain.apex).problem;
    assert.is(problem()?.code, 'signing_failed');
    assert.match(problem()!.message, /The node a could not sign with the key with key tag 7: /);
    assert.is(store.reader.dnssecState(domain.id)?.hasProblem, false);
    await pass(rig, 2 * DAY);
    assert.is(problem(), null);
  }));

test.run();
