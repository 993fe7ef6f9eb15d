/** The signing clocks of stored zones advance by entries. */
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { PROMETHEUS, Registry } from '../../../../core/base/metrics/index.ts';
import { Tasks } from '../../../../core/base/tasks.ts';
import { validityOf } from '../../../../core/dns/dnssec/lifetime.ts';
import { write } from '../../../../core/journal/draft/draft.ts';
import { ClockTask } from '../../../../core/journal/signing/clock-task.ts';
import { Pieces } from '../../../../core/journal/signing/pieces.ts';
import { dnssec, domains, records } from '../../../../core/store/rows.ts';
import { datedClock } from '../../../support/tasks.ts';
import { until } from '../../../support/until.ts';
import { addressRecord, newDomain, withStore } from '../fixture.ts';
import { CLOCK, checkRebuilt, DAY, newRow, parts, rowOf, signedStore } from './rig.ts';

const HOUR = 3600;

test('the clock follows the time, in steps; the serial rises, the revision does not', () =>
  withStore(signedStore, async (store) => {
    const { environment, journal, reader } = store;
    const zones = Array.from({ length: 12 }, (_, i) => newDomain(`zone${i}.test.`));
    for (const zone of zones)
      await write(environment, journal, 'test', (draft) => {
        draft.put(domains, zone);
        for (let i = 0; i < 10; i++) draft.put(records, addressRecord(zone, `host${i}`));
        draft.put(dnssec, newRow(store, zone));
      });
    let now = CLOCK + HOUR;
    // Two nodes do no harm.
    const options = { environment, journal, isAlone: false, now: () => now * 1000 };
    const tasks = [new ClockTask({ ...options, ...parts() }), new ClockTask({ ...options, ...parts() })];
    const before = zones.map(({ id }) => reader.zoneState(id));
    const head = journal.head;
    for (const end = now + 3 * DAY; now < end; now += 2 * HOUR) {
      await Promise.all(tasks.map((task) => task.pass()));
      for (const zone of zones) {
        const { clock } = rowOf(store, zone)!;
        assert.ok(clock <= now - HOUR && clock > now - 16 * HOUR, `${(now - clock) / HOUR} hours`);
      }
    }
    zones.forEach(({ id }, i) => {
      const after = reader.zoneState(id);
      assert.ok(after.serial > before[i].serial);
      assert.is(after.revision, before[i].revision);
    });
    assert.ok(journal.head - head < 3 * 12 * 3, `${journal.head - head} entries`);
    await checkRebuilt(store, 'clocks');
    const pieces = new Pieces({ environment, journal, isAlone: true, ...parts() });
    pieces.start();
    const [large] = zones;
    await write(environment, journal, 'test', (draft) => {
      for (let i = 0; i < 300; i++) draft.put(records, addressRecord(large, `more${i}`));
    });
    now += 20 * DAY;
    while (await tasks[0].pass());
    await until(() => rowOf(store, large)?.progress === undefined);
    for (const zone of zones) {
      const { clock } = rowOf(store, zone)!;
      assert.ok(clock > now - 4 * HOUR);
      assert.ok(validityOf(clock, 0).expiration > now + 20 * DAY);
    }
    await pieces.stop();
    await Promise.all(tasks.map((task) => task.stop()));
    await checkRebuilt(store, 'after 20 days');
  }));

test('clocks advance soon after the machine was suspended', () =>
  withStore(signedStore, async (store) => {
    const { environment, journal } = store;
    const zone = newDomain('zone.test.');
    await write(environment, journal, 'test', (draft) => {
      draft.put(domains, zone);
      draft.put(dnssec, newRow(store, zone));
    });
    let now = CLOCK;
    const date = (): number => now * 1000;
    const task = new ClockTask({ environment, journal, isAlone: true, ...parts(date), now: date });
    task.start();
    now += DAY;
    await until(() => rowOf(store, zone)!.clock > CLOCK, 'the first step');
    now += DAY;
    await until(() => rowOf(store, zone)!.clock > CLOCK + DAY, 'the second step');
    await task.stop();
  }));

test('a clock that was set forward while a zone is signed in pieces advances after them', () =>
  withStore(signedStore, async (store) => {
    const { environment, journal } = store;
    const zone = newDomain('zone.test.');
    await write(environment, journal, 'test', (draft) => {
      draft.put(domains, zone);
      for (let i = 0; i < 300; i++) draft.put(records, addressRecord(zone, `host${i}`));
      draft.put(dnssec, newRow(store, zone));
    });
    let now = CLOCK;
    const date = (): number => now * 1000;
    const metrics = new Registry();
    const { log } = parts();
    const tasks = new Tasks({ metrics, clock: datedClock(date) });
    const task = new ClockTask({ environment, journal, isAlone: true, tasks, log, now: date });
    const runs = (): number => Number(/result="success"} (\d+)/.exec(metrics.expose(PROMETHEUS))?.[1]);
    task.start();
    now += 12 * DAY;
    await until(() => rowOf(store, zone)!.progress !== undefined, 'signed in pieces');
    // The clock is set twice: the run that ends first may have begun before. Each brings another.
    for (const time of ['first', 'second']) {
      const before = runs();
      now += 4 * DAY;
      await until(() => runs() > before, `a pass after the ${time} time`);
    }
    assert.ok(rowOf(store, zone)!.clock < CLOCK + 12 * DAY);
    const pieces = new Pieces({ environment, journal, isAlone: true, ...parts() });
    pieces.start();
    await until(() => rowOf(store, zone)!.clock > now - DAY, 'the clock is that of the time');
    await Promise.all([task.stop(), pieces.stop()]);
  }));

test('zones that a clock ahead has signed are signed again at once, large ones in pieces', () =>
  withStore(signedStore, async (store) => {
    const { environment, journal } = store;
    const zones = ['small.test.', 'large.test.'].map((apex) => newDomain(apex));
    const setClock = (clock: number) =>
      write(environment, journal, 'test', (draft) => {
        for (const zone of zones) draft.put(dnssec, { ...draft.dnssec(zone.id)!, clock });
      });
    await write(environment, journal, 'test', (draft) => {
      for (const zone of zones) {
        draft.put(domains, zone);
        draft.put(dnssec, newRow(store, zone));
      }
      for (let i = 0; i < 300; i++) draft.put(records, addressRecord(zones[1], `host${i}`));
    });
    let now = CLOCK + HOUR;
    const areRight = () =>
      zones.every((zone) => {
        const { clock, progress } = rowOf(store, zone)!;
        return progress === undefined && clock <= now - HOUR && clock > now - 4 * HOUR;
      });
    const pieces = new Pieces({ environment, journal, isAlone: true, ...parts() });
    pieces.start();
    const date = (): number => now * 1000;
    const task = new ClockTask({ environment, journal, isAlone: true, ...parts(date), now: date });
    await setClock(now + 500 * DAY);
    task.start();
    // Ends the pause before the first pass.
    now += HOUR / 10;
    // Of an earlier version, found at the start; then of another node, while the task waits.
    await until(areRight, 'the first pass');
    await checkRebuilt(store, 'after the first pass');
    await setClock(now + 3 * DAY);
    await until(areRight, 'the second pass');
    await Promise.all([task.stop(), pieces.stop()]);
    for (const zone of zones) {
      const { clock } = rowOf(store, zone)!;
      for (const hash of [0, 2 ** 31, 2 ** 32 - 1]) {
        const { inception, expiration } = validityOf(clock, hash);
        assert.ok(inception < now - DAY && expiration > now + 20 * DAY);
      }
    }
    await checkRebuilt(store, 'after the second pass');
  }));

test.run();
