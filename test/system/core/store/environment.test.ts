/** The environment under growth, many readers and failing transactions. */
import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { Worker } from 'node:worker_threads';
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { type Environment, openEnvironment, STORE_FILE } from '../../../../core/store/environment.ts';
import { startChild } from '../../../support/child.ts';
import { removeFolder, temporaryFolder } from '../../../support/temp.ts';

const READER = fileURLToPath(new URL('../../../core/store/environment-reader.js', import.meta.url));
const MEGABYTE = 1 << 20;

async function withEnvironment(mapSize: number, work: (environment: Environment, folder: string) => Promise<void>) {
  const folder = temporaryFolder('environment');
  const environment = openEnvironment(folder, mapSize);
  try {
    await work(environment, folder);
  } finally {
    await environment.close();
    removeFolder(folder);
  }
}

const keyOf = (n: number): Buffer => {
  const key = Buffer.alloc(4);
  key.writeUInt32BE(n);
  return key;
};

/**
 * A thread that answers each number with the content of that key's value, read from its own
 * environment.
 */
class ReadingThread {
  readonly #worker: Worker;
  readonly #failed: Promise<never>;

  constructor(folder: string) {
    this.#worker = new Worker(READER, { workerData: { folder, mapSize: MEGABYTE } });
    this.#failed = new Promise((_, reject) => this.#worker.once('error', reject));
  }

  read(key: number): Promise<{ length: number; first: number; last: number; entries: number }> {
    this.#worker.postMessage(key);
    return Promise.race([this.#failed, new Promise<never>((resolve) => this.#worker.once('message', resolve))]);
  }

  /** Ends without closing its environment. */
  terminate(): Promise<number> {
    return this.#worker.terminate();
  }
}

test('a map of 1 MB takes 200 MB, and a thread that has it open sees each step', () =>
  withEnvironment(MEGABYTE, async ({ root, answers }, folder) => {
    const thread = new ReadingThread(folder);
    const steps = 100;
    for (let step = 0; step < steps; step++) {
      // As the journal writes: rows put inside of one child transaction.
      await root.childTransaction(() => {
        answers.put(keyOf(step), Buffer.alloc(2 * MEGABYTE, step));
      });
      const seen = await thread.read(step);
      assert.equal(seen, { length: 2 * MEGABYTE, first: step, last: step, entries: step + 1 });
      if (step % 10 === 0) {
        root.resetReadTxn();
        assert.is(answers.get(keyOf(step))?.length, 2 * MEGABYTE);
      }
    }
    await thread.terminate();
  }));

test('one transaction may be far larger than the map', () =>
  withEnvironment(MEGABYTE, async ({ root, answers }, folder) => {
    const thread = new ReadingThread(folder);
    await thread.read(0);
    await root.childTransaction(() => {
      for (let i = 0; i < 50; i++) answers.put(keyOf(i), Buffer.alloc(MEGABYTE, i));
    });
    assert.equal(await thread.read(49), { length: MEGABYTE, first: 49, last: 49, entries: 50 });
    await thread.terminate();
  }));

test('the first transaction on a compact copy may free many pages', () =>
  withEnvironment(MEGABYTE, async ({ root, answers }, folder) => {
    for (const size of [10, 100, 1000, 10_000]) {
      await root.childTransaction(() => {
        for (let i = 0; i < size; i++) answers.put(keyOf(i), Buffer.alloc(1500, i));
      });
      const target = join(folder, `copy-${size}`);
      mkdirSync(target);
      await root.backup(join(target, STORE_FILE), true);
      const copy = openEnvironment(target, MEGABYTE);
      await copy.root.childTransaction(() => {
        copy.answers.clearSync();
      });
      await copy.root.childTransaction(() => {
        for (let i = 0; i < size; i++) copy.answers.put(keyOf(i), Buffer.alloc(1000, i + 1));
      });
      copy.root.resetReadTxn();
      assert.equal(copy.answers.get(keyOf(size - 1)), Buffer.alloc(1000, size));
      await copy.close();
    }
  }));

test('a transaction that throws in the middle leaves nothing, and the next one works', () =>
  withEnvironment(MEGABYTE, async ({ root, answers, meta }) => {
    await root.childTransaction(() => {
      answers.put(keyOf(1), Buffer.from('old'));
    });
    let error: unknown;
    try {
      await root.childTransaction(() => {
        answers.put(keyOf(1), Buffer.from('new'));
        answers.put(keyOf(2), Buffer.alloc(3 * MEGABYTE));
        meta.put(keyOf(3), Buffer.from('new'));
        throw new RangeError('in the middle');
      });
    } catch (cause) {
      error = cause;
    }
    assert.instance(error, RangeError);
    root.resetReadTxn();
    assert.equal(answers.get(keyOf(1)), Buffer.from('old'));
    assert.is(answers.get(keyOf(2)), undefined);
    assert.is(meta.get(keyOf(3)), undefined);
    await root.childTransaction(() => {
      answers.put(keyOf(2), Buffer.from('after'));
    });
    root.resetReadTxn();
    assert.equal(answers.get(keyOf(2)), Buffer.from('after'));
  }));

test('threads start and end without using up the reader slots', () =>
  withEnvironment(MEGABYTE, async ({ root, answers }, folder) => {
    await root.childTransaction(() => {
      answers.put(keyOf(0), Buffer.from([7]));
    });
    for (let round = 0; round < 5; round++) {
      const threads = Array.from({ length: 12 }, () => new ReadingThread(folder));
      const seen = await Promise.all(threads.map((thread) => thread.read(0)));
      for (const { first } of seen) assert.is(first, 7);
      await Promise.all(threads.map((thread) => thread.terminate()));
    }
    assert.ok(readerCount(root.readerList()) < 30, root.readerList());
  }));

/** Lines of mdb_reader_list, less its heading. */
const readerCount = (list: string): number => list.trim().split('\n').length - 1;

test('the readers of a killed process are gone when the store is opened again', async () => {
  const folder = temporaryFolder('environment');
  const first = openEnvironment(folder, MEGABYTE);
  await first.root.childTransaction(() => {
    first.answers.put(keyOf(0), Buffer.from([7]));
  });
  const child = startChild(process.execPath, [READER, folder]);
  await child.waitFor(/reading/);
  const alive = readerCount(first.root.readerList());
  await child.stop('SIGKILL');
  const stillThere = readerCount(first.root.readerList());
  assert.is(stillThere, alive, 'a killed process leaves its reader behind');
  const second = openEnvironment(folder, MEGABYTE);
  assert.ok(readerCount(second.root.readerList()) < alive, second.root.readerList());
  await second.close();
  await first.close();
  removeFolder(folder);
});

test.run();
