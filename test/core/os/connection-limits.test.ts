/** How many connections are taken: in all and of one client, over threads. */
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { Client } from '../../../core/net/address/client.ts';
import { setClientAddress } from '../../../core/net/address/ipv6.ts';
import { CLIENT_FULL, ConnectionLimits, FULL, forgetThread, shareLimits } from '../../../core/os/connection-limits.ts';

const test = suite('limits of connections');

function clientAt(address: string): Client {
  const client = new Client();
  setClientAddress(client, address, 1);
  return client;
}

const A = clientAt('2001:db8:0:1::1');
const B = clientAt('2001:db8:0:2::1');

test('a /64 is one client over all threads; the slots of an ended thread are returned', () => {
  const shared = shareLimits(2);
  const [first, second] = [0, 1].map((thread) => new ConnectionLimits(shared, thread, 10, 2));
  first.enter(A);
  const bucket = second.enter(clientAt('2001:db8:0:1:ffff::9'));
  assert.ok(bucket > 0);
  assert.is(first.enter(A), CLIENT_FULL);
  assert.ok(first.enter(B) > 0);
  second.leave(bucket);
  assert.ok(second.enter(A) > 0);
  forgetThread(shared, 0);
  assert.is(first.open, 0);
  assert.ok(first.enter(A) > 0);
});

test('a client with its full share is refused, also at the total limit: no other connection is closed for it', () => {
  const limits = new ConnectionLimits(shareLimits(1), 0, 3, 2);
  for (const client of [A, A, B]) limits.enter(client);
  assert.is(limits.enter(A), CLIENT_FULL);
  assert.is(limits.enter(B), FULL);
});

test('each thread keeps connections that it can close', () => {
  const shared = shareLimits(2);
  const [first, second] = [0, 1].map((thread) => new ConnectionLimits(shared, thread, 8, 100));
  for (let i = 0; i < 6; i++) assert.ok(first.enter(A) > 0);
  assert.is(first.enter(A), FULL);
  const bucket = second.enter(B);
  assert.ok(second.enter(B) > 0);
  assert.is(second.enter(B), FULL);
  assert.equal([second.heldBy(A), second.heldBy(B), second.held(bucket)], [6, 2, 2]);
  const alone = new ConnectionLimits(shareLimits(1), 0, 2, 100);
  assert.ok(alone.enter(A) > 0 && alone.enter(B) > 0);
  assert.is(alone.enter(B), FULL);
});

test.run();
