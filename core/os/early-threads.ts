/**
 * Threads that load their program before their data exists: at a start, those of the nameserver
 * load while the main thread opens the store.
 */
import { once } from 'node:events';
import {
  MessageChannel,
  type MessagePort,
  receiveMessageOnPort,
  type Transferable,
  Worker,
  type WorkerOptions,
  workerData,
} from 'node:worker_threads';

/** The workerData of a thread that waits for `signal`. */
interface EarlyData {
  readonly early: { readonly port: MessagePort; readonly signal: Int32Array };
}

interface EarlyThread {
  readonly worker: Worker;
  readonly port: MessagePort;
  readonly signal: Int32Array;
}

/** Values of `signal`: the thread waits, its data is at the port, or it is not needed. */
const WAIT = 0;
const TAKE = 1;
const END = 2;

/** By the file of the program. */
const waiting = new Map<string, EarlyThread[]>();

/** Starts threads of a program, for `createThread`. */
export function loadThreads(file: URL, names: readonly string[], heap: WorkerOptions['resourceLimits']): void {
  const threads = names.map((name): EarlyThread => {
    const { port1, port2 } = new MessageChannel();
    const signal = new Int32Array(new SharedArrayBuffer(Int32Array.BYTES_PER_ELEMENT));
    const data: EarlyData = { early: { port: port2, signal } };
    const worker = new Worker(file, { name, resourceLimits: heap, workerData: data, transferList: [port2] });
    // A thread that dies early is created again, and fails with its cause.
    worker.on('error', () => {});
    port1.unref();
    return { worker, port: port1, signal };
  });
  waiting.set(file.href, threads);
}

interface ThreadOptions {
  readonly name: string;
  readonly workerData: object;
  readonly transferList: readonly Transferable[] | undefined;
  readonly resourceLimits: WorkerOptions['resourceLimits'];
}

/** Gives the data to a thread that has loaded the program, or else creates one. */
export function createThread(file: URL, { transferList = [], ...options }: ThreadOptions): Worker {
  const threads = waiting.get(file.href) ?? [];
  for (let thread = threads.shift(); thread !== undefined; thread = threads.shift()) {
    const { worker, port, signal } = thread;
    if (worker.threadId === ENDED) continue;
    port.postMessage(options.workerData, [...transferList]);
    send(signal, TAKE);
    return worker;
  }
  return new Worker(file, { ...options, transferList: [...transferList] });
}

const ENDED = -1;

/**
 * Ends the threads that were not needed. A thread that is terminated, or whose process exits, while
 * it loads LMDB aborts the process. So each ends itself once it has loaded its program.
 */
export async function endEarlyThreads(): Promise<void> {
  const threads = [...waiting.values()].flat();
  waiting.clear();
  const ends = threads.map(async ({ worker, signal }) => {
    if (worker.threadId === ENDED) return;
    send(signal, END);
    await once(worker, 'exit').catch(() => {});
  });
  await Promise.all(ends);
}

function send(signal: Int32Array, value: number): void {
  Atomics.store(signal, 0, value);
  Atomics.notify(signal, 0);
}

/** In a thread: its workerData. Waits for it if the thread was started early. */
export function takeThreadData<Data>(): Data {
  const { early } = workerData as Partial<EarlyData>;
  if (early === undefined) return workerData as Data;
  Atomics.wait(early.signal, 0, WAIT);
  if (Atomics.load(early.signal, 0) === END) process.exit();
  const received = receiveMessageOnPort(early.port) as { readonly message: Data };
  early.port.close();
  return received.message;
}
