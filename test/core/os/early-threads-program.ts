/** The thread of early-threads.test.ts: sends its data back. */
import { type MessagePort, parentPort } from 'node:worker_threads';
import { takeThreadData } from '../../../core/os/early-threads.ts';

const { text, port } = takeThreadData<{ readonly text: string; readonly port?: MessagePort }>();
port?.postMessage(text);
port?.close();
parentPort?.postMessage(text);
