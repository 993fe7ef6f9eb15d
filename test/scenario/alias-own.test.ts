/**
 * ALIAS whose targets are in our own zones: read from them at once, followed from zone to zone,
 * through other ALIAS records, out to a resolver and back.
 */
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { RCODE, TYPE } from '../../core/dns/wire/types.ts';
import { write } from '../../core/journal/draft/draft.ts';
import { type Domain, domains, proxies, records } from '../../core/store/rows.ts';
import { newDomain, newProxy } from '../core/journal/fixture.ts';
import { type AliasRig, recordOf, withAlias } from '../core/upkeep/alias/fixture.ts';
import { CLUSTER } from '../reference/proxy.ts';

const V4 = '93.184.215.14';
const OTHER_V4 = '93.184.215.15';
const V6 = '2606:2800:21f:cb07:6820:80da:af6b:8b2c';

/** `work` with all that a change of our own zones may bring done by the time that its commit is. */
const withoutQueries = async ({ server }: AliasRig, work: () => Promise<void>): Promise<void> => {
  const before = [...server.request];
  await work();
  assert.equal([...server.request], before);
};

async function setProxy({ store, settle }: AliasRig, domain: Domain, enabled: boolean): Promise<void> {
  await write(store.environment, store.journal, 'test', (draft) => draft.put(proxies, newProxy(domain, enabled)));
  await settle();
}

test('a target in our zones is answered from the store, and follows its changes at once', () =>
  withAlias((rig) =>
    withoutQueries(rig, async () => {
      const { zone, add, remove, ask, state } = rig;
      const own = await zone('own.test', `lb A ${V4}`, `lb AAAA ${V6}`, '@ TXT x');
      await zone('one.test', '@ ALIAS lb.own.test.', '*.w ALIAS lb.own.test.');
      assert.equal(ask('one.test'), { rcode: 0, addresses: [V4], ttl: 300, extendedError: null });
      assert.equal(ask('q.w.one.test', TYPE.AAAA).addresses, [V6]);
      const more = await add(own, `lb A ${OTHER_V4}`);
      assert.equal(ask('one.test').addresses, [V4, OTHER_V4]);
      await remove(more);
      assert.equal(ask('one.test').addresses, [V4]);
      // It is deleted here, so no resolver has to confirm it.
      await write(rig.store.environment, rig.store.journal, 'test', (draft) => {
        for (const row of draft.recordsOf(own.id, null)) if (row.type !== TYPE.TXT) draft.delete(records, row);
      });
      await rig.settle();
      assert.equal(ask('one.test'), { rcode: 0, addresses: [], ttl: null, extendedError: null });
      assert.is(state('lb.own.test').error, 'the target does not exist');
      await add(own, `*.own.test. A ${V4}`, 40);
      assert.equal(ask('one.test'), { rcode: 0, addresses: [V4], ttl: 40, extendedError: null });
      await add(own, `lb A ${OTHER_V4}`);
      assert.equal(ask('one.test').addresses, [OTHER_V4]);
    }),
  ));

test('a DNAME at an apex redirects the names below it from its creation to its deletion', () =>
  withAlias((rig) =>
    withoutQueries(rig, async () => {
      const { zone, add, remove, ask } = rig;
      await zone('new.test', `x A ${V4}`);
      const old = await zone('old.test', '@ TXT x');
      await zone('one.test', '@ ALIAS x.old.test.');
      assert.equal(ask('one.test').addresses, []);
      // No name below the apex has an answer of its own, before or after.
      const dname = await add(old, '@ DNAME new.test.');
      assert.equal(ask('one.test').addresses, [V4]);
      await remove(dname);
      assert.equal(ask('one.test').addresses, []);
    }),
  ));

test('chains go through CNAME, DNAME and ALIAS of several zones, and each link counts', () =>
  withAlias((rig) =>
    withoutQueries(rig, async () => {
      const { zone, add, remove, ask } = rig;
      const a = await zone('a.test', 'x CNAME y.b.test.');
      await zone('b.test', '@ DNAME c.test.');
      const d = await zone('d.test');
      const c = await zone('c.test', 'y ALIAS z.d.test.');
      await zone('one.test', '@ ALIAS x.a.test.');
      const address = await add(d, `z A ${V4}`, 100);
      assert.equal(ask('one.test'), { rcode: 0, addresses: [V4], ttl: 100, extendedError: null });
      assert.equal(ask('y.c.test').addresses, [V4]);
      await remove(address);
      assert.equal(ask('one.test').addresses, []);
      await add(d, `z A ${OTHER_V4}`);
      assert.equal(ask('one.test').addresses, [OTHER_V4]);
      await write(rig.store.environment, rig.store.journal, 'test', (draft) => {
        for (const row of draft.recordsOf(c.id, null)) draft.delete(records, row);
      });
      await rig.settle();
      assert.equal(ask('one.test').addresses, []);
      await add(c, `y A ${V4}`);
      assert.equal(ask('one.test').addresses, [V4]);
      await write(rig.store.environment, rig.store.journal, 'test', (draft) => {
        for (const row of draft.recordsOf(a.id, null)) draft.delete(records, row);
      });
      await add(a, `x A ${OTHER_V4}`);
      assert.equal(ask('one.test').addresses, [OTHER_V4]);
    }),
  ));

const EMPTY = { rcode: RCODE.NOERROR, addresses: [], ttl: null, extendedError: null };

test('loops have no addresses and are reported, through any record types, and end with any link', () =>
  withAlias(async (rig) => {
    const { zone, add, remove, ask, state, pass, server } = rig;
    await zone('self.test', '@ ALIAS self.test.', '*.w ALIAS a.w.self.test.');
    assert.equal(ask('self.test'), EMPTY);
    assert.equal(ask('b.w.self.test'), EMPTY);
    assert.match(state('self.test').error ?? '', /is a loop/);
    const domain = await zone('one.test');
    const back = await add(domain, '@ ALIAS www.two.test.');
    const two = await zone('two.test', 'c CNAME one.test.', 'www ALIAS c.two.test.');
    await pass(2);
    assert.equal(ask('one.test'), EMPTY);
    assert.equal(ask('www.two.test'), EMPTY);
    await remove(back);
    await add(domain, `@ A ${V4}`);
    await pass(5);
    assert.equal(ask('www.two.test').addresses, [V4]);
    // Out to a name that leads back to us: what the resolver has of us doesn't count.
    server.set('away.example', { cname: [['home.three.test', 100]], addresses: ['93.184.215.99'], ttl: 100 });
    const three = await zone('three.test', 'home ALIAS away.example.');
    assert.equal(ask('home.three.test'), EMPTY);
    assert.match(state('away.example').error ?? '', /is a loop/);
    server.set(
      'away.example',
      { cname: [['home.four.test', 100]], addresses: ['93.184.215.99'], ttl: 100 },
      { cname: [['home.four.test', 100]], rcode: 0 },
    );
    const four = await zone('four.test', `home A ${V4}`);
    await pass(130);
    assert.equal(ask('home.three.test'), { rcode: 0, addresses: [V4], ttl: 100, extendedError: null });
    await add(four, `home A ${OTHER_V4}`);
    await pass(2);
    assert.equal(ask('home.three.test').addresses, [V4, OTHER_V4], 'a change of ours is seen before the TTL ends');
    assert.ok(three.id !== two.id);
  }));

test('a target in a proxied zone is the cluster, and follows the switch of the proxy; so does the owner', () =>
  withAlias(async (rig) => {
    const { zone, ask } = rig;
    const cluster = [...CLUSTER.ipv4].sort((a, b) => Number(a.split('.')[3]) - Number(b.split('.')[3]));
    const own = await zone('own.test', `lb A ${V4}`, `_x A ${OTHER_V4}`);
    const domain = await zone('one.test', '@ ALIAS lb.own.test.', 'x ALIAS _x.own.test.', '_s ALIAS lb.own.test.');
    assert.equal(ask('one.test').addresses, [V4]);
    await setProxy(rig, own, true);
    assert.equal(ask('one.test'), { rcode: 0, addresses: cluster, ttl: 300, extendedError: null });
    assert.equal(ask('one.test', TYPE.AAAA).addresses, CLUSTER.ipv6);
    assert.equal(ask('x.one.test').addresses, [OTHER_V4], 'a name that does not go through the proxy');
    await setProxy(rig, own, false);
    assert.equal(ask('one.test').addresses, [V4]);
    assert.equal(ask('one.test', TYPE.AAAA).addresses, []);
    await setProxy(rig, domain, true);
    assert.equal(ask('one.test').addresses, cluster);
    assert.equal(ask('_s.one.test').addresses, [V4]);
    await setProxy(rig, domain, false);
    assert.equal(ask('one.test').addresses, [V4]);
  }));

test('the zone of another account is not believed: its ownership is not proven', () =>
  withAlias(async (rig) => {
    const { server, zone, ask, store, settle } = rig;
    server.set('d1.cdn.example', { addresses: [V4], ttl: 100 });
    // Somebody makes a zone of a name that others' ALIAS records lead to, and has an ALIAS there,
    // too.
    const squatter = { ...newDomain('cdn.example'), accountId: 15 };
    const accomplice = { ...newDomain('two.test'), accountId: 15 };
    await write(store.environment, store.journal, 'test', (draft) => {
      draft.put(domains, squatter);
      draft.put(domains, accomplice);
      draft.put(records, recordOf(squatter, `d1 A ${OTHER_V4}`));
      draft.put(records, recordOf(accomplice, '@ ALIAS d1.cdn.example.'));
    });
    await settle();
    assert.equal(ask('two.test').addresses, [OTHER_V4], 'what is of the same account is');
    await zone('one.test', '@ ALIAS d1.cdn.example.');
    assert.equal(ask('one.test').addresses, [V4]);
    await rig.pass(90);
    assert.equal(ask('one.test').addresses, [V4]);
    assert.equal(ask('two.test').addresses, [OTHER_V4], 'each account has a state of its own');
  }));

test('special addresses of our own zones are dropped as well', () =>
  withAlias(async ({ zone, ask, state }) => {
    await zone('own.test', 'in A 192.168.0.7', `mixed A 10.0.0.1`, `mixed A ${V4}`);
    await zone('one.test', '@ ALIAS in.own.test.', 'm ALIAS mixed.own.test.');
    assert.equal(ask('one.test'), { rcode: 0, addresses: [], ttl: null, extendedError: null });
    assert.equal(ask('m.one.test').addresses, [V4]);
    assert.match(state('in.own.test').error ?? '', /^192\.168\.0\.7 is in 192\.168\.0\.0\/16/);
  }));

test('the zone of a target may change: created, delegated away, and deleted', () =>
  withAlias(async (rig) => {
    const { zone, add, remove, ask, server, store, settle, pass } = rig;
    server.set('www.moving.example', { addresses: [V4], ttl: 1000 }, { addresses: [V6], ttl: 1000 });
    await zone('one.test', '@ ALIAS www.moving.example.');
    assert.equal(ask('one.test').addresses, [V4]);
    rig.now += 2;
    const moving = await zone('moving.example', `www A ${OTHER_V4}`);
    await pass(0);
    assert.equal(ask('one.test').addresses, [OTHER_V4]);
    assert.equal(ask('one.test', TYPE.AAAA).addresses, []);
    rig.now += 2;
    const cut = await add(moving, 'www NS ns.elsewhere.example.');
    await pass(0);
    assert.equal(ask('one.test').addresses, [V4], 'below a cut somebody else answers');
    rig.now += 2;
    await remove(cut);
    await pass(2);
    assert.equal(ask('one.test').addresses, [OTHER_V4]);
    rig.now += 2;
    await write(store.environment, store.journal, 'test', (draft) => {
      for (const row of draft.recordsOf(moving.id, null)) draft.delete(records, row);
      draft.delete(domains, moving);
    });
    await settle();
    await pass(0);
    assert.equal(ask('one.test').addresses, [V4]);
  }));

test('the addresses are added to MX and SRV, and reached through CNAMEs of the zone', () =>
  withAlias(async ({ zone, add, ask, store }) => {
    const own = await zone('own.test', `lb A ${V4}`);
    const domain = await zone(
      'one.test',
      'mail ALIAS lb.own.test.',
      '@ MX 1 mail.one.test.',
      'c CNAME d.one.test.',
      'd CNAME mail.one.test.',
    );
    assert.equal(ask('c.one.test').addresses, [V4]);
    const { serial, revision } = store.reader.zoneState(domain.id);
    await add(own, `lb A ${OTHER_V4}`);
    assert.equal(ask('c.one.test').addresses, [V4, OTHER_V4]);
    const after = store.reader.zoneState(domain.id);
    assert.ok(after.serial > serial, 'secondaries have to learn it');
    assert.is(after.revision, revision, 'the zone was not written to');
  }));

test('another account with the same target changes nothing, and gets the public addresses', () =>
  withAlias(async (rig) => {
    const { server, zone, zoneOf, add, remove, ask, state, pass } = rig;
    const own = await zone('own.test', `lb A ${V4}`);
    await zone('one.test', '@ ALIAS lb.own.test.');
    // The world sees nothing of the target.
    server.set('lb.own.test', { rcode: 3, negativeTtl: 5 });
    const other = await zoneOf(15, 'two.test');
    const alias = await add(other, '@ ALIAS lb.own.test.');
    for (let i = 0; i < 4; i++) await pass(60);
    assert.equal(ask('one.test').addresses, [V4]);
    assert.equal(ask('two.test'), { rcode: 0, addresses: [], ttl: null, extendedError: null });
    assert.equal([state('lb.own.test').status, state('lb.own.test', 15).status], ['resolved', 'empty']);
    // A change is seen at once, whatever the resolver does for the other account.
    server.set('lb.own.test', { silent: true });
    const more = await add(own, `lb A ${OTHER_V4}`);
    assert.equal(ask('one.test').addresses, [V4, OTHER_V4]);
    await remove(more);
    assert.equal(ask('one.test').addresses, [V4]);
    server.set('lb.own.test', { addresses: [OTHER_V4], ttl: 100 }, { rcode: 0 });
    for (let i = 0; i < 3; i++) await pass(300);
    assert.equal([ask('one.test').addresses, ask('two.test').addresses], [[V4], [OTHER_V4]]);
    await rig.restart();
    assert.equal([ask('one.test').addresses, ask('two.test').addresses], [[V4], [OTHER_V4]], 'after a restart');
    // Each goes for itself.
    await remove(alias);
    const before = server.count('lb.own.test', 'A');
    for (let i = 0; i < 3; i++) await pass(600);
    assert.is(server.count('lb.own.test', 'A'), before, 'the resolver is not needed any more');
    assert.equal(ask('one.test').addresses, [V4]);
    await add(other, '@ ALIAS lb.own.test.');
    await pass(2);
    assert.equal([ask('one.test').addresses, ask('two.test').addresses], [[V4], [OTHER_V4]]);
  }));

test('a chain that returns to a zone of ours is followed there for its account alone', () =>
  withAlias(async (rig) => {
    const { server, zoneOf, add, ask, pass } = rig;
    const says = { cname: [['home.mine.test', 100]], addresses: ['93.184.215.99'], ttl: 100 } as const;
    server.set('away.example', says, { ...says, addresses: [] });
    await zoneOf(15, 'two.test', '@ ALIAS away.example.');
    const mine = await zoneOf(7, 'mine.test', `home A ${V4}`);
    await zoneOf(7, 'one.test', '@ ALIAS away.example.');
    await pass(2);
    assert.equal([ask('one.test').addresses, ask('two.test').addresses], [[V4], ['93.184.215.99']]);
    await add(mine, `home A ${OTHER_V4}`);
    await pass(2);
    assert.equal([ask('one.test').addresses, ask('two.test').addresses], [[V4, OTHER_V4], ['93.184.215.99']]);
    await rig.restart();
    assert.equal([ask('one.test').addresses, ask('two.test').addresses], [[V4, OTHER_V4], ['93.184.215.99']]);
  }));

test.run();
