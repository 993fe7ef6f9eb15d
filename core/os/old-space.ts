/** Threads whose old generation may grow before V8 collects it. */
import v8 from 'node:v8';
import type { Worker } from 'node:worker_threads';

const setSize = (megabytes: number): void => v8.setFlagsFromString(`--initial-old-space-size=${megabytes}`);

type StartedWorker = Pick<Worker, 'once'>;

/** Workers whose heap may not be made yet. */
let starting = 0;

/**
 * The worker that `create` makes, of whose old generation V8 collects nothing below `megabytes`. By
 * itself it would collect once or twice a second where a heap of 30 MB has a young generation of 32
 * and many requests in flight, 35 ms each time. A thread's limits have no field for it, so it is a
 * flag of the process until the thread has made its heap; threads that others start meanwhile get
 * it too.
 */
export function withOldSpace<W extends StartedWorker>(megabytes: number, create: () => W): W {
  setSize(megabytes);
  starting++;
  let isStarting = true;
  const end = (): void => {
    if (!isStarting) return;
    isStarting = false;
    if (--starting === 0) setSize(0);
  };
  try {
    const worker = create();
    worker.once('online', end);
    worker.once('exit', end);
    return worker;
  } catch (error) {
    end();
    throw error;
  }
}
