/**
 * Connections that are registered with epoll later: the order of their second reads, and when
 * connections wait at all.
 */
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { NEWCOMER_MS, Newcomers } from '../../../core/nameserver/tcp-newcomers.ts';
import { TcpPeer } from '../../../core/nameserver/tcp-peer.ts';
import { depth } from '../../support/depth.ts';
import { ask, byteOf, type Served, serve } from './fixture.ts';
import { framed, StreamClient } from './stream-client.ts';

const test = suite('newcomers');
/** From about 100 closed connections on, the server lets new connections wait. */
const CLOSING = depth({ quick: 150, moderate: 400, full: 400 });

const peerOf = (tag: number): TcpPeer => Object.assign(new TcpPeer(tag), { tag });

test('connections leave in order of arrival, each when it is due, in any number', () => {
  const newcomers = new Newcomers();
  assert.is(newcomers.nextDue, Number.POSITIVE_INFINITY);
  const expected: number[] = [];
  const left: number[] = [];
  const shift = (): void => {
    assert.is(newcomers.nextDue, expected[left.length] + NEWCOMER_MS);
    left.push(newcomers.shift()!.tag);
  };
  for (let i = 0; i < 1000; i++) {
    newcomers.put(peerOf(i), i);
    expected.push(i);
    // The ring grows with its start at different positions.
    if (i % 3 === 0) shift();
  }
  while (left.length < expected.length) shift();
  assert.equal(left, expected);
  assert.is(newcomers.nextDue, Number.POSITIVE_INFINITY);
});

test('a slot that has been reused is skipped', () => {
  const newcomers = new Newcomers();
  const peer = peerOf(7);
  newcomers.put(peer, 0);
  peer.tag = 8;
  newcomers.put(peer, 0);
  assert.is(newcomers.shift(), null);
  assert.is(newcomers.shift(), peer);
});

test('connections wait while most have closed at the second read; otherwise few wait', () => {
  const newcomers = new Newcomers();
  const share = (): number => Array.from({ length: 2560 }, () => newcomers.shouldWait()).filter(Boolean).length;
  assert.is(share(), 10);
  for (let i = 0; i < 200; i++) newcomers.recordOutcome(true);
  assert.is(share(), 2560);
  // A connection that continues counts as much as four that close.
  for (let i = 0; i < 9; i++) newcomers.recordOutcome(false);
  assert.is(share(), 10);
});

test('many connections that close, then connections that continue: all queries are answered', async () => {
  const served: Served = await serve({ transport: 'batch' });
  try {
    for (let i = 0; i < CLOSING; i++) {
      const client = new StreamClient(served.port);
      client.socket.write(framed(ask(`host${i % 100}`)));
      assert.is(byteOf((await client.answers(1))[0]), i % 100);
      client.socket.destroy();
    }
    const clients = Array.from({ length: 20 }, () => new StreamClient(served.port));
    for (let round = 1; round <= 5; round++)
      for (const [i, client] of clients.entries()) {
        client.socket.write(framed(ask(`host${i + round}`)));
        assert.is(byteOf((await client.answers(round))[round - 1]), i + round);
      }
    for (const { socket } of clients) socket.destroy();
  } finally {
    await served.stop();
  }
});

test.run();
