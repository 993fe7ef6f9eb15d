/** Threads that load their program before their data exists. */
import { once } from 'node:events';
import { MessageChannel, type Worker } from 'node:worker_threads';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { createThread, endEarlyThreads, loadThreads } from '../../../core/os/early-threads.ts';

const PROGRAM = new URL('./early-threads-program.js', import.meta.url);
const DATA = { name: 'late', transferList: undefined, resourceLimits: undefined };

const test = suite('core/os/early-threads');
test.after(endEarlyThreads);

const answerOf = async (worker: Worker): Promise<unknown> => {
  const exited = once(worker, 'exit');
  const [text] = (await once(worker, 'message')) as [unknown];
  await exited;
  return text;
};

test('a thread that is loaded early takes its data, and ports in it', async () => {
  loadThreads(PROGRAM, ['early'], undefined);
  const { port1, port2 } = new MessageChannel();
  const worker = createThread(PROGRAM, { ...DATA, workerData: { text: 'one', port: port2 }, transferList: [port2] });
  const [[text], answer] = await Promise.all([once(port1, 'message'), answerOf(worker)]);
  assert.equal([text, answer], ['one', 'one']);
});

test('further threads are created with their data, and those that are not needed end', async () => {
  loadThreads(PROGRAM, ['early', 'unused'], undefined);
  const first = createThread(PROGRAM, { ...DATA, workerData: { text: 'first' } });
  const answer = answerOf(first);
  await endEarlyThreads();
  const second = createThread(PROGRAM, { ...DATA, workerData: { text: 'second' } });
  assert.equal(await Promise.all([answer, answerOf(second)]), ['first', 'second']);
});

test.run();
