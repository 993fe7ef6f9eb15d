/**
 * ALIAS against a resolver under the test's control, with a clock of the test: TTLs, failures,
 * staleness, families, special addresses, restarts.
 */
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { RCODE, TYPE } from '../../core/dns/wire/types.ts';
import { parsePrefix } from '../../core/net/address/index.ts';
import { withAlias } from '../core/upkeep/alias/fixture.ts';

const V4 = '93.184.215.14';
const OTHER_V4 = '93.184.215.15';
const V6 = '2606:2800:21f:cb07:6820:80da:af6b:8b2c';
const TARGET = 'lb.target.example';

test('both families are answered, with the lesser of the TTLs of the record and of the chain', () =>
  withAlias(async ({ server, zone, add, ask, state, now }) => {
    server.set(
      TARGET,
      {
        cname: [
          ['a.cdn.example', 250],
          ['b.cdn.example', 90],
        ],
        addresses: [OTHER_V4, V4],
        ttl: 120,
      },
      { addresses: [V6], ttl: 400 },
    );
    const domain = await zone(
      'one.test',
      `@ ALIAS ${TARGET}.`,
      '@ TXT x',
      `*.w ALIAS ${TARGET}.`,
      'c CNAME x.w.one.test.',
      'm MX 1 one.test.',
    );
    await add(domain, `short ALIAS ${TARGET}.`, 40);
    assert.equal(ask('one.test'), { rcode: 0, addresses: [V4, OTHER_V4], ttl: 90, extendedError: null });
    assert.equal(ask('one.test', TYPE.AAAA), { rcode: 0, addresses: [V6], ttl: 300, extendedError: null });
    assert.is(ask('short.one.test').ttl, 40);
    assert.equal(ask('any.w.one.test').addresses, [V4, OTHER_V4]);
    assert.equal(ask('c.one.test').addresses, [V4, OTHER_V4]);
    assert.equal(ask('one.test', TYPE.ANY).addresses, [V4, OTHER_V4]);
    assert.is(server.count(TARGET), 1, 'one look for all that lead there');
    assert.equal(state(TARGET), { status: 'resolved', addresses: [V4, OTHER_V4, V6], checkedAt: now, error: null });
  }));

const EMPTY = { rcode: RCODE.NOERROR, addresses: [], ttl: null, extendedError: null };

test('a name whose target cannot be resolved has no addresses, and hides a wildcard', () =>
  withAlias(async ({ server, zone, ask, state, pass }) => {
    server.set(TARGET, { rcode: RCODE.SERVFAIL }, { rcode: RCODE.REFUSED });
    await zone('one.test', `@ ALIAS ${TARGET}.`, '@ TXT x', `al ALIAS ${TARGET}.`, '* A 192.0.2.99');
    for (const name of ['one.test', 'al.one.test'])
      for (const type of [TYPE.A, TYPE.AAAA, TYPE.TXT]) assert.equal(ask(name, type), EMPTY, `${name} ${type}`);
    assert.is(state(TARGET).status, 'failed');
    assert.is(state(TARGET).error, 'A: the resolver returned SERVFAIL');
    server.set(TARGET, { addresses: [V4] }, { rcode: RCODE.REFUSED });
    await pass(3);
    assert.equal(ask('one.test').addresses, [V4]);
    assert.equal(ask('one.test', TYPE.AAAA), EMPTY, 'each family by itself');
  }));

test('lookups are repeated before the end of the TTL, and changes are served', () =>
  withAlias(async ({ server, zone, ask, pass }) => {
    server.set(TARGET, { addresses: [V4], ttl: 100 }, { addresses: [V6], ttl: 100 });
    await zone('one.test', `@ ALIAS ${TARGET}.`);
    await pass(70);
    assert.is(server.count(TARGET), 1, 'not before three quarters');
    server.set(TARGET, { addresses: [OTHER_V4], ttl: 100 }, { addresses: [V6], ttl: 50 });
    await pass(22);
    assert.is(server.count(TARGET), 2);
    assert.equal(ask('one.test').addresses, [OTHER_V4]);
    assert.is(ask('one.test', TYPE.AAAA).ttl, 50, 'a TTL follows downwards at once');
  }));

test('a clock that is set back by a day does not stop the lookups', () =>
  withAlias(async (rig) => {
    const { server, zone, pass, ask } = rig;
    server.set('cdn.example', { addresses: [V4], ttl: 100 });
    await zone('one.test', '@ ALIAS cdn.example.');
    rig.setBack = 86_400;
    server.set('cdn.example', { addresses: [OTHER_V4], ttl: 100 });
    await pass(100);
    assert.equal(ask('one.test').addresses, [OTHER_V4]);
    server.set('cdn.example', { addresses: [V4], ttl: 100 });
    await pass(100);
    assert.equal(ask('one.test').addresses, [V4]);
  }));

test('cached answers of a resolver are neither served with their last seconds nor written each time', () =>
  withAlias(async ({ server, zone, ask, pass, refresher }) => {
    server.set(TARGET, { addresses: [V4], ttl: 100 }, { rcode: 0, negativeTtl: 10_000 });
    await zone('one.test', `@ ALIAS ${TARGET}.`);
    await pass(6);
    const { written } = refresher.counts;
    for (let round = 0; round < 3; round++) {
      server.set(TARGET, { addresses: [V4], ttl: 9 });
      await pass(91);
      assert.is(ask('one.test').ttl, 100, `round ${round}`);
      server.set(TARGET, { addresses: [V4], ttl: 100 });
      await pass(12);
      assert.is(ask('one.test').ttl, 100, `round ${round}`);
    }
    assert.ok(server.count(TARGET) >= 6);
    assert.is(refresher.counts.written, written);
  }));

test('the last good answer is kept, as stale once its TTL is over, until stale_max', () =>
  withAlias(
    async ({ server, zone, ask, pass, state }) => {
      server.set(TARGET, { addresses: [V4], ttl: 60 }, { addresses: [V6], ttl: 60 });
      await zone('one.test', `@ ALIAS ${TARGET}.`);
      server.set(TARGET, { rcode: RCODE.SERVFAIL }, { rcode: RCODE.SERVFAIL });
      await pass(56);
      assert.equal(ask('one.test'), { rcode: 0, addresses: [V4], ttl: 60, extendedError: null });
      for (let i = 0; i < 5; i++) await pass(10);
      assert.equal(ask('one.test'), { rcode: 0, addresses: [V4], ttl: 60, extendedError: 3 });
      assert.is(state(TARGET).status, 'stale');
      assert.equal(state(TARGET).addresses, [V4, V6]);
      const askedAt = server.count(TARGET);
      for (let i = 0; i < 10; i++) await pass(60);
      assert.is(ask('one.test').rcode, RCODE.NOERROR);
      assert.ok(server.count(TARGET) - askedAt <= 4 * 10, 'tried again and again, with a back-off');
      for (let i = 0; i < 30; i++) await pass(100);
      assert.equal(ask('one.test'), EMPTY);
      assert.is(state(TARGET).status, 'failed');
      server.set(TARGET, { addresses: [OTHER_V4], ttl: 60 }, { addresses: [V6], ttl: 60 });
      await pass(150);
      assert.equal(ask('one.test'), { rcode: 0, addresses: [OTHER_V4], ttl: 60, extendedError: null });
    },
    { staleMax: 3600 },
  ));

test('"no such name" must be confirmed once', () =>
  withAlias(async ({ server, zone, ask, pass, state }) => {
    server.set(TARGET, { addresses: [V4], ttl: 20 }, { addresses: [V6], ttl: 20 });
    await zone('one.test', `@ ALIAS ${TARGET}.`, `sub ALIAS ${TARGET}.`);
    server.set(TARGET, undefined);
    await pass(20);
    assert.equal(ask('one.test').addresses, [V4], 'once is not believed');
    await pass(40);
    assert.is(server.count(TARGET), 3);
    assert.equal(ask('one.test'), { rcode: RCODE.NOERROR, addresses: [], ttl: null, extendedError: null });
    assert.is(ask('sub.one.test').rcode, RCODE.NOERROR, 'the name is still there');
    assert.is(state(TARGET).status, 'empty');
    assert.is(state(TARGET).error, 'the target does not exist');
    server.set(TARGET, { addresses: [V4], ttl: 20 });
    await pass(31);
    assert.equal(ask('one.test').addresses, [V4], 'and it comes back at once');
  }));

test('"no such name" between two answers changes nothing', () =>
  withAlias(async ({ server, zone, ask, pass, refresher }) => {
    server.set(TARGET, { addresses: [V4], ttl: 20 }, { addresses: [V6], ttl: 20 });
    await zone('one.test', `@ ALIAS ${TARGET}.`);
    const { written } = refresher.counts;
    for (let round = 0; round < 3; round++) {
      server.set(TARGET, undefined);
      await pass(20);
      server.set(TARGET, { addresses: [V4], ttl: 20 }, { addresses: [V6], ttl: 20 });
      await pass(40);
      assert.equal(ask('one.test').addresses, [V4]);
    }
    assert.is(refresher.counts.written, written);
  }));

test('"no such name" needs no confirmation for a new name, and is soon checked', () =>
  withAlias(async ({ server, zone, ask, pass }) => {
    server.set(TARGET, undefined);
    await zone('one.test', `@ ALIAS ${TARGET}.`);
    assert.equal(ask('one.test'), EMPTY);
    server.set(TARGET, { addresses: [V4] });
    await pass(6);
    assert.equal(ask('one.test').addresses, [V4]);
  }));

test('a target goes from one address family to the other and back', () =>
  withAlias(async ({ server, zone, ask, pass, state }) => {
    const only4 = () => server.set(TARGET, { addresses: [V4], ttl: 20 }, { rcode: 0, negativeTtl: 5 });
    const only6 = () => server.set(TARGET, { rcode: 0, negativeTtl: 5 }, { addresses: [V6], ttl: 20 });
    only4();
    await zone('one.test', `@ ALIAS ${TARGET}.`);
    await pass(6);
    for (let round = 0; round < 3; round++) {
      assert.equal(ask('one.test').addresses, [V4]);
      assert.equal(ask('one.test', TYPE.AAAA), { rcode: 0, addresses: [], ttl: null, extendedError: null });
      only6();
      await pass(20);
      assert.equal(ask('one.test', TYPE.AAAA).addresses, [V6], 'the new family at once');
      assert.equal(ask('one.test').addresses, [V4], 'the old one until it is confirmed that it went');
      await pass(20);
      assert.equal(ask('one.test'), { rcode: 0, addresses: [], ttl: null, extendedError: null });
      assert.equal(state(TARGET).addresses, [V6]);
      only4();
      await pass(20);
      await pass(20);
    }
  }));

test('addresses in special ranges are dropped, and the state says so', () =>
  withAlias(
    async ({ server, zone, ask, pass, state, refresher }) => {
      server.set(
        TARGET,
        {
          addresses: [
            ...['127.0.0.1', '169.254.169.254', V4, '192.168.1.1', '0.0.0.0', '10.1.2.3'],
            // Services of cloud platforms in public space.
            ...['168.63.129.16', '192.80.8.124', '161.26.0.10'],
          ],
        },
        { addresses: ['::1', 'fe80::1', 'fd00::1', '::ffff:10.0.0.1', '64:ff9b::a00:1', V6] },
      );
      server.set('inside.example', { addresses: ['10.9.9.9'] }, { addresses: ['fd00::2'] });
      await zone('one.test', `@ ALIAS ${TARGET}.`, '@ TXT x', 'in ALIAS inside.example.');
      assert.equal(ask('one.test').addresses, ['10.1.2.3', V4], 'the exempted prefix is answered');
      assert.equal(ask('one.test', TYPE.AAAA).addresses, [V6]);
      assert.is(state(TARGET).error, '127.0.0.1 is in 127.0.0.0/8, "Loopback" (RFC 1122), and is not served');
      assert.is(refresher.counts.dropped, 7 + 5 + 2);
      await pass(6);
      assert.equal(ask('in.one.test'), { rcode: 0, addresses: [], ttl: null, extendedError: null });
      assert.match(state('inside.example').error ?? '', /^10\.9\.9\.9 is in 10\.0\.0\.0\/8/);
    },
    { allowPrivate: [parsePrefix('10.1.0.0/16')] },
  ));

test('truncated responses are repeated over TCP, and servers without EDNS or with extra records are understood', () =>
  withAlias(async ({ server, zone, ask }) => {
    const many = Array.from({ length: 60 }, (_, i) => `93.184.216.${i}`);
    server.set('tcp.example', { addresses: many, truncated: true });
    server.set('old.example', { addresses: [V4], noEdns: true });
    server.set('odd.example', { addresses: [V4], strayFirst: true });
    await zone('one.test', 'tcp ALIAS tcp.example.', 'old ALIAS old.example.', 'odd ALIAS odd.example.');
    assert.is(ask('tcp.one.test').addresses.length, 32, 'no more are answered');
    assert.equal(server.overTcp, ['tcp.example A']);
    assert.equal(ask('old.one.test').addresses, [V4]);
    assert.equal(ask('odd.one.test').addresses, [V4]);
  }));

test('a restart serves the last good answer, and looks it up again', () =>
  withAlias(async ({ server, zone, ask, restart, pass, store }) => {
    server.set(TARGET, { addresses: [V4], ttl: 60 }, { addresses: [V6], ttl: 60 });
    await zone('one.test', `@ ALIAS ${TARGET}.`);
    server.set(TARGET, { rcode: RCODE.SERVFAIL }, { rcode: RCODE.SERVFAIL });
    await restart();
    assert.equal(ask('one.test').addresses, [V4]);
    server.set(TARGET, { addresses: [OTHER_V4], ttl: 60 }, { addresses: [V6], ttl: 60 });
    await pass(5);
    assert.equal(ask('one.test').addresses, [OTHER_V4]);
    assert.is(store.environment.rows.get(11)!.getCount(), 1);
  }));

test('a target without records is forgotten', () =>
  withAlias(async ({ server, zone, add, remove, pass, ask, states, store }) => {
    server.set(TARGET, { addresses: [V4], ttl: 60 });
    const domain = await zone('one.test', 'x TXT x');
    const rows = [await add(domain, `a ALIAS ${TARGET}.`), await add(domain, `b ALIAS ${TARGET}.`)];
    await remove(rows[0]);
    assert.is(states.live.size, 1);
    assert.equal(ask('b.one.test').addresses, [V4]);
    await remove(rows[1]);
    assert.is(states.live.size, 0);
    assert.is(store.environment.rows.get(11)!.getCount(), 0);
    const askedAt = server.count(TARGET);
    await pass(600);
    assert.is(server.count(TARGET), askedAt);
    await add(domain, `a ALIAS ${TARGET}.`);
    assert.equal(ask('a.one.test').addresses, [V4]);
  }));

test.run();
