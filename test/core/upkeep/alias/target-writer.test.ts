/** How what a target answers comes to its owners. */

import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { parseName } from '../../../../core/dns/wire/name.ts';
import { type Draft, write } from '../../../../core/journal/draft/draft.ts';
import { apexKey, nameKey } from '../../../../core/store/keys.ts';
import {
  type AliasTarget,
  aliasTargets,
  type Domain,
  domains,
  type ProxyConfig,
  proxies,
  records,
} from '../../../../core/store/rows.ts';
import { newFamily } from '../../../../core/upkeep/alias/family-state.ts';
import { Target } from '../../../../core/upkeep/alias/target.ts';
import { TargetWriter } from '../../../../core/upkeep/alias/target-writer.ts';
import { newId } from '../../../support/ids.ts';
import { embedded, newDomain, type Store, withStore } from '../../journal/fixture.ts';
import { recordOf } from './fixture.ts';

const OWNERS = 900;

/** Every name of one zone is an ALIAS of one of `targets` in turns. */
async function addOwners({ environment, journal }: Store, targets: readonly string[]): Promise<void> {
  const domain = newDomain('many.test');
  await write(environment, journal, 'test', (draft) => {
    draft.put(domains, domain);
    for (let i = 0; i < OWNERS; i++) {
      const line = `w${i} ALIAS ${targets[i % targets.length]}.`;
      draft.insert(records, { ...recordOf(domain, line), id: newId() });
    }
  });
}

function serve(target: Target, address: string): void {
  target.a = newFamily({ addresses: [address], ttl: 60, stale: false, goodAt: 1 });
  target.aaaa = newFamily({ addresses: [], ttl: 60, stale: false, goodAt: 1 });
}

test('a target that changes while it is written reaches all owners', () =>
  withStore(embedded, async (store) => {
    await addOwners(store, ['t.example']);
    const { environment, journal, reader } = store;
    const writer = new TargetWriter(environment, journal, 3600);
    const target = new Target(parseName('t.example.'), null);
    const pieces: string[] = [];
    let bringing: Promise<void> | undefined;
    journal.onAnswers(() => {
      const row = reader.row(aliasTargets, aliasTargets.key({ name: target.name } as AliasTarget));
      if (row === undefined || row.spread === null) return;
      const position = row.spread.from === '' ? 'first' : row.spread.to === null ? 'last' : 'next';
      pieces.push(`${row.a?.addresses.join()} ${position}`);
      if (pieces.length !== 2) return;
      serve(target, '5db8d70f');
      bringing = writer.bring(target);
    });
    serve(target, '5db8d70e');
    await writer.bring(target);
    await bringing;
    const spread = (address: string) =>
      ['first', 'next', 'next', 'next', 'last'].map((position) => `${address} ${position}`);
    assert.equal(pieces, [...spread('5db8d70e'), ...spread('5db8d70f')]);
  }));

test('behind the proxy a name is answered alike whatever its target has, and the serial stays', () =>
  withStore(embedded, async ({ environment, journal, reader }) => {
    const domain = newDomain('proxied.test');
    const grey = newDomain('grey.test');
    const now = Math.floor(Date.now() / 1000);
    const proxy = (enabled: boolean): ProxyConfig => ({
      ...{ domainId: domain.id, enabled, originHost: null, originPort: null, originProtocol: null },
      ...{ sslStatus: 'none', sslIssuedAt: null, sslExpiresAt: null, sslError: null, orderRequestedAt: null },
      ...{ createdAt: now, updatedAt: now },
    });
    const commit = (work: (draft: Draft) => void): Promise<unknown> => write(environment, journal, 'test', work);
    const alias = (of: Domain, owner: string) => ({ ...recordOf(of, `${owner} ALIAS t.example.`), id: newId() });
    await commit((draft) => {
      draft.put(domains, domain);
      draft.put(domains, grey);
      draft.put(proxies, proxy(true));
      draft.put(records, alias(domain, 'www'));
      draft.put(records, alias(domain, '*'));
      draft.put(records, alias(grey, 'www'));
    });
    const writer = new TargetWriter(environment, journal, 3600);
    const target = new Target(parseName('t.example.'), null);
    let last = 0;
    const rises = async (): Promise<boolean[]> => {
      const serials = () => [domain, grey].map(({ id }) => reader.zoneState(id).serial);
      const before = serials();
      serve(target, Buffer.of(93, 184, 216, ++last).toString('hex'));
      await writer.bring(target);
      return serials().map((serial, i) => serial > before[i]);
    };
    const node = (name: string) => environment.answers.get(nameKey(parseName(name)))?.toString('hex') ?? '';
    const isAnswered = (name: string): boolean =>
      node(name).includes(`04${Buffer.of(93, 184, 216, last).toString('hex')}`);
    assert.equal(await rises(), [false, true]);
    assert.not(isAnswered('www.proxied.test.'));
    assert.ok(isAnswered('www.grey.test.'));
    // Mail goes by the name, so that it leaves the proxy: with the addresses of now, and those to
    // come.
    await commit((draft) => draft.put(records, { ...recordOf(domain, '@ MX 10 www.proxied.test.'), id: newId() }));
    assert.ok(isAnswered('www.proxied.test.'));
    assert.equal(await rises(), [true, true]);
    assert.ok(isAnswered('www.proxied.test.'));
    await commit((draft) => {
      for (const row of draft.recordsAt(domain.id, domain.apex)) draft.delete(records, row);
    });
    assert.equal(await rises(), [false, true]);
    await commit((draft) => draft.put(proxies, proxy(false)));
    assert.ok(isAnswered('www.proxied.test.'));
    assert.ok(isAnswered('*.proxied.test.'));
    assert.equal(await rises(), [true, true]);
    assert.ok(isAnswered('*.proxied.test.'));
  }));

test('many targets that change at once do not become one commit', () =>
  withStore(embedded, async (store) => {
    const names = Array.from({ length: 9 }, (_, i) => `t${i}.example`);
    await addOwners(store, names);
    const { environment, journal } = store;
    const writer = new TargetWriter(environment, journal, 3600);
    let most = 0;
    let all = 0;
    journal.onAnswers(({ names: changed }) => {
      const count = [...changed].length;
      most = Math.max(most, count);
      all += count;
    });
    await Promise.all(
      names.map((name) => {
        const target = new Target(parseName(`${name}.`), null);
        serve(target, '5db8d70e');
        return writer.bring(target);
      }),
    );
    assert.ok(all >= OWNERS, `${all} names`);
    assert.ok(most <= 401, `${most} names in one commit`);
  }));

test('records of one account at a target neither recompile answers of others nor raise their serials', () =>
  withStore(embedded, async ({ environment, journal, reader }) => {
    const mine = { ...newDomain('mine.test'), accountId: 7 };
    const other = { ...newDomain('other.test'), accountId: 8 };
    await write(environment, journal, 'test', (draft) => {
      for (const domain of [mine, other]) draft.put(domains, domain);
      for (let i = 0; i < OWNERS; i++)
        draft.insert(records, { ...recordOf(other, `w${i} ALIAS t.example.`), id: newId() });
      draft.insert(records, { ...recordOf(mine, '@ ALIAS t.example.'), id: newId() });
    });
    const name = parseName('t.example.');
    const row = () => reader.row(aliasTargets, aliasTargets.key({ name } as AliasTarget));
    const writer = new TargetWriter(environment, journal, 3600);
    const group = new Map<number | null, Target>();
    const [own, shared] = [new Target(name, null, 7, group), new Target(name, null, null, group)];
    group.set(7, own);
    serve(own, '5db8d70e');
    await writer.bring(own);
    // Earlier versions read the row itself.
    assert.equal([row()?.repeats, row()?.a?.addresses], [7, ['5db8d70e']]);
    group.set(null, shared);
    serve(shared, '5db8d70f');
    await writer.bring(shared);
    const node = (apex: string) => environment.answers.get(apexKey(parseName(apex)))?.toString('hex') ?? '';
    const first = () => environment.answers.get(nameKey(parseName('w0.other.test.')))?.toString('hex') ?? '';
    assert.ok(node('mine.test.').includes('045db8d70e'));
    assert.ok(first().includes('045db8d70f'));
    const serials = () => [mine, other].map(({ id }) => reader.zoneState(id).serial);
    const risen = async (target: Target, address: string): Promise<boolean[]> => {
      const before = serials();
      serve(target, address);
      await writer.bring(target);
      return serials().map((serial, i) => serial > before[i]);
    };
    const { written } = writer;
    assert.equal(await risen(own, '5db8d711'), [true, false]);
    assert.is(writer.written, written + 1);
    assert.equal(await risen(shared, '5db8d712'), [false, true]);
    assert.ok(node('mine.test.').includes('045db8d711'));
    assert.ok(first().includes('045db8d712'));
    // Both can be in the middle of a change.
    serve(shared, '5db8d713');
    const spreading = writer.bring(shared);
    assert.equal(await risen(own, '5db8d714'), [true, true]);
    await spreading;
    assert.ok(node('mine.test.').includes('045db8d714'));
    for (let i = 0; i < OWNERS; i++) {
      const at = nameKey(parseName(`w${i}.other.test.`));
      assert.ok(environment.answers.get(at)?.toString('hex').includes('045db8d713'), `w${i}`);
    }
    group.delete(7);
    await writer.forget(own, () => false);
    assert.equal([row()?.own, row()?.repeats, row()?.a?.addresses], [undefined, undefined, ['5db8d713']]);
  }));

test.run();
