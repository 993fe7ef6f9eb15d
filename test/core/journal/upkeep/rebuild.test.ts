/**
 * The derived data after commits equals, byte for byte, a rebuild from the rows: answers, targets,
 * counts. Generated zones are added, deleted and changed, in one commit or in several that share a
 * transaction.
 */

import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { isWithin, nameAt, parseName, ROOT } from '../../../../core/dns/wire/name.ts';
import { CLASS_IN, TYPE } from '../../../../core/dns/wire/types.ts';
import { write } from '../../../../core/journal/draft/draft.ts';
import { ChangeWriter } from '../../../../core/journal/entry-codec.ts';
import { answersAreCurrent, rebuildAnswers } from '../../../../core/journal/upkeep/rebuild.ts';
import { targetKey } from '../../../../core/store/keys.ts';
import { domains, type ProxyConfig, proxies, records } from '../../../../core/store/rows.ts';
import { apexSets } from '../../../../core/zone/compile/apex.ts';
import { compileZone } from '../../../../core/zone/compile/bulk.ts';
import { MemoryZone } from '../../../../core/zone/compile/memory.ts';
import { TCP_LIMIT } from '../../../reference/compare.ts';
import { ourWorldDraft } from '../../../reference/generate.ts';
import { putChanges, WorldRows } from '../../../reference/rows.ts';
import { WorldSteps } from '../../../reference/steps.ts';
import { depth } from '../../../support/depth.ts';
import fc from '../../../support/fc.ts';
import { newId } from '../../../support/ids.ts';
import { decodeMessage, encodeQuery } from '../../../support/message.ts';
import { Random } from '../../../support/random.ts';
import { SEED } from '../../../support/seed.ts';
import {
  addressRecord,
  DEFAULTS,
  dump,
  embedded,
  newDomain,
  newProxy,
  newRecord,
  queryPath,
  type Store,
  withStore,
} from '../fixture.ts';

const STEPS = depth({ quick: 60, moderate: 150, full: 1000 });
/** Steps per generated world. */
const WORLD_STEPS = 12;

const KEPT = {
  serial: 5,
  mname: 'ns.test.',
  rname: 'h.test.',
  refresh: 1,
  retry: 2,
  expire: 3,
  minimum: 4,
  ttl: 99,
};

async function checkRebuilt(store: Store, label: string): Promise<void> {
  const { environment, index } = store;
  const before = dump(environment, ['answers']);
  const usage = dump(environment, ['usage', 'zones', 'orders']);
  const aliases = dump(environment, ['aliases']);
  const sites = dump(environment, ['sites']);
  const targets = dump(environment, ['targets']);
  const { answers } = await rebuildAnswers(environment, DEFAULTS);
  const after = new Set(dump(environment, ['answers']));
  const previous = new Set(before);
  const stale = before.filter((node) => !after.has(node));
  const missing = [...after].filter((node) => !previous.has(node));
  assert.equal({ stale, missing }, { stale: [], missing: [] }, label);
  assert.equal(dump(environment, ['usage', 'zones', 'orders']), usage, `${label}: usage`);
  assert.equal(dump(environment, ['aliases']), aliases, `${label}: aliases`);
  assert.equal(dump(environment, ['sites']), sites, `${label}: sites`);
  assert.equal(dump(environment, ['targets']), targets, `${label}: targets`);
  assert.is(answers, before.length);
  assert.is(index.stats.names, before.length, `${label}: names in the index`);
}

/** The offset of the target in the rdata of the types that have one. */
const TARGET_AT: ReadonlyMap<number, number> = new Map([
  [TYPE.CNAME, 0],
  [TYPE.DNAME, 0],
  [TYPE.NS, 0],
  [TYPE.MX, 2],
  [TYPE.SRV, 6],
  [TYPE.SVCB, 2],
  [TYPE.HTTPS, 2],
]);

/** Checks that targets, counts and lookups follow from the rows. */
function checkDerived({ environment, reader }: Store, label: string): void {
  const targets: string[] = [];
  const usage = new Map<number, { domains: number; records: number }>();
  for (const domain of reader.allDomains(null)) {
    const rows = reader.recordsOf(domain.id, null);
    assert.is(reader.zoneState(domain.id).recordCount, rows.length, `${label}: count`);
    const used = usage.get(domain.accountId) ?? { domains: 0, records: 0 };
    usage.set(domain.accountId, { domains: used.domains + 1, records: used.records + rows.length });
    for (const row of rows) {
      const at = TARGET_AT.get(row.type);
      assert.is(reader.record(row.id)?.type, row.type, `${label}: lookup`);
      if (at === undefined || !isWithin(nameAt(row.rdata, at), domain.apex)) continue;
      targets.push(`targets ${targetKey(nameAt(row.rdata, at), records.key(row)).toString('hex')} `);
    }
  }
  assert.equal(dump(environment, ['targets']), targets.sort(), `${label}: targets`);
  for (const [accountId, used] of usage) {
    const { bytes: _, audit: _audit, ...counts } = reader.usage(accountId);
    assert.equal(counts, used, `${label}: usage`);
  }
  assert.is(dump(environment, ['usage']).length, usage.size, `${label}: accounts with usage`);
}

test(`${STEPS} steps leave the same data as a rebuild, seed ${SEED}`, () =>
  withStore(embedded, async (store) => {
    const { environment, journal, reader } = store;
    const random = new Random(SEED);
    const drafts = fc.sample(ourWorldDraft, { numRuns: Math.ceil(STEPS / WORLD_STEPS), seed: SEED });
    const owners = [newId(), newId(), newId()];
    for (const [w, draft] of drafts.entries()) {
      const steps = new WorldSteps(draft, parseName(`w${w}.test.`), random);
      const rows = new WorldRows(
        () => (random.below(2) === 0 ? KEPT : null),
        () => random.pick(owners),
      );
      for (let step = 0; step < WORLD_STEPS; step++) {
        const world = steps.next(false);
        const anew = random.below(8) === 0 && world.zones.size > 0 ? random.pick([...world.zones.keys()]) : undefined;
        const before = [...rows.domains.values()].map(({ id }) => ({ id, state: reader.zoneState(id) }));
        const { newRecords, newProxies, ...first } = rows.changeTo(world, anew);
        await write(environment, journal, 'test', (d) => putChanges(d, { ...first, newRecords: [], newProxies: [] }));
        // The records are in up to three commits of one group, the proxies in one of them.
        const parts = 1 + random.below(3);
        const proxiesIn = random.below(parts);
        await Promise.all(
          Array.from({ length: parts }, (_, part) =>
            write(environment, journal, 'test', (d) => {
              if (part === proxiesIn) for (const proxy of newProxies) d.put(proxies, proxy);
              for (const [i, row] of newRecords.entries()) if (i % parts === part) d.put(records, row);
            }),
          ),
        );
        const label = `seed ${SEED}, world ${w}, step ${step}`;
        checkDerived(store, label);
        await checkRebuilt(store, label);
        const gone = new Set(first.goneDomains.map(({ id }) => id));
        for (const { id, state } of before.filter((domain) => !gone.has(domain.id))) {
          const after = reader.zoneState(id);
          assert.ok(
            // Addresses of a target change the answers, but no row of an account.
            after.revision === state.revision ? after.serial >= state.serial : after.serial > state.serial,
            label,
          );
          assert.ok(after.revision <= journal.head);
        }
      }
      // Keeps the compared data small.
      await write(environment, journal, 'test', (d) =>
        putChanges(d, rows.changeTo({ origin: ROOT, zones: new Map() })),
      );
    }
  }));

test('precompiled nodes equal those of a rebuild, whatever else the group changes', () =>
  withStore(embedded, async (store) => {
    const { environment, journal, reader } = store;
    const domain = newDomain('zone.test.');
    await write(environment, journal, 'test', (draft) => {
      draft.put(domains, domain);
      for (let i = 0; i < 20; i++) draft.put(records, addressRecord(domain, `old${i}`, i));
    });
    const replacement = (count: number) => {
      const rows = Array.from({ length: count }, (_, i) => addressRecord(domain, `new${i}.below`, i % 250));
      rows.push(newRecord(domain, 'alias', TYPE.CNAME, parseName('new1.below.zone.test.')));
      rows.push(newRecord(domain, 'ns-alias', TYPE.CNAME, domain.apex));
      const apex = apexSets([], domain, DEFAULTS, 0).flatMap(({ type, ttl, rdatas }) =>
        rdatas.map((rdata) => ({ name: domain.apex, type, ttl, rdata })),
      );
      return { rows, nodes: compileZone(new MemoryZone(domain.apex, [...rows, ...apex])) };
    };
    const replace = (count: number) => {
      const { rows, nodes } = replacement(count);
      const changes = new ChangeWriter();
      for (const row of reader.recordsOf(domain.id, null)) changes.delete(records.number, records.key(row));
      for (const row of rows) changes.put(records.number, records.key(row), records.encode(row));
      const compiled = { domainId: domain.id, nodes };
      return journal.commit({
        reads: { at: journal.head, ranges: [] },
        changes: changes.content,
        by: 'import',
        compiled,
      });
    };
    await replace(5);
    await checkRebuilt(store, 'alone');
    assert.is(reader.zoneState(domain.id).recordCount, 7);
    // Another commit in the same group, after and before. They read nothing, so none conflicts.
    const blind = (name: string) => {
      const row = addressRecord(domain, name);
      const changes = new ChangeWriter();
      changes.put(records.number, records.key(row), records.encode(row));
      return journal.commit({ reads: { at: journal.head, ranges: [] }, changes: changes.content, by: 'test' });
    };
    await Promise.all([replace(600), blind('beside')]);
    await checkRebuilt(store, 'with another behind it');
    checkDerived(store, 'with another behind it');
    assert.is(reader.zoneState(domain.id).recordCount, 603);
    await Promise.all([blind('beside2'), replace(3)]);
    await checkRebuilt(store, 'with another before it');
    checkDerived(store, 'with another before it');
    // A nested zone is added in the same group.
    const nested = newDomain('below.zone.test.');
    const nest = () => {
      const changes = new ChangeWriter();
      const row = addressRecord(nested, 'new1', 9);
      changes.put(domains.number, domains.key(nested), domains.encode(nested));
      changes.put(records.number, records.key(row), records.encode(row));
      return journal.commit({ reads: { at: journal.head, ranges: [] }, changes: changes.content, by: 'test' });
    };
    await Promise.all([replace(4), nest()]);
    await checkRebuilt(store, 'with a nested zone');
    // The nodes were compiled without the proxy, which is on.
    await write(environment, journal, 'test', (draft) => {
      draft.delete(domains, nested);
      for (const row of draft.recordsOf(nested.id, null)) draft.delete(records, row);
      draft.put(proxies, newProxy(domain));
    });
    await replace(5);
    await checkRebuilt(store, 'with a proxy');
  }));

test('answers are recompiled when a proxy is turned on or off, not when its certificate changes', () =>
  withStore(embedded, async (store) => {
    const { environment, journal, reader } = store;
    const domain = newDomain('zone.test.');
    await write(environment, journal, 'test', (draft) => {
      draft.put(domains, domain);
      draft.put(records, addressRecord(domain, 'www'));
    });
    /** Whether the zone was recompiled. */
    const put = async (...changes: Partial<ProxyConfig>[]): Promise<boolean> => {
      const { revision } = reader.zoneState(domain.id);
      // All changes are in one group.
      await Promise.all(
        changes.map((change) => {
          const row = { ...newProxy(domain), ...change };
          const writer = new ChangeWriter();
          writer.delete(proxies.number, proxies.key(row));
          writer.put(proxies.number, proxies.key(row), proxies.encode(row));
          return journal.commit({ reads: { at: journal.head, ranges: [] }, changes: writer.content, by: 'test' });
        }),
      );
      await checkRebuilt(store, JSON.stringify(changes));
      return reader.zoneState(domain.id).revision > revision;
    };
    assert.not(await put({ enabled: false }));
    assert.ok(await put({}));
    assert.not(await put({ sslStatus: 'active' }, { sslStatus: 'renewing' }, { originPort: 8443 }));
    assert.ok(await put({ enabled: false }, { enabled: true }));
    assert.ok(await put({ enabled: false }));
    await put({});
    assert.ok(
      dump(environment, ['answers'])
        .join()
        .includes(Buffer.of(192, 0, 2, 80).toString('hex')),
    );
    await write(environment, journal, 'test', (draft) => draft.delete(proxies, newProxy(domain)));
    await checkRebuilt(store, 'gone');
    assert.not(
      dump(environment, ['answers'])
        .join()
        .includes(Buffer.of(192, 0, 2, 80).toString('hex')),
    );
  }));

test('an added or deleted MX changes whether its target is proxied, including chains to it', () =>
  withStore(embedded, async (store) => {
    const { environment, journal } = store;
    const { answer, close } = queryPath(store);
    const domain = newDomain('zone.test.');
    const mx = newRecord(domain, '@', TYPE.MX, Uint8Array.from([0, 10, ...parseName('mail.w.zone.test.')]));
    const grey = newRecord(domain, 'grey', TYPE.CNAME, parseName('mail.w.zone.test.'));
    await write(environment, journal, 'test', (draft) => {
      draft.put(domains, domain);
      draft.put(proxies, newProxy(domain));
      draft.put(records, addressRecord(domain, 'mail.w', 7));
      draft.put(records, addressRecord(domain, '*.w', 8));
      draft.put(records, { ...grey, proxied: false });
    });
    const first = (name: string): string => {
      const query = { name: parseName(name), type: TYPE.A, class: CLASS_IN };
      const response = decodeMessage(answer(encodeQuery(query, 1), TCP_LIMIT)!);
      return response.answer.filter(({ type }) => type === TYPE.A).map(({ rdata }) => rdata.join('.'))[0];
    };
    const edge = '192.0.2.9';
    const ask = () => ['mail.w.zone.test.', 'grey.zone.test.', 'other.w.zone.test.'].map(first);
    assert.equal(ask(), [edge, edge, edge]);
    await write(environment, journal, 'test', (draft) => draft.put(records, mx));
    assert.equal(ask(), ['192.0.2.7', '192.0.2.7', edge]);
    await checkRebuilt(store, 'with MX');
    await write(environment, journal, 'test', (draft) => draft.delete(records, mx));
    assert.equal(ask(), [edge, edge, edge]);
    await checkRebuilt(store, 'without');
    await close();
  }));

test('the data of the previous version is rebuilt: answers, targets and usage', () =>
  withStore(embedded, async (store) => {
    const { environment, journal, reader } = store;
    const domain = newDomain('zone.test.');
    await write(environment, journal, 'test', (draft) => {
      draft.put(domains, domain);
      draft.put(proxies, newProxy(domain));
      for (let i = 0; i < 3; i++) draft.put(records, addressRecord(domain, `www${i}`));
      draft.put(records, newRecord(domain, '@', TYPE.HTTPS, Uint8Array.from([0, 1, ...parseName('www0.zone.test.')])));
    });
    await rebuildAnswers(environment, DEFAULTS);
    const now = dump(environment, ['answers', 'targets', 'usage', 'zones', 'meta']);
    // That version had no usage, no bytes of zones, no targets of HTTPS and no cluster settings.
    const { cluster: _, ...old } = DEFAULTS;
    await environment.root.transaction(() => {
      environment.meta.put(Buffer.from('compiled with'), Buffer.from(JSON.stringify([1, old])));
      environment.usage.clearSync();
      environment.targets.clearSync();
      for (const { key, value } of environment.zones.getRange({})) environment.zones.put(key, value.subarray(0, 19));
      for (const key of environment.answers.getKeys({})) environment.answers.put(key, Buffer.alloc(8));
    });
    environment.root.resetReadTxn();
    assert.not(answersAreCurrent(environment, DEFAULTS));
    assert.not(reader.hasCounts());
    assert.equal(await rebuildAnswers(environment, DEFAULTS), { zones: 1, answers: 4 });
    environment.root.resetReadTxn();
    assert.ok(answersAreCurrent(environment, DEFAULTS));
    assert.ok(reader.hasCounts());
    assert.equal(dump(environment, ['answers', 'targets', 'usage', 'zones', 'meta']), now);
    assert.equal({ ...reader.usage(domain.accountId), bytes: 0 }, { domains: 1, records: 4, bytes: 0, audit: 0 });
    assert.not(answersAreCurrent(environment, { ...DEFAULTS, cluster: { ipv4: ['192.0.2.81'], ipv6: [] } }));
  }));

test('answers are current until the settings of the apex change', () =>
  withStore(embedded, async ({ environment, journal }) => {
    assert.not(answersAreCurrent(environment, DEFAULTS));
    await rebuildAnswers(environment, DEFAULTS);
    environment.root.resetReadTxn();
    assert.ok(answersAreCurrent(environment, DEFAULTS));
    await write(environment, journal, 'test', (draft) => draft.put(domains, newDomain('zone.test.')));
    assert.ok(answersAreCurrent(environment, DEFAULTS));
    assert.not(answersAreCurrent(environment, { ...DEFAULTS, nsTtl: 1 }));
    const before = dump(environment, ['answers', 'zones']);
    await rebuildAnswers(environment, DEFAULTS);
    assert.equal(dump(environment, ['answers', 'zones']), before, 'serials stay');
    const other = { ...DEFAULTS, nameservers: ['elsewhere.test'] };
    assert.equal(await rebuildAnswers(environment, other), { zones: 1, answers: 1 });
    assert.ok(dump(environment, ['answers']).join().includes(Buffer.from('elsewhere').toString('hex')));
  }));

test('a deleted domain loses its answers; many domains below a zone are added at once', () =>
  withStore(embedded, async (store) => {
    const { environment, journal } = store;
    const parent = newDomain('test.');
    const children = Array.from({ length: 200 }, (_, i) => newDomain(`c${i}.test.`));
    await write(environment, journal, 'test', (draft) => {
      draft.put(domains, parent);
      for (let i = 0; i < 200; i++) draft.put(records, addressRecord(parent, `www.c${i}`, i));
    });
    await Promise.all(
      children.map((child) => write(environment, journal, 'test', (draft) => draft.put(domains, child))),
    );
    await checkRebuilt(store, 'come');
    assert.is(store.index.stats.names, 201, 'nodes of the enclosing zone are hidden');
    await write(environment, journal, 'test', (draft) => {
      for (const child of children) draft.delete(domains, child);
    });
    await checkRebuilt(store, 'gone');
    assert.is(store.index.stats.names, 1 + 400);
    await write(environment, journal, 'test', (draft) => {
      for (const row of draft.recordsOf(parent.id, null)) draft.delete(records, row);
      draft.delete(domains, parent);
    });
    assert.equal(dump(environment, ['answers', 'targets', 'zones', 'lookups', 'rows3', 'rows4']), []);
    assert.is(store.index.stats.names, 0);
  }));

test.run();
