/** Delivery of request logs: batches, retries, limits and counts, with a clock of its own. */

import { setImmediate as settle } from 'node:timers/promises';
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { createLogger } from '../../../../core/base/log/index.ts';
import type { Attempt } from '../../../../core/net/delivery/sender.ts';
import { BATCH_BYTES, LogDeliverer, MAX_AGE } from '../../../../core/site/logs/deliverer.ts';
import { LOGS, type LogsDocument } from '../../../../core/site/logs/document.ts';
import type { Batch } from '../../../../core/site/logs/outbox.ts';
import { depth } from '../../../support/depth.ts';
import fc from '../../../support/fc.ts';
import { singleNodeTasks } from '../../../support/tasks.ts';

const ENDPOINT = { url: 'https://logs.test/', sealedAuthorization: '', sealedSecret: '' };
const DOCUMENT: LogsDocument = { ...LOGS.empty, isEnabled: true, endpoint: ENDPOINT };
const OK: Attempt = { status: 200, error: null, milliseconds: 1 };
const failed = (status: number | null): Attempt => ({ status, error: `status ${status}`, milliseconds: 1 });

interface Sent {
  readonly domainId: number;
  readonly id: string;
  readonly text: string;
  readonly dropped: number;
}

function rig(document: LogsDocument | null = DOCUMENT) {
  const state = { now: 1000, isPaused: false, document, answer: async (): Promise<Attempt> => OK };
  const sent: Sent[] = [];
  const deliverer = new LogDeliverer({
    nodeName: 'a',
    tasks: singleNodeTasks(),
    log: createLogger({ level: 'error', format: 'text' }),
    accountOf: (domainId) => Math.floor(domainId / 1000),
    readDocument: () => state.document ?? LOGS.empty,
    send(domainId, _document, { id, text }: Batch, dropped) {
      sent.push({ domainId, id, text: text.toString(), dropped });
      return state.answer();
    },
    isPaused: () => state.isPaused,
    release() {},
    now: () => state.now,
    random: () => 0.5,
  });
  const receive = (text: string, domainId = 7, dropped = 0): void =>
    deliverer.receive([{ domainId, text, lines: text.split('\n').length - 1, dropped }]);
  /** One round after some seconds. */
  const after = async (seconds: number): Promise<void> => {
    state.now += seconds;
    deliverer.turn();
    await settle();
  };
  return { state, sent, deliverer, receive, after };
}

test('slow receivers of one account delay those of no other', async () => {
  const { state, sent, receive, after } = rig();
  state.answer = () => new Promise(() => {});
  for (let i = 0; i < 100; i++) receive('slow\n', 1000 + i);
  await after(6);
  assert.is(sent.length, 32);
  receive('other\n', 2000);
  await after(6);
  assert.equal(
    sent.slice(32).map(({ text }) => text),
    ['other\n'],
  );
});

test('lines are collected for some seconds, and sent together', async () => {
  const { sent, deliverer, receive, after } = rig();
  receive('a\n');
  await after(1);
  receive('b\nc\n');
  assert.equal(sent, []);
  assert.is(deliverer.stateOf(7).waiting_lines, 3);
  await after(4);
  assert.equal(
    sent.map(({ text }) => text),
    ['a\nb\nc\n'],
  );
  const { delivered_lines, delivered_batches, waiting_lines, last_delivered_at, last_error } = deliverer.stateOf(7);
  assert.equal(
    [delivered_lines, delivered_batches, waiting_lines, last_delivered_at, last_error],
    [3, 1, 0, 1005, null],
  );
  assert.equal(deliverer.counts, { delivered: 3, dropped: 0, bytes: 0 });
});

test('while deliveries are paused, lines wait, tests are refused, and a stop does not wait', async () => {
  const { state, sent, deliverer, receive, after } = rig();
  state.isPaused = true;
  receive('a\n');
  await after(10);
  assert.match(String((await deliverer.test(7, 'line\n'))?.error), /paused after a restore/);
  assert.equal([sent.length, deliverer.stateOf(7).waiting_lines], [0, 1]);
  state.isPaused = false;
  await after(1);
  assert.equal(
    sent.map(({ text }) => text),
    ['a\n'],
  );
  state.isPaused = true;
  receive('b\n');
  await deliverer.stop();
  assert.is(sent.length, 1);
});

test('a full batch is sent at once; a bucket gets larger objects', async () => {
  const bucket = {
    endpoint: '',
    region: '',
    name: '',
    prefix: '',
    isPathStyle: true,
    accessKeyId: '',
    sealedSecretAccessKey: '',
  };
  const { sent, receive, after, state } = rig({ ...DOCUMENT, endpoint: null, bucket });
  receive('a\n');
  await after(30);
  assert.is(sent.length, 0);
  await after(30);
  assert.is(sent.length, 1);
  receive(`${'x'.repeat(BATCH_BYTES)}\n`);
  state.now += 0.1;
  await after(0);
  assert.is(sent.length, 2);
});

test('a failed batch is sent again with growing pauses, under the same id, before later lines', async () => {
  const { sent, deliverer, receive, after, state } = rig();
  state.answer = async () => failed(503);
  receive('a\n');
  await after(5);
  receive('b\n');
  await after(0.9);
  assert.is(sent.length, 1);
  await after(0.2);
  assert.is(sent.length, 2);
  await after(1.9);
  assert.is(sent.length, 2);
  state.answer = async () => OK;
  await after(0.2);
  assert.is(sent.length, 3);
  assert.is(new Set(sent.map(({ id }) => id)).size, 1);
  assert.is(deliverer.stateOf(7).failures, 0);
  await after(5);
  assert.is(sent[3].text, 'b\n');
  assert.not.equal(sent[3].id, sent[0].id);
});

test('lines that wait too long are dropped, counted, and reported with the next batch', async () => {
  const { sent, deliverer, receive, after, state } = rig();
  state.answer = async () => failed(null);
  receive('a\nb\n');
  await after(5);
  assert.match(deliverer.stateOf(7).last_error ?? '', /status null/);
  await after(MAX_AGE);
  assert.is(deliverer.stateOf(7).dropped_lines, 2);
  state.answer = async () => OK;
  receive('c\n', 7, 4);
  await after(60);
  assert.equal([sent.at(-1)?.text, sent.at(-1)?.dropped], ['c\n', 6]);
  receive('d\n');
  await after(5);
  assert.is(sent.at(-1)?.dropped, 0);
  assert.is(deliverer.stateOf(7).dropped_lines, 6);
  assert.is(deliverer.counts.dropped, 6);
});

test('a batch that the receiver cannot process is dropped at once', async () => {
  for (const status of [400, 413, 422]) {
    const { deliverer, receive, after, state } = rig();
    state.answer = async () => failed(status);
    receive('a\n');
    await after(5);
    const { dropped_lines, waiting_lines, failures } = deliverer.stateOf(7);
    assert.equal([dropped_lines, waiting_lines, failures], [1, 0, 1]);
  }
});

test('a domain without a destination receives nothing, and what waits is forgotten', async () => {
  const { sent, deliverer, receive, after, state } = rig(null);
  receive('a\n');
  await after(100);
  state.document = DOCUMENT;
  deliverer.forget([7]);
  receive('b\n');
  state.document = { ...DOCUMENT, isEnabled: false };
  deliverer.forget([7]);
  await after(100);
  assert.equal([sent, deliverer.stateOf(7).waiting_lines, deliverer.counts.bytes], [[], 0, 0]);
});

test('the memory of a domain and of all is limited; the largest loses its oldest lines', async () => {
  const { deliverer, receive, after, state } = rig();
  state.answer = () => new Promise(() => {});
  const MB = 1 << 20;
  const large = `${'x'.repeat(MB - 1)}\n`;
  for (let i = 0; i < 20; i++) receive(large, 1);
  assert.is(deliverer.counts.bytes, 8 * MB);
  assert.equal([deliverer.stateOf(1).dropped_lines, deliverer.stateOf(1).waiting_lines], [12, 8]);
  await after(10);
  for (let domainId = 2; domainId <= 30; domainId++) {
    for (let i = 0; i < 8; i++) receive(large, domainId);
    assert.ok(deliverer.counts.bytes <= 64 * MB);
  }
  receive('small\n', 99);
  assert.is(deliverer.stateOf(99).waiting_lines, 1);
});

test('many domains of one account cost no lines of an account that has fewer', () => {
  const { deliverer, receive, state } = rig();
  state.answer = () => new Promise(() => {});
  const chunk = `${'x'.repeat((1 << 18) - 1)}\n`;
  for (let i = 0; i < 3; i++) receive(chunk, 2000);
  for (let i = 0; i < 600; i++) receive(chunk, 1000 + i);
  assert.equal([deliverer.stateOf(2000).waiting_lines, deliverer.stateOf(2000).dropped_lines], [3, 0]);
});

test('a receiver that does not respond delays no other; a stop sends what waits', async () => {
  const { sent, receive, after, state } = rig();
  state.answer = () => new Promise(() => {});
  receive('hangs\n', 1);
  await after(5);
  state.answer = async () => OK;
  receive('a\n', 2);
  await after(5);
  assert.equal(
    sent.map(({ domainId }) => domainId),
    [1, 2],
  );
  const other = rig();
  let respond = (_attempt: Attempt): void => {};
  other.state.answer = () =>
    new Promise((resolve) => {
      respond = resolve;
    });
  other.receive('last\n');
  let isStopped = false;
  const stop = other.deliverer.stop().then(() => {
    isStopped = true;
  });
  await settle();
  assert.equal(
    other.sent.map(({ text }) => text),
    ['last\n'],
  );
  assert.not(isStopped, 'it waits for the response');
  respond(OK);
  await stop;
  assert.is(other.deliverer.counts.delivered, 1);
});

test('a test is sent at once', async () => {
  const { deliverer, sent, state } = rig();
  assert.equal(await deliverer.test(7, 'line\n'), OK);
  assert.is(sent[0].text, 'line\n');
  state.document = null;
  assert.is(await deliverer.test(8, 'line\n'), null);
});

test('each line is delivered, dropped or waiting, whatever the receiver does', async () => {
  const step = fc.oneof(
    fc.record({ lines: fc.integer({ min: 1, max: 5 }), domainId: fc.integer({ min: 1, max: 3 }) }),
    fc.constantFrom<number | null>(200, 503, 400, null).map((status) => ({ status })),
    fc.constantFrom(0.3, 1, 6, 70, 1000).map((seconds) => ({ seconds })),
  );
  await fc.assert(
    fc.asyncProperty(fc.array(step, { maxLength: 60 }), async (steps) => {
      const { deliverer, receive, after, state } = rig();
      const received = [0, 0, 0, 0];
      for (const { lines, domainId, status, seconds } of steps as readonly {
        lines?: number;
        domainId?: number;
        status?: number | null;
        seconds?: number;
      }[]) {
        if (lines !== undefined && domainId !== undefined) {
          received[domainId] += lines;
          receive('x\n'.repeat(lines), domainId);
        }
        if (status !== undefined) state.answer = async () => (status === 200 ? OK : failed(status));
        if (seconds !== undefined) await after(seconds);
      }
      for (const domainId of [1, 2, 3]) {
        const { delivered_lines, dropped_lines, waiting_lines } = deliverer.stateOf(domainId);
        assert.is(delivered_lines + dropped_lines + waiting_lines, received[domainId]);
      }
      assert.is(
        deliverer.counts.bytes,
        2 * [1, 2, 3].reduce((sum, id) => sum + deliverer.stateOf(id).waiting_lines, 0),
      );
    }),
    { numRuns: depth({ quick: 15, moderate: 50, full: 2000 }) },
  );
});

test.run();
