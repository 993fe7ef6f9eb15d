/** Which requests give way to others of the same network. */
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { Call, newCounters } from '../../../edge/origin/call.ts';
import type { Carrier } from '../../../edge/origin/carrier.ts';
import { queuedToYield, yielding } from '../../../edge/origin/share-queue.ts';
import { until } from '../../support/until.ts';
import { faultOf, OK, request, seen, withOrigin } from './rig.ts';

const NOW = 100_000;
const LONG_AGO = NOW - 60_000;
const SECOND_AGO = NOW - 1000;
const NETWORK = '192.0.2.1';
const IGNORED = { onResponse: () => {}, onFailure: () => {} };
const [crowd, page, third] = [{ name: 'crowd' }, { name: 'page' }, { name: 'third' }];

function callOf(visitor: object, sentAt = 0, client = NETWORK): Call {
  const call = new Call(request(1, { client, site: 'a', visitor }), undefined, IGNORED, newCounters());
  call.sentAt = sentAt;
  return call;
}

const carrying = (call: Call): Carrier => ({ carried: call }) as Carrier;
const carriersOf = (count: number, visitor: object, sentAt: number): Carrier[] =>
  Array.from({ length: count }, (_, i) => carrying(callOf(visitor, sentAt + i)));

test('the oldest request on the connection with the most gives way to a connection with fewer', () => {
  const carriers = [...carriersOf(1, third, LONG_AGO), ...carriersOf(3, crowd, SECOND_AGO)];
  const call = callOf(page);
  assert.is(yielding([call], carriers, NOW)?.carrier, carriers[1]);
});

test('the connection with the fewest requests is next, not the one that asked first', () => {
  const queued = [...Array.from({ length: 5 }, () => callOf(crowd)), callOf(page)];
  assert.is(yielding(queued, carriersOf(3, crowd, SECOND_AGO), NOW)?.call, queued[5]);
});

test('a request that was just sent, or on a connection with as few, does not give way', () => {
  assert.is(yielding([callOf(page)], carriersOf(9, crowd, NOW - 100), NOW), null);
  assert.is(
    yielding([callOf(page)], [...carriersOf(1, crowd, SECOND_AGO), ...carriersOf(1, third, SECOND_AGO)], NOW),
    null,
  );
});

test('after half a minute any request gives way', () => {
  const carriers = [...carriersOf(1, crowd, SECOND_AGO), ...carriersOf(1, third, LONG_AGO)];
  assert.is(yielding([callOf(page)], carriers, NOW)?.carrier, carriers[1]);
});

test('requests of other networks and sites do not give way', () => {
  const other = carrying(callOf(crowd, LONG_AGO, '192.0.2.2'));
  assert.is(yielding([callOf(page)], [other], NOW), null);
});

test('the last queued request of the connection with the most gives its place in the queue', () => {
  const queued = [callOf(third), callOf(crowd), callOf(crowd), callOf(crowd)];
  assert.is(queuedToYield(queued, callOf(page)), queued[3]);
  assert.is(queuedToYield(queued, callOf(crowd)), null);
  assert.is(queuedToYield(queued.slice(0, 2), callOf(page)), null);
});

test('a visitor is answered while another connection of its network holds the share of the network', () =>
  withOrigin(
    (socket, head) => {
      if (head.startsWith('GET /page')) socket.write(OK);
    },
    async (origin, { fetch }) => {
      const held = Array.from({ length: 20 }, (_, i) =>
        faultOf(fetch(request(origin.port, { client: NETWORK, visitor: crowd, path: `/held${i}` }))),
      );
      await until(() => origin.accepted === 4, 'the share of the network');
      assert.is(
        (await seen(fetch(request(origin.port, { client: NETWORK, visitor: page, path: '/page' })))).body,
        'ok',
      );
      // One gave its place in the queue, and one its connection.
      assert.equal([await held[4 + 7], await held[0]], ['busy', 'busy']);
    },
    { limits: { connections: 8, waiting: 16 } },
  ));

test.run();
