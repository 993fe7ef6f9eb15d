/** Actions for many objects, and the archive of exported zones. */
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { type BulkState, runBulk } from '../../../admin-api/dashboard/domains/bulk.ts';
import { createTar } from '../../../admin-api/dashboard/domains/tar.ts';
import type { Failure } from '../../../admin-api/dashboard/failure.ts';

const failure = (status: number, retryAfter?: number): Failure => ({
  ...{ status, code: '', message: `status ${status}`, details: [] },
  ...(retryAfter === undefined ? {} : { retryAfter }),
});

test('a failure does not stop the others, and some run at the same time', async () => {
  let inFlight = 0;
  let most = 0;
  const states: BulkState<number>[] = [];
  await runBulk({
    items: Array.from({ length: 20 }, (_, i) => i),
    signal: new AbortController().signal,
    onChange: (state) => states.push(state),
    async run(item) {
      most = Math.max(most, ++inFlight);
      await new Promise((resolve) => setImmediate(resolve));
      inFlight--;
      return item % 5 === 0 ? failure(409) : null;
    },
  });
  const last = states[states.length - 1];
  assert.equal([last.done, last.total], [20, 20]);
  assert.equal(
    last.failures.map(({ item, failure: { message } }) => `${item} ${message}`).sort(),
    ['0', '10', '15', '5'].map((item) => `${item} status 409`).sort(),
  );
  assert.is(most, 4);
  assert.equal(states[0], { done: 0, total: 20, failures: [], isWaiting: false });
});

test('after 429 the work waits as long as the API says, and goes on', async () => {
  const pauses: number[] = [];
  const left = new Map([
    ['a', 2],
    ['b', 0],
  ]);
  let wasWaiting = false;
  let last: BulkState<string> | null = null;
  await runBulk({
    items: ['a', 'b'],
    signal: new AbortController().signal,
    onChange(state) {
      last = state;
      wasWaiting ||= state.isWaiting;
    },
    sleep: async (ms) => void pauses.push(ms),
    async run(item) {
      const refusals = left.get(item) ?? 0;
      left.set(item, refusals - 1);
      return refusals > 0 ? failure(429, refusals === 2 ? 7 : undefined) : null;
    },
  });
  assert.equal(pauses, [7000, 10_000]);
  assert.is(wasWaiting, true);
  assert.equal(last, { done: 2, total: 2, failures: [], isWaiting: false });
});

test('a stop lets the requests in flight end, and starts no more', async () => {
  const stop = new AbortController();
  const started: number[] = [];
  await runBulk({
    items: Array.from({ length: 50 }, (_, i) => i),
    signal: stop.signal,
    onChange: () => {},
    async run(item) {
      started.push(item);
      await new Promise((resolve) => setImmediate(resolve));
      if (item === 5) stop.abort();
      return null;
    },
  });
  assert.ok(started.length < 15, `${started.length}`);
});

test('an archive has a header with a checksum before each file, in blocks of 512 bytes', () => {
  const files = [
    { name: 'example.com.zone', content: new TextEncoder().encode('@ SOA\n') },
    { name: 'empty.example.zone', content: new Uint8Array(0) },
    { name: 'whole.example.zone', content: new Uint8Array(1024).fill(65) },
  ];
  const archive = Buffer.concat(createTar(files, 1_800_000_000));
  assert.is(archive.length, 512 * (2 + 1 + 3 + 2));
  let at = 0;
  for (const { name, content } of files) {
    const header = archive.subarray(at, at + 512);
    const field = (start: number, end: number): string => header.toString('latin1', start, end).replace(/[\0 ]+$/, '');
    const sum = header.reduce((total, byte, i) => total + (i >= 148 && i < 156 ? 32 : byte), 0);
    assert.equal(
      [field(0, 100), parseInt(field(124, 136), 8), parseInt(field(148, 156), 8), field(257, 262)],
      [name, content.length, sum, 'ustar'],
    );
    assert.equal(archive.subarray(at + 512, at + 512 + content.length), Buffer.from(content));
    at += 512 * (1 + Math.ceil(content.length / 512));
  }
});

test.run();
