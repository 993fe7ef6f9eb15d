/** Damaged files on disk are misses. They never cause wrong bytes or the end of the process. */
import { readdirSync, readFileSync, rmSync, symlinkSync, truncateSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import type { StoredResponse } from '../../../../edge/cache/stored-response.ts';
import { depth } from '../../../support/depth.ts';
import fc from '../../../support/fc.ts';
import { removeFolder, temporaryFolder } from '../../../support/temp.ts';
import { bytesOf, cache, DOMAIN, filler, found, KB, MB, response, store } from './support.ts';

const test = suite('edge/cache/store: damage');
const COUNT = 24;
const keyOf = (i: number): string => `https://www.example.com/${i}`;

/** Small responses in a segment, some with variants, and two with files of their own. */
const responseOf = (i: number): StoredResponse =>
  response(keyOf(i), filler(i % 11 === 0 ? 700 * KB : (i * 997) % 30_000, i), {
    selecting: i % 5 === 0 ? ['accept', String(i)] : [],
    tags: ['a', `t${i}`],
  });

const responses = Array.from({ length: COUNT }, (_, i) => responseOf(i));

async function fill(folder: string): Promise<void> {
  const opened = store(await cache(folder));
  for (const each of responses) {
    opened.put(each, opened.mark());
    opened.put({ ...each, key: `${each.key}/` }, opened.mark());
    await opened.flush();
  }
  await opened.close();
}

/**
 * Looks up all responses and compares them with those that were put. Returns how many were found.
 */
async function check(from: Awaited<ReturnType<typeof store>>): Promise<number> {
  let count = 0;
  for (const { body, ...head } of responses)
    for (const variant of await found(from, head.key)) {
      const bytes = await bytesOf(variant.response.body);
      const { body: _, ...foundHead } = variant.response;
      assert.equal(foundHead, head);
      if (bytes === undefined) continue;
      assert.ok(bytes.equals(body.whole!));
      count++;
    }
  return count;
}

const filled = temporaryFolder('cache-filled');
test.before(() => fill(filled));

function copyOf(folder: string): string {
  const copy = temporaryFolder('cache-damaged');
  for (const name of readdirSync(folder)) writeFileSync(join(copy, name), readFileSync(join(folder, name)));
  return copy;
}

const damage = fc.record({
  file: fc.nat(),
  how: fc.constantFrom('bits', 'bits', 'bits', 'cut', 'zeros', 'gone', 'doubled', 'swapped'),
  places: fc.array(fc.double({ min: 0, max: 0.999_999, noNaN: true }), { minLength: 1, maxLength: 8 }),
});

function apply(folder: string, { file, how, places }: { file: number; how: string; places: number[] }): void {
  const names = readdirSync(folder).sort();
  const path = join(folder, names[file % names.length]);
  const bytes = readFileSync(path);
  if (bytes.length === 0) return;
  const at = Math.floor(places[0] * bytes.length);
  if (how === 'cut') truncateSync(path, at);
  else if (how === 'gone') rmSync(path);
  else if (how === 'doubled')
    writeFileSync(path, Buffer.concat([bytes.subarray(0, at), bytes.subarray(Math.floor(at / 2))]));
  else if (how === 'swapped') writeFileSync(path, readFileSync(join(folder, names[(file + 1) % names.length])));
  else {
    for (const position of places) {
      const from = Math.floor(position * bytes.length);
      if (how === 'zeros') bytes.fill(0, from, Math.min(bytes.length, from + 4096));
      else bytes[from] ^= 1 << (from % 8);
    }
    writeFileSync(path, bytes);
  }
}

test('undamaged responses are found', async () => {
  const folder = copyOf(filled);
  const opened = store(await cache(folder));
  await opened.flush();
  assert.is(await check(opened), COUNT);
  assert.is(opened.stats().damaged, 0);
  await opened.close();
});

test('damage that a start finds is counted: in a segment, in a file of its own, and in the head of a file', async () => {
  const isLarge = (bytes: Buffer): boolean => bytes.subarray(0, 8).equals(Buffer.from('WPONE-1\n'));
  const damages: Readonly<Record<string, (bytes: Buffer) => boolean>> = {
    'the first entry of a segment': (bytes) => {
      bytes[12] ^= 1;
      return !isLarge(bytes);
    },
    'the entry of a file of its own': (bytes) => {
      bytes[bytes.readUInt32LE(bytes.length - 8) * 8 + 12] ^= 1;
      return isLarge(bytes);
    },
    'the kind of a file': (bytes) => {
      bytes[0] ^= 1;
      return true;
    },
  };
  for (const [what, change] of Object.entries(damages)) {
    const folder = copyOf(filled);
    const segments = readdirSync(folder).filter((name) => name.endsWith('.seg'));
    for (const name of segments) {
      const bytes = readFileSync(join(folder, name));
      if (!change(bytes)) continue;
      writeFileSync(join(folder, name), bytes);
      break;
    }
    const opened = store(await cache(folder));
    await opened.flush();
    assert.is(opened.stats().damaged, 1, what);
    await opened.close();
    removeFolder(folder);
  }
});

test('damage before a start: flipped bits, truncated, zeroed, deleted, doubled and swapped files', async () => {
  let most = 0;
  await fc.assert(
    fc.asyncProperty(fc.array(damage, { minLength: 1, maxLength: 4 }), async (damages) => {
      const folder = copyOf(filled);
      for (const fileDamage of damages) apply(folder, fileDamage);
      const opened = store(await cache(folder, { memory: MB }));
      await opened.flush();
      most = Math.max(most, await check(opened));
      // The store still works.
      opened.put(response(keyOf(1), 'new'), opened.mark());
      await opened.flush();
      assert.is((await bytesOf((await found(opened, keyOf(1)))[0].response.body))?.toString(), 'new');
      await opened.close();
      removeFolder(folder);
    }),
    { numRuns: depth({ quick: 20, moderate: 60, full: 600 }), includeErrorInReport: true },
  );
  assert.ok(most > COUNT / 2, 'in the best run most responses are found');
});

test('damage while the store is open', async () => {
  await fc.assert(
    fc.asyncProperty(fc.array(damage, { minLength: 1, maxLength: 4 }), async (damages) => {
      const folder = copyOf(filled);
      const opened = store(await cache(folder, { memory: MB }));
      await opened.flush();
      for (const each of damages) apply(folder, each);
      await check(opened);
      await check(opened);
      await opened.close();
      removeFolder(folder);
    }),
    { numRuns: depth({ quick: 15, moderate: 40, full: 400 }), includeErrorInReport: true },
  );
});

test('without its purge log, or with a damaged one, the disk cache starts empty and reports it', async () => {
  for (const how of ['gone', 'bits']) {
    const folder = copyOf(filled);
    const path = join(folder, 'purges.log');
    const bytes = readFileSync(path);
    bytes[20] ^= 4;
    if (how === 'gone') rmSync(path);
    else writeFileSync(path, bytes);
    const troubles: string[] = [];
    const opened = store(await cache(folder, { onTrouble: (message) => troubles.push(message) }));
    await opened.flush();
    assert.is(await check(opened), 0);
    assert.is(troubles.length, 1);
    assert.is(readdirSync(folder).filter((name) => name.endsWith('.seg')).length, 0);
    await opened.close();
  }
});

test('if its folder cannot be created, the cache uses memory only', async () => {
  const folder = temporaryFolder('cache');
  writeFileSync(join(folder, 'file'), '');
  const troubles: string[] = [];
  const node = await cache(join(folder, 'file', 'cache'), { onTrouble: (message) => troubles.push(message) });
  assert.is(node.handle.disk, null);
  assert.is(troubles.length, 1);
  const opened = store(node);
  opened.put(response(keyOf(1), 'x'), opened.mark());
  assert.is(opened.lookup(DOMAIN, keyOf(1)) instanceof Promise, false);
  assert.is((await found(opened, keyOf(1))).length, 1);
  await opened.close();
});

test('a failing disk loses the responses to write, and is not used for a while', async () => {
  const folder = temporaryFolder('cache');
  const opened = store(await cache(folder));
  rmSync(folder, { recursive: true });
  for (let i = 0; i < 5; i++) {
    opened.put(response(keyOf(i), filler(i * 200 * KB, i)), opened.mark());
    await opened.flush();
  }
  assert.ok(opened.stats().unwritten > 0);
  assert.is((await found(opened, keyOf(1))).length, 1, 'from memory');
  await opened.close();
});

test('on a full disk the oldest file is deleted to store the state of the cache', async () => {
  const folder = copyOf(filled);
  const segmentsIn = (): string[] =>
    readdirSync(folder)
      .filter((name) => name.endsWith('.seg'))
      .sort();
  const before = segmentsIn();
  // The first write of the state fails with ENOSPC, the second finds room.
  symlinkSync('/dev/full', join(folder, 'purges.log.new'));
  const node = await cache(folder);
  assert.ok(node.handle.disk !== null);
  assert.equal(segmentsIn().slice(0, before.length - 1), before.slice(1));
  const opened = store(node);
  await opened.close();
  removeFolder(folder);
});

test.run();
