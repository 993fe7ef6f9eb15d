/**
 * Zones are signed, signed by other keys and unsigned in pieces, while their records change. At any
 * moment the answers and the NSEC3 records equal, byte for byte, those of a rebuild from the rows.
 */
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { parseName } from '../../../../core/dns/wire/name.ts';
import { TYPE } from '../../../../core/dns/wire/types.ts';
import { write } from '../../../../core/journal/draft/draft.ts';
import { Pieces } from '../../../../core/journal/signing/pieces.ts';
import { nextPiece, startResigning, startSigning, startUnsigning } from '../../../../core/journal/signing/progress.ts';
import { buildIndex } from '../../../../core/store/index/build.ts';
import { type DnssecRow, dnssec, domains, proxies, records } from '../../../../core/store/rows.ts';
import { ourWorldDraft } from '../../../reference/generate.ts';
import { WorldRows } from '../../../reference/rows.ts';
import { WorldSteps } from '../../../reference/steps.ts';
import { depth } from '../../../support/depth.ts';
import fc from '../../../support/fc.ts';
import { Random } from '../../../support/random.ts';
import { SEED } from '../../../support/seed.ts';
import { until } from '../../../support/until.ts';
import { addressRecord, dump, newDomain, newProxy, queryPath, type Store, withStore } from '../fixture.ts';
import { checkQueries, checkRebuilt, newKey, newRow, parts, rowOf, signedStore, takeStep } from './rig.ts';

const WORLDS = depth({ quick: 1, moderate: 3, full: 150 });
/** Worlds in reserve: in a few of them nothing is signed. */
const RESERVE = 20;
const STEPS = 25;
/** Steps between two starts, each of which starts threads. */
const START_EVERY = depth({ quick: STEPS, moderate: STEPS, full: 8 });
/** A start gives the same answers, with one thread and with several. */
async function checkLoaded(store: Store, label: string): Promise<void> {
  const { environment, folder } = store;
  const before = queryPath(store);
  for (const namesPerThread of [1000, 20]) {
    const index = await buildIndex(environment, folder, 4 << 20, namesPerThread);
    const after = queryPath({ ...store, index });
    const found: string[][] = [[], []];
    [before, after].forEach(({ answer }, i) => {
      checkQueries(
        store,
        (packet, limit) => {
          const response = answer(packet, limit);
          found[i].push(Buffer.from(response!).toString('hex'));
          return response;
        },
        label,
      );
    });
    assert.equal(found[1], found[0], label);
    await after.close();
  }
  await before.close();
}

test(`changes of signed zones leave the same data as a rebuild, seed ${SEED}`, () =>
  withStore(signedStore, async (store) => {
    const random = new Random(SEED);
    const { answer, close } = queryPath(store);
    let proofs = 0;
    for (const [w, draft] of fc.sample(ourWorldDraft, { numRuns: WORLDS + RESERVE, seed: SEED }).entries()) {
      if (w >= WORLDS && proofs > 0) break;
      const steps = new WorldSteps(draft, parseName(`w${w}.test.`), random);
      const rows = new WorldRows(
        () => null,
        () => 1,
      );
      for (let step = 0; step < STEPS; step++) {
        await takeStep(store, rows, steps.next(false), random);
        const label = `seed ${SEED}, world ${w}, step ${step}`;
        proofs += checkQueries(store, answer, label);
        await checkRebuilt(store, label);
        if (step % START_EVERY === START_EVERY - 1) await checkLoaded(store, label);
      }
    }
    assert.ok(proofs > 0);
    await close();
  }));

test('a zone is signed, signed by another key and unsigned in pieces, and a stop is continued', () =>
  withStore(signedStore, async (store) => {
    const { environment, journal } = store;
    const domain = newDomain('zone.test.');
    await write(environment, journal, 'test', (draft) => {
      draft.put(domains, domain);
      for (let i = 0; i < 900; i++) draft.put(records, addressRecord(domain, `host${i}.below${i % 7}`));
    });
    const plain = dump(environment, ['answers']).length;
    const run = async (item: DnssecRow): Promise<number> => {
      const first = new Pieces({ environment, journal, isAlone: true, ...parts() });
      first.start();
      await write(environment, journal, 'test', (draft) => draft.put(dnssec, item));
      await until(() => first.written > 1);
      await first.stop();
      assert.ok(rowOf(store, domain)?.progress !== undefined, 'it was too fast to be stopped');
      const second = new Pieces({ environment, journal, isAlone: true, ...parts() });
      second.start();
      await until(() => rowOf(store, domain)?.progress === undefined);
      await second.stop();
      await checkRebuilt(store, JSON.stringify(item.progress));
      return first.written + second.written;
    };
    assert.ok((await run(startSigning(newRow(store, domain)))) >= 5);
    const row = rowOf(store, domain)!;
    const old = row.keys.map((key) => ({ ...key, use: 'publish' as const }));
    await run(startResigning(row, { ...row, keys: [...old, newKey(store, domain, 2)] }));
    await run(startUnsigning(rowOf(store, domain)!));
    assert.is(rowOf(store, domain), undefined);
    assert.is(dump(environment, ['answers']).length, plain);
    assert.equal(dump(environment, ['nsec3']), []);
  }));

test('the DS of a nested zone of ours is unsigned until the piece with its name', () =>
  withStore(signedStore, async (store) => {
    const { environment, journal } = store;
    const [parent, nested] = [newDomain('zone.test.'), newDomain('nested.zone.test.')];
    await write(environment, journal, 'test', (draft) => {
      draft.put(domains, parent);
      draft.put(domains, nested);
      draft.put(records, { ...addressRecord(parent, 'nested'), type: TYPE.DS, rdata: Buffer.alloc(36, 1) });
      draft.put(dnssec, newRow(store, nested));
    });
    await write(environment, journal, 'test', (draft) => draft.put(dnssec, startSigning(newRow(store, parent))));
    await checkRebuilt(store, 'begun');
    for (let row = rowOf(store, parent)!; row.progress !== undefined; row = rowOf(store, parent)!) {
      const next = nextPiece(environment, parent.apex, row, { listed: 1, signed: 1 })!;
      await write(environment, journal, 'test', (draft) => draft.put(dnssec, next));
      await checkRebuilt(store, JSON.stringify(next.progress));
    }
  }));

test('the proxy of a large signed zone is turned on and off, with other writes in the same group', () =>
  withStore(signedStore, async (store) => {
    const { environment, journal } = store;
    const domain = newDomain('zone.test.');
    await write(environment, journal, 'test', (draft) => {
      draft.put(domains, domain);
      for (let i = 0; i < 2100; i++) draft.put(records, addressRecord(domain, `host${i}`));
    });
    await write(environment, journal, 'test', (draft) => draft.put(dnssec, newRow(store, domain)));
    for (const isOn of [true, false]) {
      let turns = 0;
      const turning = setInterval(() => turns++, 1);
      await Promise.all([
        write(environment, journal, 'test', (draft) => draft.put(proxies, newProxy(domain, isOn))),
        write(environment, journal, 'test', (draft) => draft.put(records, addressRecord(domain, `new-${isOn}`))),
      ]);
      clearInterval(turning);
      assert.ok(turns > 3, `other work had ${turns} turns`);
      await checkRebuilt(store, `proxy ${isOn}`);
    }
  }));

test.run();
