/** Timeouts of a connection by a clock of the test. */
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { BodyQueue } from '../../../../edge/http/exchange/body-queue.ts';
import { Http1Counters } from '../../../../edge/http/http1/counters.ts';
import { Deadlines } from '../../../../edge/http/http1/deadlines.ts';
import { DEFAULT_HTTP1_LIMITS } from '../limits.ts';

const CLIENT = { address: '192.0.2.1', port: 1, serverName: '', isEncrypted: false };

/** A connection with an active request, and what its deadlines do to it. */
function connection() {
  const queue = new BodyQueue({ onFirstRead() {}, onTaken() {} }, 1_000_000);
  const events: unknown[] = [];
  const state = {
    limits: DEFAULT_HTTP1_LIMITS,
    context: { counters: new Http1Counters(), isDraining: false },
    client: CLIENT,
    outgoing: { isPending: false, pieces: 0, sent: 0, unacknowledged: 0 },
    received: 100,
    requests: 1,
    active: { queue, isTunnel: false, isConversation: false, isEnded: false },
    isLingering: false,
    isInHead: false,
    isPressed: false,
    refuse: (refusal: unknown) => events.push(refusal),
    endIdle: () => events.push('idle'),
    close: () => events.push('close'),
    destroy: () => events.push('destroy'),
  };
  const deadlines = new Deadlines(state as never);
  const start = performance.now();
  let at = 0;
  /** Checks once a second; returns what has happened. */
  const advance = (seconds: number): unknown[] => {
    for (let i = 0; i < seconds; i++) deadlines.check(start + ++at * 1000);
    return events.splice(0);
  };
  return { state, queue, advance };
}

const SLOW = [{ status: 408, reason: 'slow_body' }];

test('a body may pause for a minute', () => {
  const { state, queue, advance } = connection();
  void queue.read().catch(() => {});
  for (let i = 0; i < 5; i++) {
    assert.equal(advance(61), []);
    queue.push(Buffer.alloc(50_000));
    state.received += 50_000;
    void queue.read().catch(() => {});
  }
  assert.equal(advance(77).slice(0, 1), SLOW);
});

test('a slow body ends soon when slots or memory are scarce', () => {
  const { state, queue, advance } = connection();
  void queue.read().catch(() => {});
  assert.equal(advance(30), []);
  state.isPressed = true;
  assert.equal(advance(1), SLOW);
});

test('a stream of events may be silent as long as a tunnel', () => {
  const { state, queue, advance } = connection();
  queue.finish();
  assert.equal(advance(303).slice(0, 1), ['idle']);
  const stream = connection();
  stream.queue.finish();
  stream.state.active.isConversation = true;
  assert.equal(stream.advance(600), []);
  assert.equal(stream.advance(3).slice(0, 1), ['idle']);
  assert.is(state.active.isConversation, false);
});

test('a closed connection waits while the client sends, and not for ever', () => {
  const { state, advance } = connection();
  state.isLingering = true;
  for (let i = 0; i < 25; i++) {
    state.received += 10;
    assert.equal(advance(1), []);
  }
  assert.equal(advance(7).at(-1), 'destroy');
  const other = connection();
  other.state.isLingering = true;
  let seconds = 0;
  for (; other.advance(1).length === 0; seconds++) other.state.received += 10;
  assert.ok(seconds >= 30 && seconds < 33, `${seconds} seconds`);
  const draining = connection();
  draining.state.isLingering = true;
  draining.state.context.isDraining = true;
  for (seconds = 0; draining.advance(1).length === 0; seconds++) draining.state.received += 10;
  assert.ok(seconds < 8, `${seconds} seconds`);
});

test.run();
