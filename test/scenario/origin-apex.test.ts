/** What the apex of a domain answers that has an origin, but no address there. */
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { formatName } from '../../core/dns/wire/name.ts';
import { formatRdata } from '../../core/dns/wire/rdata/index.ts';
import { RCODE, TYPE } from '../../core/dns/wire/types.ts';
import { write } from '../../core/journal/draft/draft.ts';
import { rebuildAnswers } from '../../core/journal/upkeep/rebuild.ts';
import { ZoneSnapshot } from '../../core/nameserver/transfer/snapshot.ts';
import { type Domain, domains, type ProxyConfig, proxies, records } from '../../core/store/rows.ts';
import { DEFAULTS, dump, newDomain, newProxy } from '../core/journal/fixture.ts';
import { type AliasRig, recordOf, withAlias } from '../core/upkeep/alias/fixture.ts';
import { CLUSTER } from '../reference/proxy.ts';

const V4 = '93.184.215.14';
const OTHER_V4 = '93.184.215.15';
const V6 = '2606:2800:21f:cb07:6820:80da:af6b:8b2c';

async function setProxy(rig: AliasRig, domain: Domain, more: Partial<ProxyConfig> | null): Promise<void> {
  const { environment, journal } = rig.store;
  const row = newProxy(domain, false);
  await write(environment, journal, 'test', (draft) => {
    if (more === null) draft.delete(proxies, row);
    else draft.put(proxies, { ...row, ...more });
  });
  await rig.settle();
}

const serialOf = ({ store }: AliasRig, { id }: Domain): number => store.reader.zoneState(id).serial;

/** Owners with a record for which the target is resolved. */
const owners = ({ store }: AliasRig): number => [...store.environment.aliases.getKeys({})].length;

/** The addresses at the apex in a transfer, as `TTL address`. */
function transferred({ store }: AliasRig, { id, apex }: Domain): string[] {
  store.environment.root.resetReadTxn();
  const snapshot = ZoneSnapshot.open(store.environment, DEFAULTS, id)!;
  try {
    return [...snapshot.records()]
      .filter(({ name, type }) => formatName(name) === formatName(apex) && ![TYPE.NS, TYPE.TXT].includes(type as never))
      .map(({ type, ttl, rdata }) => `${ttl} ${formatRdata(type, rdata)}`);
  } finally {
    snapshot.close();
  }
}

test('the address of the origin, until the apex has one of its own', () =>
  withAlias(async (rig) => {
    const { zone, add, remove, ask } = rig;
    const domain = await zone('site.test', '@ TXT x', 'www CNAME site.test.');
    assert.equal(ask('site.test').addresses, []);
    let serial = serialOf(rig, domain);
    const rises = (text: string): void => {
      const now = serialOf(rig, domain);
      assert.ok(now > serial, text);
      serial = now;
    };
    await setProxy(rig, domain, { originHost: V4 });
    assert.equal(ask('site.test'), { rcode: 0, addresses: [V4], ttl: 300, extendedError: null });
    assert.equal(ask('www.site.test').addresses, [V4], 'what leads to the apex follows');
    assert.equal(ask('site.test', TYPE.AAAA).addresses, []);
    assert.equal(transferred(rig, domain), [`300 ${V4}`]);
    rises('set');
    await setProxy(rig, domain, { originHost: V4, sslStatus: 'pending' });
    assert.is(serialOf(rig, domain), serial, 'the same origin');
    await setProxy(rig, domain, { originHost: V6 });
    assert.equal([ask('site.test').addresses, ask('site.test', TYPE.AAAA).addresses], [[], [V6]]);
    rises('changed');
    const own = await add(domain, `@ A ${OTHER_V4}`);
    assert.equal([ask('www.site.test').addresses, ask('site.test', TYPE.AAAA).addresses], [[OTHER_V4], []]);
    rises('an address of its own');
    await setProxy(rig, domain, { originHost: V4 });
    assert.is(serialOf(rig, domain), serial, 'nothing that is served has changed');
    await remove(own);
    assert.equal(ask('www.site.test').addresses, [V4]);
    await setProxy(rig, domain, null);
    assert.equal(ask('www.site.test').addresses, []);
    assert.equal(rig.store.reader.zoneState(domain.id).recordCount, 2, 'none of it is stored');
  }));

test('an origin with a host name is an ALIAS of it', () =>
  withAlias(async (rig) => {
    const { zone, add, remove, ask, server, pass, state } = rig;
    server.set('o.example', { addresses: [V4], ttl: 60 });
    server.set('p.example', { addresses: [OTHER_V4], ttl: 600 });
    const domain = await zone('site.test', 'www CNAME site.test.');
    await setProxy(rig, domain, { originHost: 'o.example' });
    assert.equal(ask('site.test'), { rcode: 0, addresses: [V4], ttl: 60, extendedError: null });
    assert.equal(ask('www.site.test').addresses, [V4]);
    assert.equal(transferred(rig, domain), [`60 ${V4}`]);
    const serial = serialOf(rig, domain);
    server.set('o.example', { addresses: [OTHER_V4], ttl: 60 });
    await pass(61);
    assert.equal(ask('www.site.test').addresses, [OTHER_V4]);
    assert.ok(serialOf(rig, domain) > serial);
    await rig.restart();
    assert.is(state('o.example').status, 'resolved');
    await setProxy(rig, domain, { originHost: 'p.example' });
    assert.equal(ask('site.test'), { rcode: 0, addresses: [OTHER_V4], ttl: 300, extendedError: null });
    assert.is(owners(rig), 1);
    assert.is(rig.states.live.size, 1, 'the former target is not resolved any more');
    const own = await add(domain, `@ A ${V4}`);
    assert.equal([owners(rig), rig.states.live.size], [0, 0]);
    await remove(own);
    assert.equal([owners(rig), ask('site.test').addresses], [1, [OTHER_V4]]);
    server.set('p.example', { rcode: RCODE.SERVFAIL });
    const { environment, journal } = rig.store;
    await write(environment, journal, 'test', (draft) => {
      draft.delete(proxies, { ...newProxy(domain, false), originHost: 'p.example' });
      for (const row of draft.recordsOf(domain.id, null)) draft.delete(records, row);
      draft.delete(domains, domain);
    });
    await rig.settle();
    assert.equal([owners(rig), rig.states.live.size], [0, 0]);
  }));

test('an origin in our own zones is followed in the store, and a loop is a failure', () =>
  withAlias(async (rig) => {
    const { zone, add, ask } = rig;
    const domain = await zone('site.test', `origin A ${V4}`);
    await setProxy(rig, domain, { originHost: 'origin.site.test' });
    assert.equal(ask('site.test').addresses, [V4]);
    await add(domain, `origin A ${OTHER_V4}`);
    assert.equal(ask('site.test').addresses, [V4, OTHER_V4]);
    await add(domain, 'round CNAME site.test.');
    await setProxy(rig, domain, { originHost: 'round.site.test' });
    assert.equal([ask('site.test').rcode, ask('site.test').addresses], [RCODE.NOERROR, []]);
    assert.equal([...rig.server.request], []);
  }));

test('with the proxy on, the apex has the addresses of the cluster; off, it has those of the origin', () =>
  withAlias(async (rig) => {
    const { zone, ask, server } = rig;
    server.set('o.example', { addresses: [V4], ttl: 60 });
    const domain = await zone('site.test', '@ TXT x');
    for (const [originHost, enabled, expected] of [
      [null, true, []],
      [V4, true, CLUSTER.ipv4],
      ['o.example', true, CLUSTER.ipv4],
      ['o.example', false, [V4]],
      [OTHER_V4, false, [OTHER_V4]],
      [OTHER_V4, true, CLUSTER.ipv4],
    ] as const) {
      await setProxy(rig, domain, { originHost, enabled });
      const label = `${originHost} ${enabled}`;
      assert.equal(ask('site.test').addresses.toSorted(), [...expected].sort(), label);
      assert.equal(
        transferred(rig, domain)
          .map((line) => line.split(' ')[1])
          .filter((text) => !text.includes(':'))
          .sort(),
        [...expected].sort(),
        label,
      );
    }
  }));

test('an import into a domain with an origin, and a domain made together with one', () =>
  withAlias(async (rig) => {
    const { zone, ask, server } = rig;
    server.set('o.example', { addresses: [V4], ttl: 60 });
    const domain = await zone('site.test', '@ TXT x');
    await setProxy(rig, domain, { originHost: 'o.example' });
    const { environment, journal } = rig.store;
    await write(environment, journal, 'test', (draft) => {
      for (let i = 0; i < 700; i++) draft.put(records, recordOf(domain, `h${i} CNAME site.test.`));
    });
    assert.equal([ask('site.test').addresses, ask('h9.site.test').addresses], [[V4], [V4]]);
    const other = newDomain('other.test');
    await write(environment, journal, 'test', (draft) => {
      draft.put(proxies, { ...newProxy(other, false), originHost: 'o.example' });
      draft.put(domains, other);
    });
    await rig.settle();
    assert.equal([ask('other.test').addresses, owners(rig)], [[V4], 2]);
  }));

test('a rebuild makes the same answers and owners', () =>
  withAlias(async (rig) => {
    const { zone, server, store } = rig;
    server.set('o.example', { addresses: [V4], ttl: 60 });
    const domain = await zone('site.test', '@ TXT x', 'www CNAME site.test.');
    const literal = await zone('literal.test', '@ TXT x');
    await setProxy(rig, domain, { originHost: 'o.example' });
    await setProxy(rig, literal, { originHost: V6 });
    const tables = ['answers', 'aliases', 'targets', 'zones', 'sites'];
    const before = dump(store.environment, tables);
    await rebuildAnswers(store.environment, DEFAULTS);
    assert.equal(dump(store.environment, tables), before);
  }));

test.run();
