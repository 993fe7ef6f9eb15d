/** The bin: deleted domains are not served, come back whole, and are deleted for good in pieces. */
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { createLogger } from '../../../../core/base/log/index.ts';
import { loadConfig } from '../../../../core/config/index.ts';
import { parseName } from '../../../../core/dns/wire/name.ts';
import { TYPE } from '../../../../core/dns/wire/types.ts';
import { write } from '../../../../core/journal/draft/draft.ts';
import { rebuildAnswers } from '../../../../core/journal/upkeep/rebuild.ts';
import { readHistory } from '../../../../core/store/history.ts';
import { idKey } from '../../../../core/store/keys.ts';
import {
  accounts,
  type Domain,
  domains,
  NO_LABELS,
  newSecondary,
  proxies,
  records,
  secondaries,
  spellings,
  zoneLabels,
} from '../../../../core/store/rows.ts';
import { BIN_DAYS, deleteDomain, restoreDomain } from '../../../../core/upkeep/domains/bin.ts';
import { DomainPurge } from '../../../../core/upkeep/domains/purge.ts';
import { singleNodeTasks } from '../../../support/tasks.ts';
import {
  DEFAULTS,
  dump,
  embedded,
  newAccount,
  newDomain,
  newProxy,
  newRecord,
  type Store,
  withStore,
} from '../../journal/fixture.ts';

const test = suite('bin');
const DAY = 86_400;
const NOW = 2_000_000_000;
const ACCOUNT = newAccount('free');

const commit = (store: Store, work: Parameters<typeof write<void>>[3]) =>
  write(store.environment, store.journal, '1', work);

async function create(store: Store, apex: string, count = 2): Promise<Domain> {
  const domain = { ...newDomain(apex), accountId: ACCOUNT.id };
  await commit(store, (draft) => {
    draft.put(accounts, ACCOUNT);
    draft.put(domains, domain);
    for (let i = 0; i < count; i++) {
      const row = newRecord(domain, `h${i}`, TYPE.A, Uint8Array.of(192, 0, 2, 1));
      draft.put(records, row);
    }
  });
  return domain;
}

const remove = (store: Store, domain: Domain, now = NOW, isPermanent = false) =>
  commit(store, (draft) => {
    deleteDomain({ ...store, zoneSettings: DEFAULTS }, draft, domain, { by: 'ada', now, isPermanent });
  });

const restore = (store: Store, { id }: Domain, now = NOW) =>
  commit(store, (draft) => restoreDomain({ zoneSettings: DEFAULTS }, draft, draft.deletedDomain(id)!, now));

/** The keys of all rows and derived rows that begin with the id, without those of the journal. */
function keysOf({ environment }: Store, { id }: Domain): string[] {
  const prefix = idKey(id).toString('hex');
  return dump(environment).filter((line) => /^(?!journal|history)/.test(line) && line.split(' ')[1].startsWith(prefix));
}

const DERIVED = ['lookups', 'answers', 'targets', 'aliases', 'usage', 'sites'];

/** Derived rows, without the serial in the answers of the apex. */
const derived = ({ environment }: Store): string[] =>
  dump(environment, DERIVED).filter((line) => !line.startsWith('answers 00'));

function purgeOf({ environment, journal }: Store, now: () => number, env: Record<string, string> = {}): DomainPurge {
  const log = createLogger({ level: 'error', format: 'text' });
  return new DomainPurge({
    config: loadConfig({ env }),
    environment,
    journal,
    log,
    tasks: singleNodeTasks(),
    now: () => now() * 1000,
  });
}

test('a deleted domain leaves nothing that is derived, and frees its name and its usage', () =>
  withStore(embedded, async (store) => {
    await create(store, 'other.example.');
    const before = derived(store);
    const domain = await create(store, 'bin.example.');
    await commit(store, (draft) => {
      draft.put(proxies, newProxy(domain));
      draft.put(records, newRecord(domain, '@', TYPE.ALIAS, parseName('target.example.')));
      draft.put(
        records,
        newRecord(domain, 'mail', TYPE.MX, Buffer.concat([Buffer.alloc(2), parseName('h0', domain.apex)])),
      );
    });
    await remove(store, domain);
    const { reader } = store;
    assert.is(reader.domain(domain.id), undefined);
    assert.is(reader.domainByApex(domain.apex), undefined);
    // Only the lookups of its records and of the bin stay.
    const left = derived(store).filter((line) => !before.includes(line));
    assert.is(left.length, 6);
    assert.ok(
      left.every((line) => line.startsWith('lookups ')),
      left.join('\n'),
    );
    assert.is(reader.usage(ACCOUNT.id).records, 2);
    assert.is(reader.usage(ACCOUNT.id).domains, 1);
    // Another domain of the same name.
    const again = await create(store, 'bin.example.');
    assert.is(reader.domainByApex(domain.apex)?.id, again.id);
  }));

test('a restored domain has all its rows, answers, usage and history again, and a later serial', () =>
  withStore(embedded, async (store) => {
    const domain = await create(store, 'bin.example.');
    await commit(store, (draft) => {
      draft.put(proxies, newProxy(domain));
      draft.put(records, newRecord(domain, '@', TYPE.ALIAS, parseName('target.example.')));
      draft.put(
        records,
        newRecord(domain, 'mail', TYPE.MX, Buffer.concat([Buffer.alloc(2), parseName('h0', domain.apex)])),
      );
    });
    const { reader, environment } = store;
    const [before, { serial, recordCount }] = [derived(store), reader.zoneState(domain.id)];
    const history = readHistory(environment, domain.id).length;
    await remove(store, domain);
    await restore(store, domain);
    assert.equal(derived(store), before);
    assert.equal(reader.domain(domain.id), domain);
    assert.is(reader.zoneState(domain.id).recordCount, recordCount);
    assert.ok(reader.zoneState(domain.id).serial > serial);
    // The deletion and the restore are changes of their own.
    assert.is(readHistory(environment, domain.id).length, history + 2);
    assert.equal(
      readHistory(environment, domain.id).map(({ isCreation }) => isCreation),
      [false, false, ...Array(history - 1).fill(false), true],
    );
    const served = dump(environment, DERIVED);
    await rebuildAnswers(environment, DEFAULTS);
    assert.equal(dump(environment, DERIVED), served);
  }));

test('a secondary zone comes back with the state of its transfers', () =>
  withStore(embedded, async (store) => {
    const domain: Domain = { ...newDomain('secondary.example.'), accountId: ACCOUNT.id, kind: 'secondary' };
    const row = { ...newSecondary(domain.id), serial: 7, expiresAt: NOW };
    await commit(store, (draft) => {
      draft.put(domains, domain);
      draft.put(secondaries, row);
    });
    await remove(store, domain);
    assert.is(store.reader.row(secondaries, idKey(domain.id)), undefined);
    await restore(store, domain);
    assert.equal(store.reader.row(secondaries, idKey(domain.id)), row);
  }));

test('a domain is deleted for good when its time is over, in pieces, and no other one', () =>
  withStore(embedded, async (store) => {
    const [domain, younger] = [await create(store, 'bin.example.', 2500), await create(store, 'younger.example.')];
    await commit(store, (draft) => {
      const name = parseName('h0', domain.apex);
      draft.put(spellings, { domainId: domain.id, name, spelled: name });
      draft.put(zoneLabels, { domainId: domain.id, ...NO_LABELS });
      draft.put(proxies, newProxy(domain));
    });
    await remove(store, domain);
    await remove(store, younger, NOW + 1);
    let now = NOW + BIN_DAYS * DAY - 1;
    const purge = purgeOf(store, () => now);
    await purge.run();
    assert.is(store.reader.deletedDomain(domain.id)?.isGone, false);
    const { head } = store.journal;
    now++;
    await purge.run();
    // One that makes it final, three with rows, and one for the last row.
    assert.is(store.journal.head - head, 5);
    assert.equal(keysOf(store, domain), []);
    assert.equal(readHistory(store.environment, domain.id), []);
    assert.is(store.reader.deletedDomain(younger.id)?.isGone, false);
  }));

test('a domain that is deleted permanently is not in the bin, and its rows are deleted', () =>
  withStore(embedded, async (store) => {
    const domain = await create(store, 'bin.example.');
    await remove(store, domain, NOW, true);
    assert.equal(store.reader.deletedDomainsOf(ACCOUNT.id, null), []);
    await purgeOf(store, () => NOW).run();
    assert.equal(keysOf(store, domain), []);
  }));

test('a full bin deletes its oldest domains for good: those above the records of the plan', () =>
  withStore(embedded, async (store) => {
    const purge = purgeOf(store, () => NOW, { WAYPOST_QUOTAS_FREE_RECORDS: '25' });
    const all: Domain[] = [];
    for (let i = 0; i < 4; i++) all.push(await create(store, `d${i}.example.`, 10));
    for (const [i, domain] of all.entries()) await remove(store, domain, NOW - 10 + i);
    await purge.run();
    const left = store.reader.deletedDomainsOf(ACCOUNT.id, null).map(({ domain }) => domain.id);
    assert.equal(left, [all[3].id, all[2].id]);
    assert.equal(keysOf(store, all[0]), []);
  }));

test('the bin lists the domains of an account, newest first', () =>
  withStore(embedded, async (store) => {
    const all: Domain[] = [];
    for (let i = 0; i < 3; i++) all.push(await create(store, `d${i}.example.`));
    for (const [i, domain] of all.entries()) await remove(store, domain, NOW + (i % 2));
    const ids = store.reader.deletedDomainsOf(ACCOUNT.id, null).map(({ domain }) => domain.id);
    assert.equal(ids, [all[1].id, all[2].id, all[0].id]);
  }));

test.run();
