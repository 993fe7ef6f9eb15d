/** A reader of a store in a thread or a process of its own: see environment.test.ts. */
import { parentPort, workerData } from 'node:worker_threads';
import { openEnvironment } from '../../../core/store/environment.ts';

const { folder, mapSize } = (workerData ?? { folder: process.argv[2], mapSize: 1 << 20 }) as {
  folder: string;
  mapSize: number;
};
const { root, answers } = openEnvironment(folder, mapSize);

function read(n: number) {
  const key = Buffer.alloc(4);
  key.writeUInt32BE(n);
  root.resetReadTxn();
  const value = answers.get(key);
  const { entryCount } = answers.getStats() as { entryCount: number };
  return { length: value?.length, first: value?.[0], last: value?.[value.length - 1], entries: entryCount };
}

if (parentPort === null) {
  // Keeps its place among the readers until it is killed.
  read(0);
  process.stdout.write('reading\n');
  setInterval(() => {}, 1000);
} else {
  parentPort.on('message', (n: number) => parentPort?.postMessage(read(n)));
}
