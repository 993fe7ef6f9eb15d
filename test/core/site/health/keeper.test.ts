/** Checks of origins: which are due, when states change, and what is written. */
import { setImmediate } from 'node:timers/promises';
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { createLogger } from '../../../../core/base/log/index.ts';
import { PROMETHEUS, Registry } from '../../../../core/base/metrics/index.ts';
import { write } from '../../../../core/journal/draft/draft.ts';
import { HealthKeeper } from '../../../../core/site/health/keeper.ts';
import { completeEntry, type OriginsEntry } from '../../../../core/site/pools/document.ts';
import { type Domain, domains, proxies, siteDocuments } from '../../../../core/store/rows.ts';
import { StoreReader } from '../../../../core/store/store-reader.ts';
import { singleNodeTasks } from '../../../support/tasks.ts';
import { embedded, newDomain, newProxy, type Store, withStore } from '../../journal/fixture.ts';

const CHECK = { interval: 10, rise: 2, fall: 3 };
const entry = (...origins: string[]): OriginsEntry =>
  completeEntry({ pool: origins.map((origin) => ({ origin })), health: CHECK });

interface Rig extends Store {
  readonly keeper: HealthKeeper;
  readonly domain: Domain;
  readonly lines: string[];
  /** Hosts that fail. */
  readonly failing: Set<string>;
  /** The edge has no room for any check. */
  isBusy: boolean;
  readonly metrics: Registry;
  probes: number;
  isChecker: boolean;
  now: number;
  /** The states in the store, as `host up`. */
  states(region?: string): string[];
  /** Lets an interval pass, and the checks run. */
  round(): Promise<void>;
  setDocument(...entries: OriginsEntry[]): Promise<void>;
}

const withKeeper = (use: (rig: Rig) => Promise<void>, region = ''): Promise<void> =>
  withStore(embedded, async (store) => {
    const { environment, journal } = store;
    const domain = newDomain('site.test.');
    await write(environment, journal, 'test', (draft) => {
      draft.put(domains, domain);
      draft.put(proxies, newProxy(domain));
    });
    const metrics = new Registry();
    const lines: string[] = [];
    let revision = 0;
    const rig: Rig = {
      ...store,
      ...{ domain, lines, failing: new Set<string>(), metrics, isBusy: false, probes: 0, isChecker: true, now: 0 },
      keeper: undefined as never,
      states: (of = region) =>
        (new StoreReader(environment).originHealth(domain.id, of)?.origins ?? []).map(
          ({ key, isUp }) => `${key.split(/[/:]+/)[1]} ${isUp ? 'up' : 'down'}`,
        ),
      async round() {
        // Reads what has changed; its checks are due later.
        const run = (): void => (rig.isChecker ? rig.keeper.tick() : rig.keeper.release());
        run();
        rig.now += 11_000;
        run();
        await rig.keeper.settled();
      },
      async setDocument(...origins) {
        revision++;
        const row = { domainId: domain.id, kind: 'origins' as const, revision, updatedAt: 0, content: { origins } };
        await write(environment, journal, 'test', (draft) => draft.put(siteDocuments, row));
      },
    };
    const keeper = newKeeper(rig, metrics, region);
    Object.assign(rig, { keeper });
    try {
      await use(rig);
    } finally {
      await rig.keeper.stop();
    }
  });

function newKeeper(rig: Rig, metrics: Registry, region: string): HealthKeeper {
  return new HealthKeeper({
    ...{ environment: rig.environment, journal: rig.journal, metrics, region },
    log: createLogger({ level: 'info', format: 'text', write: (line) => rig.lines.push(line) }),
    tasks: singleNodeTasks(),
    now: () => rig.now,
    async probe({ origin, domain }) {
      assert.is(domain, 'site.test');
      rig.probes++;
      if (rig.isBusy) return { kind: 'busy' };
      return rig.failing.has(origin.origin)
        ? { kind: 'failure', reason: 'It refused the connection.' }
        : { kind: 'success' };
    },
  });
}

test('writes changed states only, after `fall` and `rise` results', () =>
  withKeeper(async (rig) => {
    await rig.setDocument(entry('a.example.net', 'b.example.net'));
    await rig.round();
    assert.equal(rig.states(), ['a.example.net up', 'b.example.net up']);
    const head = rig.journal.head;
    await rig.round();
    assert.is(rig.journal.head, head, 'nothing has changed');
    assert.is(rig.probes, 4);
    rig.failing.add('b.example.net');
    await rig.round();
    await rig.round();
    assert.is(rig.journal.head, head);
    await rig.round();
    assert.is(rig.journal.head, head + 1);
    assert.equal(rig.states(), ['a.example.net up', 'b.example.net down']);
    assert.match(rig.lines.join(''), /origin is down.*domain=site\.test.*origin=b\.example\.net/);
    rig.failing.clear();
    await rig.round();
    assert.equal(rig.states(), ['a.example.net up', 'b.example.net down']);
    await rig.round();
    assert.equal(rig.states(), ['a.example.net up', 'b.example.net up']);
    assert.match(rig.lines.join(''), /origin is up again/);
  }));

test('silent origins of one account delay no checks of others, which begin in order of lateness', () =>
  withStore(embedded, async ({ environment, journal }) => {
    const sites = [
      ...Array.from({ length: 30 }, (_, i) => ({ apex: `silent${i}.test.`, accountId: 1 })),
      { apex: 'tenant.test.', accountId: 2 },
    ];
    await write(environment, journal, 'test', (draft) => {
      for (const { apex, accountId } of sites) {
        const domain: Domain = { ...newDomain(apex), accountId };
        const origins = Array.from({ length: 10 }, (_, i) => `origin${i}.example.net`);
        const content = { origins: [entry(...(accountId === 1 ? origins : origins.slice(0, 1)))] };
        draft.put(domains, domain);
        draft.put(proxies, newProxy(domain));
        draft.put(siteDocuments, { domainId: domain.id, kind: 'origins', revision: 1, updatedAt: 0, content });
      }
    });
    let now = 0;
    const begun: { readonly account: string; end(): void }[] = [];
    const keeper = new HealthKeeper({
      ...{ environment, journal, metrics: new Registry(), region: '', tasks: singleNodeTasks(), now: () => now },
      log: createLogger({ level: 'error', format: 'text', write: () => {} }),
      probe: ({ account }) =>
        new Promise((resolve) => begun.push({ account, end: () => resolve({ kind: 'success' }) })),
    });
    const of = (account: string): typeof begun => begun.filter((probe) => probe.account === account);
    keeper.tick();
    now += 1000;
    keeper.tick();
    assert.equal([of('1').length, of('2').length], [128, 1]);
    // Its interval has passed again, while nothing of the other account has ended.
    of('2')[0].end();
    await setImmediate();
    now += 10_000;
    keeper.tick();
    assert.equal([of('1').length, of('2').length], [128, 2]);
    // A slot of the first account goes to the next of its own.
    of('1')[0].end();
    await setImmediate();
    assert.equal([of('1').length, of('2').length], [129, 2]);
    await keeper.stop();
    for (const { end } of begun) end();
  }));

test('a check without a free connection does not count', () =>
  withKeeper(async (rig) => {
    await rig.setDocument(entry('a.example.net'));
    const rounds = async (count: number, isBusy: boolean): Promise<string> => {
      rig.isBusy = isBusy;
      for (let i = 0; i < count; i++) await rig.round();
      return rig.states().join();
    };
    assert.is(await rounds(5, true), '', 'not known');
    assert.is(await rounds(1, false), 'a.example.net up');
    rig.failing.add('a.example.net');
    assert.is(await rounds(2, false), 'a.example.net up');
    assert.is(await rounds(5, true), 'a.example.net up', 'it does not count as a failure');
    assert.is(await rounds(1, false), 'a.example.net down', 'nor ended it the failures in a row');
    rig.failing.clear();
    await rounds(1, false);
    assert.is(await rounds(5, true), 'a.example.net down', 'it does not count as a success');
    assert.is(await rounds(1, false), 'a.example.net up');
    assert.match(rig.metrics.expose(PROMETHEUS), /waypost_origin_checks_total\{result="busy"\} 15/);
  }));

test('follows the document, and keeps the states of origins that stay', () =>
  withKeeper(async (rig) => {
    rig.failing.add('a.example.net');
    await rig.setDocument(entry('a.example.net', 'b.example.net'));
    for (let i = 0; i < 3; i++) await rig.round();
    assert.equal(rig.states(), ['b.example.net up', 'a.example.net down'].sort());
    await rig.setDocument(entry('a.example.net', 'c.example.net'));
    await rig.round();
    assert.equal(rig.states(), ['a.example.net down', 'c.example.net up']);
    const { probes } = rig;
    await rig.setDocument({ ...entry('a.example.net'), health: null });
    await rig.round();
    assert.is(rig.probes, probes, 'nothing is checked any more');
  }));

test('another node goes on with the states that it finds', () =>
  withKeeper(async (rig) => {
    rig.failing.add('a.example.net');
    await rig.setDocument(entry('a.example.net'));
    for (let i = 0; i < 3; i++) await rig.round();
    rig.isChecker = false;
    const { probes } = rig;
    await rig.round();
    assert.is(rig.probes, probes, 'it is not this node that checks');
    rig.isChecker = true;
    rig.failing.clear();
    await rig.round();
    assert.equal(rig.states(), ['a.example.net down'], 'one success is not enough');
    await rig.round();
    assert.equal(rig.states(), ['a.example.net up']);
  }));

test('the results of a region are its own', () =>
  withKeeper(async (rig) => {
    await rig.setDocument(entry('a.example.net'));
    await rig.round();
    assert.equal([rig.states('eu'), rig.states('')], [['a.example.net up'], []]);
  }, 'eu'));

test('a domain whose proxy is off is not checked', () =>
  withKeeper(async (rig) => {
    await rig.setDocument(entry('a.example.net'));
    await write(rig.environment, rig.journal, 'test', (draft) => draft.put(proxies, newProxy(rig.domain, false)));
    await rig.round();
    assert.is(rig.probes, 0);
  }));

test.run();
