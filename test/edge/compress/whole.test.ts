import { randomBytes } from 'node:crypto';
import { readdirSync, readFileSync } from 'node:fs';
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { CODINGS_KEPT, compressAtOnce } from '../../../edge/compress/coding.ts';
import { WholeCompressor } from '../../../edge/compress/whole.ts';
import { decoded } from './decoded.ts';

const MB = 1024 * 1024;
const PROSE = readFileSync('config/package-rules.md').subarray(0, 20_000);

for (const coding of CODINGS_KEPT)
  test(`${coding}: the stored body is equal, and shorter than the one compressed on the fly`, async () => {
    const whole = new WholeCompressor(MB);
    try {
      const given = Buffer.from(PROSE);
      const bytes = await whole.compress(given, coding, 'a');
      assert.ok(bytes instanceof Uint8Array);
      assert.equal(given, PROSE, 'the body is still there');
      assert.is(bytes.buffer.byteLength, bytes.length, 'it holds no more memory than it is long');
      assert.equal(decoded(bytes, coding), PROSE);
      assert.ok(bytes.length <= compressAtOnce(PROSE, coding).length);
      assert.is(whole.waiting, 0);
    } finally {
      await whole.close();
    }
  });

test('a part of a larger memory', async () => {
  const whole = new WholeCompressor(MB);
  try {
    const bytes = await whole.compress(PROSE.subarray(100, 9000), 'gzip', 'a');
    assert.equal(decoded(bytes!, 'gzip'), PROSE.subarray(100, 9000));
  } finally {
    await whole.close();
  }
});

test('a body that does not get shorter is not compressed', async () => {
  const whole = new WholeCompressor(50_000);
  try {
    assert.is(await whole.compress(randomBytes(40_000), 'br', 'a'), null, 'not shorter');
    // 3 % less.
    const little = Buffer.concat([randomBytes(40_000), Buffer.alloc(1200)]);
    assert.is(await whole.compress(little, 'gzip', 'a'), null, 'not enough shorter');
    assert.is(await whole.compress(Buffer.alloc(50_001), 'gzip', 'a'), null, 'too long');
    assert.is(await whole.compress(Buffer.alloc(0), 'gzip', 'a'), null, 'empty');
    assert.ok(await whole.compress(Buffer.alloc(50_000), 'gzip', 'a'));
  } finally {
    await whole.close();
  }
});

test('waiting bytes are bounded, and excess bodies are rejected', async () => {
  const whole = new WholeCompressor(MB, 100_000);
  try {
    const sites = ['a', 'a', 'a', 'b', 'b', 'c', 'd', 'e'];
    const waiting = sites.map((site) => whole.compress(PROSE, 'br', site));
    assert.is(whole.waiting, 100_000);
    const results = await Promise.all(waiting);
    assert.equal(
      results.map((bytes) => bytes === undefined),
      [false, false, true, false, true, false, false, true],
      'a site has no more than it leaves for others',
    );
    assert.is(whole.waiting, 0);
    assert.ok(await whole.compress(Buffer.alloc(200_000), 'gzip', 'a'), 'one by itself may be longer');
  } finally {
    await whole.close();
  }
});

test('close rejects waiting bodies, and accepts no more', async () => {
  const whole = new WholeCompressor(MB);
  const waiting = [1, 2, 3].map(() => whole.compress(PROSE, 'br', 'a'));
  await whole.close();
  for (const bytes of await Promise.all(waiting)) assert.ok(bytes === undefined || bytes instanceof Uint8Array);
  assert.is(await whole.compress(PROSE, 'br', 'a'), undefined);
  assert.is(whole.waiting, 0);
});

test('its thread has a low priority', async () => {
  if (process.platform !== 'linux') return;
  const whole = new WholeCompressor(MB);
  try {
    await whole.compress(PROSE, 'gzip', 'a');
    // Field 19, counted from behind the name (proc(5)).
    const priorities = readdirSync('/proc/self/task').map((task) =>
      Number(readFileSync(`/proc/self/task/${task}/stat`, 'latin1').split(') ')[1].split(' ')[16]),
    );
    const own = Number(readFileSync('/proc/self/stat', 'latin1').split(') ')[1].split(' ')[16]);
    assert.is(priorities.filter((nice) => nice === Math.min(19, own + 10)).length, 1, priorities.join(' '));
  } finally {
    await whole.close();
  }
});

test.run();
