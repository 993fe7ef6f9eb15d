/** The small parts of a session, each by itself, against tables and slow references. */
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { CLOSED, ClosedStreams } from '../../../../edge/http/http2/closed-streams.ts';
import { FLOOD, FloodGate } from '../../../../edge/http/http2/flood-gate.ts';
import { HeaderBlock } from '../../../../edge/http/http2/header-block.ts';
import { DEFAULT_LIMITS } from '../../../../edge/http/http2/limits.ts';
import { ReceiveWindow } from '../../../../edge/http/http2/receive-window.ts';
import { isIncremental, type Schedulable, Scheduler, urgencyOf } from '../../../../edge/http/http2/scheduler.ts';
import { PeerSettings } from '../../../../edge/http/http2/settings.ts';
import fc from '../../../support/fc.ts';
import { settings } from './rig.ts';

test('closed streams: the last 256 are remembered', () => {
  const step = fc.record({ skip: fc.nat(300), way: fc.constantFrom(CLOSED.ended, CLOSED.byClient, CLOSED.byServer) });
  fc.assert(
    fc.property(fc.array(step, { maxLength: 60 }), (steps) => {
      const closed = new ClosedStreams();
      const ways = new Map<number, number>();
      let last = -1;
      for (const { skip, way } of steps) {
        last += 2 + 2 * skip;
        closed.open(last);
        closed.close(last, way);
        ways.set(last, way);
      }
      assert.is(closed.last, Math.max(last, 0));
      for (let id = 1; id <= last; id += 2) {
        const expected = last - id >= 512 ? CLOSED.forgotten : (ways.get(id) ?? CLOSED.never);
        assert.is(closed.way(id), expected, `stream ${id} of ${last}`);
      }
    }),
    { numRuns: 200 },
  );
});

test('receive window: never larger than its size, and fully open once everything is read', () => {
  fc.assert(
    fc.property(fc.integer({ min: 1, max: 1000 }), fc.array(fc.tuple(fc.nat(300), fc.nat(300))), (size, steps) => {
      const window = new ReceiveWindow(size);
      let client = size; // what the client believes that it may send
      let held = 0;
      for (const [sent, taken] of steps) {
        assert.is(window.receive(sent), sent <= client);
        if (sent <= client) {
          client -= sent;
          held += sent;
        }
        const data = Math.min(taken, held);
        held -= data;
        client += window.give(data);
        assert.is(window.available, client);
        assert.ok(client + held <= size);
        // More than half is never kept from the client once it has been taken.
        assert.ok((size - client - held) * 2 < size || size === 0, `${client} ${held} ${size}`);
      }
    }),
  );
});

test('flood gate: a burst, then the rate, and no more', () => {
  const gate = new FloodGate({ ...DEFAULT_LIMITS, pingBurst: 5, pingRate: 2 }, 0);
  const passes = (count: number, now: number): boolean[] =>
    Array.from({ length: count }, () => gate.admit(FLOOD.ping, now));
  assert.equal(passes(6, 0), [true, true, true, true, true, false]);
  assert.equal(passes(3, 1), [true, true, false]);
  assert.equal(passes(6, 100), [true, true, true, true, true, false]);
});

test('flood gate: each kind has its own level, and credit lowers it', () => {
  const gate = new FloodGate({ ...DEFAULT_LIMITS, pingBurst: 1, resetBurst: 1 }, 0);
  assert.is(gate.admit(FLOOD.ping, 0), true);
  assert.is(gate.admit(FLOOD.reset, 0), true);
  gate.credit(FLOOD.ping, 10);
  assert.is(gate.admit(FLOOD.ping, 0), true);
  assert.is(gate.admit(FLOOD.reset, 0), false);
});

test('settings: accepted, fatal and ignored ones', () => {
  const rows: readonly [string, readonly (readonly [number, number])[], string | null][] = [
    ['nothing', [], null],
    ['unknown', [[0x99, 0xffffffff]], null],
    ['push off', [[2, 0]], null],
    ['push on', [[2, 1]], null],
    ['push 2', [[2, 2]], 'session_protocol'],
    ['window at most', [[4, 0x7fffffff]], null],
    ['window beyond', [[4, 0x80000000]], 'session_flow_control'],
    ['frames of 16,384', [[5, 16_384]], null],
    ['frames of 16,383', [[5, 16_383]], 'session_protocol'],
    ['frames of 2^24-1', [[5, 0xffffff]], null],
    ['frames of 2^24', [[5, 0x1000000]], 'session_protocol'],
    ['connect protocol 2', [[8, 2]], 'session_protocol'],
    ['priorities 2', [[9, 2]], 'session_protocol'],
    [
      'the first error counts',
      [
        [4, 1],
        [2, 7],
        [4, 0x80000000],
      ],
      'session_protocol',
    ],
  ];
  for (const [name, pairs, expected] of rows) {
    const bytes = settings(...pairs);
    assert.is(new PeerSettings().take(bytes, 9, bytes.length)?.name ?? null, expected, name);
  }
  assert.is(new PeerSettings().take(Buffer.alloc(5), 0, 5)?.name, 'session_frame_size');
});

test('settings: the last value counts, and the smallest table size is kept', () => {
  const peer = new PeerSettings();
  const bytes = settings([1, 100], [1, 0], [1, 2000], [4, 5], [4, 6]);
  assert.is(peer.take(bytes, 9, bytes.length), null);
  assert.equal([peer.headerTableSize, peer.leastHeaderTableSize, peer.initialWindow], [2000, 0, 6]);
  assert.is(peer.take(bytes, 9, 9), null);
  assert.is(peer.leastHeaderTableSize, 2000);
});

test('header block: assembled, bounded in bytes and in frames', () => {
  const block = new HeaderBlock({ ...DEFAULT_LIMITS, maxHeaderBlock: 10, maxContinuations: 3 });
  const bytes = Buffer.from('0123456789abcdef');
  assert.is(block.open(1, true, bytes, 0, 4), true);
  assert.is(block.continue(bytes, 4, 4), true);
  assert.is(block.continue(bytes, 4, 10), true);
  assert.is(block.continue(bytes, 10, 11), false);
  assert.is(block.close().toString(), '0123456789');
  assert.is(block.streamId, 0);
  block.open(3, false, bytes, 0, 0);
  assert.equal(
    [1, 2, 3, 4].map(() => block.continue(bytes, 0, 1)),
    [true, true, true, false],
  );
  block.close();
  assert.is(block.open(5, false, bytes, 0, 11), false);
});

test('priority: urgency and incremental of RFC 9218', () => {
  const rows: readonly [string, number, boolean][] = [
    ['u=0', 0, false],
    ['u=7, i', 7, true],
    ['i, u=1', 1, true],
    ['i=?1', 3, true],
    ['i=?0', 3, false],
    ['u=8', 3, false],
    ['u=-1', 3, false],
    ['u=55', 3, false],
    ['', 3, false],
    ['ui, xu=1, i2', 3, false],
    ['u=2;foo=1,i;bar', 2, true],
  ];
  for (const [value, urgency, incremental] of rows)
    assert.equal([urgencyOf(value), isIncremental(value)], [urgency, incremental], value);
});

interface Item extends Schedulable {
  readonly name: string;
  left: number;
}

function served(items: readonly (readonly [string, number, number, boolean?])[]): string {
  const scheduler = new Scheduler<Item>();
  for (const [name, urgency, left, isSequential = false] of items)
    scheduler.add({ name, urgency, left, isSequential, isScheduled: false, nextScheduled: null });
  let order = '';
  for (let item = scheduler.take(); item !== null; item = scheduler.take()) {
    order += item.name;
    if (--item.left > 0) scheduler.again(item);
  }
  assert.is(scheduler.isEmpty, true);
  return order;
}

test('scheduler: the urgent first, equals in turn, sequential ones to their end', () => {
  assert.is(
    served([
      ['a', 3, 3],
      ['b', 3, 1],
      ['c', 3, 2],
    ]),
    'abcaca',
  );
  assert.is(
    served([
      ['a', 3, 2],
      ['b', 0, 2],
      ['c', 7, 1],
    ]),
    'bbaac',
  );
  assert.is(
    served([
      ['a', 3, 3, true],
      ['b', 3, 2, true],
    ]),
    'aaabb',
  );
});

test('scheduler: a stream is queued once', () => {
  const scheduler = new Scheduler<Item>();
  const item: Item = { name: 'a', left: 1, urgency: 3, isSequential: false, isScheduled: false, nextScheduled: null };
  scheduler.add(item);
  scheduler.add(item);
  assert.is(scheduler.take(), item);
  assert.is(scheduler.take(), null);
});

test('scheduler: a removed stream is not served, whatever its urgency, and all others are', () => {
  const command = fc.record({
    place: fc.nat(9),
    urgency: fc.nat(7),
    kind: fc.constantFrom('add', 'add', 'remove', 'take', 'turn'),
  });
  fc.assert(
    fc.property(fc.array(command, { maxLength: 60 }), (commands) => {
      const scheduler = new Scheduler<Item>();
      const items = Array.from(
        { length: 10 },
        (_, i): Item => ({
          name: `${i}`,
          left: 1,
          urgency: 3,
          isSequential: i % 2 === 0,
          isScheduled: false,
          nextScheduled: null,
        }),
      );
      const lists: Item[][] = Array.from({ length: 8 }, () => []);
      const without = (item: Item): void => {
        for (const list of lists) if (list.includes(item)) list.splice(list.indexOf(item), 1);
      };
      const next = (): Item | null => lists.find((list) => list.length > 0)?.[0] ?? null;
      for (const { place: position, urgency, kind } of commands) {
        const item = items[position];
        if (kind === 'remove') {
          scheduler.remove(item);
          without(item);
        } else if (kind === 'turn') item.urgency = urgency;
        else if (kind === 'add') {
          if (!item.isScheduled) lists[item.urgency].push(item);
          scheduler.add(item);
        } else {
          const expected = next();
          assert.is(scheduler.take(), expected);
          if (expected !== null) without(expected);
        }
      }
      for (let expected = next(); expected !== null; expected = next()) {
        assert.is(scheduler.take(), expected);
        without(expected);
      }
      assert.is(scheduler.take(), null);
    }),
  );
});

test.run();
