/**
 * Which serials change with the configuration: those of zones that secondaries must transfer again,
 * once.
 */

import { setTimeout as sleep } from 'node:timers/promises';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { UnavailableError } from '../../../../core/base/errors.ts';
import { createLogger } from '../../../../core/base/log/index.ts';
import { parseName } from '../../../../core/dns/wire/name.ts';
import { TYPE } from '../../../../core/dns/wire/types.ts';
import { write } from '../../../../core/journal/draft/draft.ts';
import type { Journal } from '../../../../core/journal/journal.ts';
import { rebuildAnswers } from '../../../../core/journal/upkeep/rebuild.ts';
import { startRenumbering } from '../../../../core/journal/upkeep/renumber.ts';
import { type Domain, domains, proxies, records } from '../../../../core/store/rows.ts';
import { isAfter } from '../../../../core/zone/compile/serial.ts';
import type { ZoneSettings } from '../../../../core/zone/compile/settings.ts';
import { singleNodeTasks } from '../../../support/tasks.ts';
import {
  addressRecord,
  DEFAULTS,
  embedded,
  newDomain,
  newProxy,
  newRecord,
  type Store,
  withStore,
} from '../fixture.ts';

const test = suite('serials by the configuration');
const KEPT = { serial: 5, mname: 'n.test.', rname: 'h.test.', refresh: 1, retry: 2, expire: 3, minimum: 4, ttl: 99 };
const ELSEWHERE = { ...DEFAULTS, cluster: { ipv4: ['192.0.2.81'], ipv6: [] } };
const OTHER_NS = { ...DEFAULTS, nameservers: [...DEFAULTS.nameservers, 'ns9.elsewhere.test.'] };

/** Zones by the settings that they serve. */
const ZONES: Record<string, Domain> = {
  plain: newDomain('plain.test.'),
  proxied: newDomain('proxied.test.'),
  off: newDomain('off.test.'),
  keptSoa: { ...newDomain('kept-soa.test.'), kept: KEPT },
  keptAll: { ...newDomain('kept-all.test.'), kept: KEPT },
};

const STRICT = createLogger({ level: 'warn', format: 'text', write: (line) => assert.unreachable(line) });

const renumbered = async ({ environment, journal }: Store, settings: ZoneSettings): Promise<void> =>
  startRenumbering({ environment, journal, settings, tasks: singleNodeTasks(), log: STRICT }).done;

async function withZones(work: (store: Store, raised: (to: ZoneSettings) => Promise<string[]>) => Promise<void>) {
  await withStore(embedded, async (store) => {
    const { environment, journal, reader } = store;
    await rebuildAnswers(environment, DEFAULTS);
    environment.root.resetReadTxn();
    await write(environment, journal, 'test', (draft) => {
      for (const domain of Object.values(ZONES)) {
        draft.put(domains, domain);
        draft.put(records, addressRecord(domain, 'www'));
      }
      draft.put(records, newRecord(ZONES.keptAll, '@', TYPE.NS, parseName('ns.own.test.')));
      draft.put(proxies, newProxy(ZONES.proxied));
      draft.put(proxies, { ...newProxy(ZONES.off), enabled: false });
    });
    const states = () => Object.values(ZONES).map(({ id }) => reader.zoneState(id));
    await work(store, async (to) => {
      const before = states();
      await rebuildAnswers(environment, to);
      await renumbered(store, to);
      environment.root.resetReadTxn();
      const after = states();
      return Object.keys(ZONES).filter((_, i) => {
        assert.equal({ ...after[i], serial: 0 }, { ...before[i], serial: 0 }, 'only the serial changes');
        const isSame = after[i].serial === before[i].serial;
        assert.ok(isSame || isAfter(after[i].serial, before[i].serial), 'the serial never decreases');
        return !isSame;
      });
    });
  });
}

test('the serial changes if the zone serves a changed setting', () =>
  withZones(async (_, raised) => {
    assert.equal(await raised(DEFAULTS), []);
    assert.equal(await raised(ELSEWHERE), ['proxied'], 'addresses of the cluster');
    assert.equal(await raised(ELSEWHERE), []);
    assert.equal(await raised(DEFAULTS), ['proxied'], 'and back');
    assert.equal(await raised({ ...DEFAULTS, expire: 77 }), ['plain', 'proxied', 'off'], 'SOA');
    assert.equal(await raised(DEFAULTS), ['plain', 'proxied', 'off']);
    assert.equal(await raised(OTHER_NS), ['plain', 'proxied', 'off', 'keptSoa'], 'NS');
    assert.equal(await raised({ ...OTHER_NS, nsTtl: 7 }), ['plain', 'proxied', 'off', 'keptSoa'], 'TTL of NS');
  }));

test('an interrupted rebuild neither raises nor loses a serial', () =>
  withZones(async ({ environment }, raised) => {
    const stop = (): never => {
      throw new Error('interrupted');
    };
    const before = await raised(DEFAULTS);
    assert.equal(before, []);
    await rebuildAnswers(environment, ELSEWHERE, stop).then(
      () => assert.unreachable(),
      () => {},
    );
    environment.root.resetReadTxn();
    assert.equal(await raised(ELSEWHERE), ['proxied']);
    assert.equal(await raised(ELSEWHERE), []);
    await rebuildAnswers(environment, DEFAULTS, stop).catch(() => {});
    environment.root.resetReadTxn();
    assert.equal(await raised(OTHER_NS), ['plain', 'proxied', 'off', 'keptSoa']);
  }));

test('a store without the settings of its serials uses the settings of its answers', () =>
  withZones(async ({ environment }, raised) => {
    await raised(DEFAULTS);
    await environment.root.transaction(() => environment.meta.remove(Buffer.from('served with')));
    environment.root.resetReadTxn();
    assert.equal(await raised(ELSEWHERE), ['proxied']);
  }));

test('it reports an error and waits while writes fail; a stop during that leaves it to the next start', () =>
  withZones(async (store, raised) => {
    const { environment, journal } = store;
    let isOff = true;
    const commit: Journal['commit'] = (request) =>
      isOff ? Promise.reject(new UnavailableError('no_quorum', 'Not now.')) : journal.commit(request);
    const halting: Journal = new Proxy(journal, {
      get: (target, key) => (key === 'commit' ? commit : Reflect.get(target, key, target)),
    });
    const lines: string[] = [];
    const log = createLogger({ level: 'info', format: 'text', write: (line) => void lines.push(line) });
    const start = () =>
      startRenumbering({ environment, journal: halting, settings: ELSEWHERE, tasks: singleNodeTasks(), log });
    const { head } = journal;
    const first = start();
    while (lines.length === 0) await sleep(5);
    assert.match(lines[0], /serials cannot be raised for the changed settings.*Not now\./);
    await first.stop();
    const second = start();
    while (lines.length === 1) await sleep(5);
    isOff = false;
    while (lines.length === 2) await sleep(5);
    await second.done;
    assert.match(lines[2], /serials are raised again/);
    await second.stop();
    assert.is(journal.head, head + 1);
    environment.root.resetReadTxn();
    assert.equal(await raised(ELSEWHERE), []);
  }));

test('a transfer to a secondary contains the new serial', () =>
  withZones(async ({ environment, reader }, raised) => {
    await raised(ELSEWHERE);
    const serial = Buffer.alloc(4);
    serial.writeUInt32BE(reader.zoneState(ZONES.proxied.id).serial);
    const answers = [...environment.answers.getRange({})].filter(({ value }) => value.includes(serial));
    assert.ok(answers.some(({ value }) => value.includes(Buffer.from(ZONES.proxied.apex))));
  }));

test.run();
