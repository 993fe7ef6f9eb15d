/** The queue of spans: batches, its bound, and a collector that fails. */
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { createLogger } from '../../../../core/base/log/index.ts';
import { MAX_BATCH, MAX_QUEUE, SpanExporter } from '../../../../core/observe/traces/exporter.ts';
import type { FinishedSpan } from '../../../../core/observe/traces/span.ts';
import { until } from '../../../support/until.ts';

const test = suite('core/observe/traces/exporter');

const span = {} as FinishedSpan;

function rig(delay = 1_000_000) {
  const pending: {
    readonly size: number;
    readonly accept: (rejected?: number) => void;
    readonly reject: (error: Error) => void;
  }[] = [];
  const lines: string[] = [];
  const log = createLogger({
    level: 'debug',
    format: 'json',
    write: (line) => void lines.push(JSON.parse(line).message),
  });
  const exporter = new SpanExporter({
    send: ({ length: size }) =>
      new Promise((accept, reject) => {
        pending.push({ size, accept: (rejected = 0) => accept({ rejected, reason: 'too many' }), reject });
      }),
    endpoint: 'http://127.0.0.1:4318/v1/traces',
    log,
    delay,
  });
  const add = (count: number): void => {
    for (let i = 0; i < count; i++) exporter.add(span);
  };
  /** Lets promises settle. */
  const settle = () => new Promise((resolve) => setImmediate(resolve));
  return { exporter, pending, lines, add, settle };
}

test('a full batch is sent at once, one at a time', async () => {
  const { exporter, pending, add, settle } = rig();
  add(MAX_BATCH - 1);
  assert.is(pending.length, 0);
  add(1 + 2 * MAX_BATCH);
  assert.equal(
    pending.map(({ size }) => size),
    [MAX_BATCH],
  );
  pending[0].accept();
  await settle();
  assert.is(pending.length, 2);
  assert.equal(exporter.counts, { exported: MAX_BATCH, overflowed: 0, failed: 0 });
  pending[1].accept();
  await settle();
  pending[2].accept();
  await settle();
  await exporter.stop();
  assert.is(exporter.counts.exported, 3 * MAX_BATCH);
});

test('spans that the collector rejected of a batch count as dropped, and are logged', async () => {
  const { exporter, pending, add, settle, lines } = rig();
  add(MAX_BATCH);
  pending[0].accept(3);
  await settle();
  assert.equal(exporter.counts, { exported: MAX_BATCH - 3, overflowed: 0, failed: 3 });
  assert.equal(lines, ['cannot export traces; spans are dropped']);
  await exporter.stop();
});

test('fewer spans are sent after a delay', async () => {
  const { exporter, pending, add, settle } = rig(1);
  add(3);
  await until(() => pending.length === 1);
  assert.is(pending[0].size, 3);
  add(2);
  pending[0].accept();
  await until(() => pending.length === 2);
  pending[1].accept();
  await settle();
  assert.is(exporter.counts.exported, 5);
});

test('the queue is bounded while the collector hangs', async () => {
  const { exporter, pending, add } = rig();
  add(MAX_BATCH + MAX_QUEUE + 100);
  assert.is(pending.length, 1);
  assert.equal(exporter.counts, { exported: 0, overflowed: 100, failed: 0 });
});

test('a collector that is gone costs one line in the log, and one when it is back', async () => {
  const { exporter, pending, lines, add, settle } = rig();
  for (let i = 0; i < 5; i++) {
    add(MAX_BATCH);
    pending[i].reject(new Error('connect ECONNREFUSED'));
    await settle();
  }
  assert.equal(lines, ['cannot export traces; spans are dropped']);
  assert.equal(exporter.counts, { exported: 0, overflowed: 0, failed: 5 * MAX_BATCH });
  add(MAX_BATCH);
  pending[5].accept();
  await settle();
  assert.is(lines.length, 2);
});

test('a stop sends what waits, and ends also if the collector hangs', async () => {
  const { exporter, pending, add } = rig();
  add(7);
  const stopped = exporter.stop();
  assert.is(pending[0].size, 7);
  add(1);
  pending[0].accept();
  await stopped;
  assert.equal(exporter.counts, { exported: 7, overflowed: 1, failed: 0 });
});

test.run();
