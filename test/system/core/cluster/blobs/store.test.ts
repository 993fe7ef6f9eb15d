/** Files by their hash on one node. */
import { execFileSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { existsSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { BlobStore } from '../../../../../core/cluster/blobs/store.ts';
import { startChild } from '../../../../support/child.ts';
import { removeFolder, temporaryFolder } from '../../../../support/temp.ts';

const hashOf = (bytes: Uint8Array): string => createHash('sha256').update(bytes).digest('hex');
async function* pieces(...all: Uint8Array[]): AsyncGenerator<Uint8Array> {
  yield* all;
}

async function withStore(work: (store: BlobStore, folder: string) => Promise<void>): Promise<void> {
  const folder = temporaryFolder('blobs');
  try {
    await work(new BlobStore(folder), folder);
  } finally {
    removeFolder(folder);
  }
}

test('a stored blob is found under its hash, once, and can be read', async () => {
  await withStore(async (store, folder) => {
    const bytes = Buffer.alloc(700_000, 'waypost');
    const hash = hashOf(bytes);
    assert.not(await store.has(hash));
    assert.is(await store.open(hash), null);
    const both = await Promise.all([store.put(pieces(bytes), 1e6), store.put(pieces(bytes), 1e6)]);
    for (const item of both) assert.equal(item, { hash, size: bytes.length });
    assert.equal(readdirSync(folder), [hash]);
    const blob = await store.open(hash);
    assert.ok((await blob!.file.readFile()).equals(bytes));
    await blob!.file.close();
    const empty = await store.put(pieces(), 0);
    assert.equal(empty, { hash: hashOf(Buffer.alloc(0)), size: 0 });
    for (const bad of ['', '../secret.key', hash.toUpperCase()])
      await store.open(bad).then(
        () => assert.unreachable(bad),
        (error: Error) => assert.match(error.message, /not the hash/),
      );
  });
});

test('a blob that is too large, or whose source aborts, leaves nothing', async () => {
  await withStore(async (store, folder) => {
    const fails = async (source: AsyncIterable<Uint8Array>, expected: RegExp): Promise<void> => {
      await store.put(source, 10).then(
        () => assert.unreachable(),
        (error: Error) => assert.match(error.message, expected),
      );
      assert.equal(readdirSync(folder), []);
    };
    await fails(pieces(Buffer.alloc(6), Buffer.alloc(5)), /maximum of 10 bytes/);
    await fails(
      (async function* () {
        yield Buffer.alloc(5);
        throw new Error('it has gone');
      })(),
      /it has gone/,
    );
    assert.is((await store.put(pieces(Buffer.alloc(10)), 10)).size, 10);
  });
});

test('a process that is killed while it writes leaves no blob', async () => {
  await withStore(async (_, folder) => {
    const store = new URL('../../../../../core/cluster/blobs/store.js', import.meta.url).href;
    const text = `
      const { BlobStore } = await import(${JSON.stringify(store)});
      const source = async function* () {
        yield Buffer.alloc(100000);
        console.log('under way');
        await new Promise((done) => setTimeout(done, 60000));
      };
      await new BlobStore(${JSON.stringify(folder)}).put(source(), 1e9);`;
    const child = startChild(process.execPath, ['--input-type=module', '-e', text]);
    await child.waitFor(/under way/);
    await child.stop('SIGKILL');
    assert.match(readdirSync(folder).join(), /^\w+\.part$/);
    new BlobStore(folder);
    assert.equal(readdirSync(folder), []);
  });
});

test('a full disk is reported and leaves nothing, and later writes succeed', async () => {
  const folder = temporaryFolder('blobs');
  try {
    execFileSync('mount', ['-t', 'tmpfs', '-o', 'size=1m', 'tmpfs', folder], { stdio: 'pipe' });
  } catch (error) {
    console.log(`skipped: a full disk, no file system can be mounted: ${(error as Error).message.trim()}`);
    removeFolder(folder);
    return;
  }
  try {
    const store = new BlobStore(folder);
    const half = Buffer.alloc(600_000);
    await store.put(pieces(half, half), 1e9).then(
      () => assert.unreachable(),
      (error: NodeJS.ErrnoException) => assert.is(error.code, 'ENOSPC'),
    );
    assert.equal(readdirSync(folder), []);
    assert.is((await store.put(pieces(half), 1e9)).size, half.length);
  } finally {
    execFileSync('umount', [folder]);
    removeFolder(folder);
  }
});

test('a blob damaged on disk is detected when it is opened, and not served', async () => {
  await withStore(async (store, folder) => {
    const { hash } = await store.put(pieces(Buffer.from('some bytes')), 100);
    const path = join(folder, hash);
    const bytes = readFileSync(path);
    bytes[3] ^= 1;
    writeFileSync(path, bytes);
    assert.is(await store.open(hash), null);
    assert.not(existsSync(path));
  });
});

test('a good blob that arrives while a damaged one is checked stays', async () => {
  await withStore(async (store, folder) => {
    const bytes = Buffer.from('some bytes');
    const { hash } = await store.put(pieces(bytes), 100);
    writeFileSync(join(folder, hash), 'other');
    const { openUnchecked } = store;
    store.openUnchecked = async (wanted) => {
      const blob = await openUnchecked.call(store, wanted);
      await store.put(pieces(bytes), 100);
      return blob;
    };
    assert.is(await store.open(hash), null);
    assert.equal(readFileSync(join(folder, hash)), bytes);
  });
});

test('unreferenced blobs are deleted, except recent ones', async () => {
  await withStore(async (store) => {
    const [a, b] = [await store.put(pieces(Buffer.from('a')), 1), await store.put(pieces(Buffer.from('b')), 1)];
    await sleep(20);
    const before = Date.now();
    await sleep(20);
    const late = await store.put(pieces(Buffer.from('c')), 1);
    assert.is(await store.collect((hash) => hash === a.hash, before), 1);
    assert.equal(await Promise.all([a, b, late].map(({ hash }) => store.has(hash))), [true, false, true]);
  });
});

test.run();
