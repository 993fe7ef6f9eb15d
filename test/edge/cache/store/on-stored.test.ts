/**
 * The store reports when the next lookup finds a response, or that none will, exactly once. What it
 * reports before is checked within one turn of the event loop, in which no write can end.
 */
import fs, { rmSync } from 'node:fs';
import { syncBuiltinESMExports } from 'node:module';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import type { CacheStore, OnStored } from '../../../../edge/cache/store/cache-store.ts';
import { SegmentFiles } from '../../../../edge/cache/store/segment-files.ts';
import { temporaryFolder } from '../../../support/temp.ts';
import { bytesOf, cache, DOMAIN, filler, found, KB, MB, response, store } from './support.ts';

const test = suite('edge/cache/store: when a response is found');
const URL = 'https://www.example.com/a';

/** Larger bodies are on disk only, and those with more than 64 KB get a file of their own. */
const MEMORY_OBJECT = 16 * KB;
const IN_MEMORY = 10 * KB;
const IN_SEGMENT = 40 * KB;
const OWN_FILE = 300 * KB;
const ON_DISK = [IN_SEGMENT, OWN_FILE];

const open = async (folder = temporaryFolder('cache')): Promise<CacheStore> =>
  store(await cache(folder, { memoryObject: MEMORY_OBJECT }));

interface Write {
  /** The results that were reported. */
  readonly results: boolean[];
  /** Number of variants that a lookup returned during the report; undefined: no report yet. */
  found: number | undefined;
}

/** Writes a whole body and ends it. */
function write(
  to: CacheStore,
  key: string,
  size: number,
  { isLengthKnown = true, seed = 1, mark = to.mark() } = {},
): Write {
  const { body: _, ...head } = response(key, '');
  const written: Write = { results: [], found: undefined };
  const writer = to.write(head, isLengthKnown ? size : undefined, mark)!;
  const body = filler(size, seed);
  for (let at = 0; at < size; at += 50_000) writer.push(body.subarray(at, at + 50_000));
  writer.end((isStored) => {
    written.results.push(isStored);
    const variants = to.lookup(DOMAIN, key);
    // A promise: the index has an entry.
    written.found = variants instanceof Promise ? 1 : variants.length;
  });
  return written;
}

for (const isLengthKnown of [true, false]) {
  const of = isLengthKnown ? 'known' : 'unknown';

  test(`a response in memory is found at once: length ${of}`, async () => {
    const opened = await open();
    assert.equal(write(opened, URL, IN_MEMORY, { isLengthKnown }), { results: [true], found: 1 });
    await opened.close();
  });

  for (const size of ON_DISK)
    test(`a response on disk is found when it is written: ${size} bytes, length ${of}`, async () => {
      const opened = await open();
      const written = write(opened, URL, size, { isLengthKnown });
      assert.equal(written.results, []);
      assert.equal(opened.lookup(DOMAIN, URL), []);
      await opened.flush();
      assert.equal(written, { results: [true], found: 1 });
      assert.ok((await bytesOf((await found(opened, URL))[0].response.body))?.equals(filler(size, 1)));
      await opened.close();
    });
}

test('many responses at once are found when they are written', async () => {
  const opened = await open();
  const writes = Array.from({ length: 60 }, (_, i) =>
    write(opened, `${URL}/${i}`, [IN_MEMORY, IN_SEGMENT, OWN_FILE][i % 3]),
  );
  await opened.flush();
  for (const written of writes) assert.equal(written, { results: [true], found: 1 });
  await opened.close();
});

test('a response that was removed or purged is reported as not stored', async () => {
  const node = await cache(temporaryFolder('cache'), { memoryObject: MEMORY_OBJECT });
  const opened = store(node);
  for (const size of ON_DISK) {
    const written = write(opened, URL, size);
    opened.remove(DOMAIN, URL);
    assert.equal(written.results, []);
    await opened.flush();
    assert.equal(written, { results: [false], found: 0 });
  }
  for (const size of [IN_MEMORY, ...ON_DISK]) {
    const mark = opened.mark();
    await node.purge({ domainId: DOMAIN, urls: [], prefixes: [], tags: [] });
    assert.equal(write(opened, URL, size, { mark }), { results: [false], found: 0 });
  }
  await opened.close();
});

test('a body with a wrong length, an aborted one and an ambiguous head are reported as not stored', async () => {
  const opened = await open();
  for (const size of [IN_MEMORY, ...ON_DISK]) {
    const results: boolean[] = [];
    const report: OnStored = (isStored) => results.push(isStored);
    const { body: _, ...head } = response(URL, '');
    const wrong = opened.write(head, size, opened.mark())!;
    wrong.push(filler(size - 1, 1));
    wrong.end(report);
    const aborted = opened.write(head, size, opened.mark())!;
    aborted.push(filler(size, 1));
    aborted.abort();
    aborted.end(report);
    assert.equal(results, [false, false]);
    const ambiguous = opened.write({ ...head, headers: ['a', 'b\nc'] }, size, opened.mark())!;
    ambiguous.push(filler(size, 1));
    ambiguous.end(report);
    await opened.flush();
    assert.equal(results, [false, false, false]);
    assert.equal(await found(opened, URL), []);
  }
  await opened.close();
});

test('a failing disk, and its pause afterwards, are reported as not stored', async () => {
  for (const size of ON_DISK) {
    const folder = temporaryFolder('cache');
    const opened = await open(folder);
    rmSync(folder, { recursive: true });
    const before = opened.stats().unwritten;
    const writes = Array.from({ length: 5 }, (_, i) => write(opened, `${URL}/${i}`, size));
    await opened.flush();
    writes.push(write(opened, URL, size));
    await opened.flush();
    for (const { results } of writes) assert.equal(results, [false]);
    assert.is(opened.stats().unwritten - before, writes.length);
    await opened.close();
  }
});

/** Lets all writes after the first `count` fail. Returns a function that ends this. */
function failWritesAfter(count: number): () => void {
  const { writev } = fs;
  let writes = 0;
  const failing = (...call: unknown[]): void => {
    if (++writes <= count) Reflect.apply(writev, fs, call);
    else setImmediate(call.at(-1) as (error: Error) => void, new Error('ENOSPC'));
  };
  fs.writev = failing as typeof writev;
  syncBuiltinESMExports();
  return () => {
    fs.writev = writev;
    syncBuiltinESMExports();
  };
}

test('whichever write fails, each response is reported once, as a lookup finds it', async () => {
  for (const size of ON_DISK) {
    let failed = 0;
    for (let count = 0; count < 12; count++) {
      const opened = await open();
      const restore = failWritesAfter(count);
      const writes: Write[] = [];
      try {
        // Batches of two responses.
        for (let i = 0; i < 6; i++) {
          writes.push(write(opened, `${URL}/${i}`, size));
          if (i % 2 === 1) await opened.flush();
        }
      } finally {
        restore();
      }
      for (const [i, { results }] of writes.entries()) {
        assert.equal(results, [(await found(opened, `${URL}/${i}`)).length === 1], `${count} writes, response ${i}`);
        if (!results[0]) failed++;
      }
      await opened.close();
    }
    assert.ok(failed > 10, String(failed));
  }
});

test('a response for which the queue of the disk has no room is reported as not stored at once', async () => {
  const opened = store(
    await cache(temporaryFolder('cache'), { disk: 4096 * MB, memory: 64 * MB, memoryObject: MEMORY_OBJECT }),
  );
  // The queue has 32 MB, and a body of up to 4 MB gets no file of its own.
  const writes = Array.from({ length: 10 }, (_, i) => write(opened, `${URL}/${i}`, 4 * MB - 10 * KB));
  assert.equal(
    writes.map(({ results }) => results),
    [...Array.from({ length: 8 }, () => []), [false], [false]],
  );
  await opened.flush();
  assert.equal(
    writes.map(({ results }) => results),
    [...Array.from({ length: 8 }, () => [true]), [false], [false]],
  );
  await opened.close();
});

test('a store that is closed reports all responses, also those that end afterwards', async () => {
  const opened = await open();
  const results: boolean[] = [];
  const unfinished = ON_DISK.map((size, i) => {
    const { body: _, ...head } = response(`${URL}/late${i}`, '');
    const writer = opened.write(head, size, opened.mark())!;
    writer.push(filler(size, 1));
    return writer;
  });
  const writes = Array.from({ length: 20 }, (_, i) => write(opened, `${URL}/${i}`, ON_DISK[i % 2]));
  await opened.close();
  for (const { results: reported } of writes) assert.equal(reported, [true]);
  for (const writer of unfinished) writer.end((isStored) => results.push(isStored));
  await opened.flush();
  assert.equal(results, [false, false]);
});

test('a freshened response on disk is found when it is written, not while the index has the earlier one', async () => {
  const opened = await open();
  for (const size of ON_DISK) {
    write(opened, URL, size);
    await opened.flush();
    const [old] = await found(opened, URL);
    const headers = ['content-type', 'text/html'];
    const results: boolean[] = [];
    opened.freshen(old, { ...old.response, headers }, opened.mark(), (isStored) => results.push(isStored));
    assert.equal(results, []);
    await opened.flush();
    assert.equal(results, [true]);
    const [fresh] = await found(opened, URL);
    assert.equal(fresh.response.headers, headers);
    assert.ok((await bytesOf(fresh.response.body))?.equals(filler(size, 1)));
    opened.remove(DOMAIN, URL);
    opened.freshen(fresh, fresh.response, opened.mark(), (isStored) => results.push(isStored));
    assert.equal(results, [true, false]);
  }
  await opened.close();
});

test('a response put while the disk writer ends its run is written, too', async () => {
  const opened = await open();
  const body = filler(IN_SEGMENT, 1);
  // One of so many microtasks later, the writer has found its queue empty.
  for (let delay = 0; delay < 12; delay++) {
    const results: boolean[] = [];
    const put = (key: string, report: OnStored): void => {
      const { body: _, ...head } = response(key, '');
      const writer = opened.write(head, IN_SEGMENT, opened.mark())!;
      writer.push(body);
      writer.end(report);
    };
    const second = new Promise<void>((resolve) => {
      put(`${URL}/${delay}`, async () => {
        for (let i = 0; i < delay; i++) await undefined;
        put(`${URL}/second/${delay}`, (isStored) => results.push(isStored));
        resolve();
      });
    });
    await second;
    await opened.flush();
    assert.equal(results, [true], `${delay} microtasks`);
  }
  await opened.close();
});

test('a lookup that reads an entry from disk while it is replaced returns the new one', async () => {
  const { read } = SegmentFiles.prototype;
  const opened = await open();
  for (const [before, after] of [
    [OWN_FILE, OWN_FILE],
    [IN_SEGMENT, OWN_FILE],
    [IN_SEGMENT, IN_SEGMENT],
    [OWN_FILE, IN_SEGMENT],
  ]) {
    write(opened, URL, before, { seed: 1 });
    await opened.flush();
    // Ends the read of the report.
    assert.is((await found(opened, URL)).length, 1);
    let release = (): void => {};
    const held = new Promise<void>((resolve) => {
      release = resolve;
    });
    let reads = 0;
    SegmentFiles.prototype.read = async function (...range) {
      // The other reads are those of the writer.
      if (reads++ === 0) await held;
      return read.apply(this, range);
    };
    try {
      const early = opened.lookup(DOMAIN, URL);
      assert.ok(early instanceof Promise);
      const written = write(opened, URL, after, { seed: 2 });
      await opened.flush();
      assert.equal(written.results, [true]);
      const late = opened.lookup(DOMAIN, URL);
      release();
      for (const variants of [await early, await late, await opened.lookup(DOMAIN, URL)]) {
        assert.is(variants.length, 1);
        assert.ok((await bytesOf(variants[0].response.body))?.equals(filler(after, 2)), `${before} ${after}`);
      }
    } finally {
      SegmentFiles.prototype.read = read;
      release();
    }
    opened.remove(DOMAIN, URL);
  }
  await opened.close();
});

test.run();
