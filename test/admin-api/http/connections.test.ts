import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { AnonymousConnectionCount, ConnectionCount, formatAddress } from '../../../admin-api/http/connections.ts';
import { Random } from '../../support/random.ts';

const test = suite('admin-api/http/connections');

test('counts connections in total and for each client, and removes closed ones', () => {
  const count = new ConnectionCount({ total: 3, perAddress: 2 });
  const first = count.enter('192.0.2.1');
  const second = count.enter('192.0.2.1');
  assert.is(count.enter('192.0.2.1'), undefined);
  const other = count.enter('2001:db8::1');
  assert.ok(first && second && other);
  assert.is(count.enter('192.0.2.2'), undefined, 'the total');
  first();
  const again = count.enter('2001:db8::ffff:1');
  assert.ok(again);
  other();
  assert.is(count.enter('2001:db8:0:1::1') === undefined, false, 'another /64');
  again();
  second();
});

test('clients elsewhere leave a quarter of all connections to those of this machine', () => {
  const limits = { total: 8, perAddress: 100 };
  const count = new ConnectionCount(limits);
  for (let i = 0; i < 6; i++) assert.ok(count.enter(`192.0.2.${i}`));
  assert.is(count.enter('192.0.2.7'), undefined);
  assert.ok(count.enter('127.0.0.1'));
  assert.ok(count.enter('::1'));
  assert.is(count.enter('::ffff:127.0.0.1'), undefined, 'the total');
  const anonymous = new AnonymousConnectionCount(limits, () => []);
  for (let i = 0; i < 6; i++) assert.ok(anonymous.opened(`192.0.2.${i}`));
  assert.not(anonymous.opened('192.0.2.7'));
  anonymous.closed();
  assert.ok(anonymous.opened('127.0.0.1'));
  assert.ok(anonymous.opened('127.0.0.1'));
  assert.not(anonymous.opened('127.0.0.1'), 'the total');
});

test('an IPv6 client is a /64, and an IPv4 client is equal on IPv4 and IPv6 sockets', () => {
  const count = new ConnectionCount({ total: 10, perAddress: 1 });
  assert.ok(count.enter('2001:db8::1'));
  assert.is(count.enter('2001:db8::2'), undefined);
  assert.is(formatAddress(Uint8Array.of(0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 255, 255, 192, 0, 2, 1)), '192.0.2.1');
  assert.is(formatAddress(Uint8Array.of(32, 1, 13, 184, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 1)), '2001:db8:0:0:0:0:0:1');
});

/** A transport that reports closed connections without addresses, and a kernel that lists them. */
test('without addresses of closed connections, the limit is never exceeded, and after a listing it is exact', () => {
  const LIMITS = { total: 40, perAddress: 8 };
  const random = new Random(7);
  const open: string[] = [];
  let listings = 0;
  const count = new AnonymousConnectionCount(LIMITS, () => {
    listings++;
    return open;
  });
  let refused = 0;
  for (let i = 0; i < 20_000; i++) {
    const address = `127.0.2.${random.below(5)}`;
    if (random.below(2) === 0 && open.length > 0) {
      open.splice(random.below(open.length), 1);
      count.closed();
      continue;
    }
    const before = listings;
    open.push(address);
    const has = open.filter((other) => other === address).length;
    if (count.opened(address)) {
      assert.ok(has <= LIMITS.perAddress && open.length <= LIMITS.total);
      continue;
    }
    refused++;
    // After a recent listing, a rejected client is above its limit.
    if (listings > before) assert.ok(has > LIMITS.perAddress);
    open.pop();
    count.closed();
  }
  assert.is(count.total, open.length);
  assert.ok(refused > 0 && listings > 0);
});

test('if the kernel cannot list connections, only the total is limited', () => {
  const count = new AnonymousConnectionCount({ total: 5, perAddress: 2 }, () => undefined);
  assert.ok(count.opened('127.0.2.1') && count.opened('127.0.2.1'));
  const results = [count.opened('127.0.2.2'), count.opened('127.0.2.2'), count.opened('127.0.2.3')];
  assert.equal(results, [true, true, true]);
  assert.not(count.opened('127.0.2.4'));
});

test.run();
