/** A thread that asks the shared index without a pause until it is told to stop, and says what it was answered. */
import { parentPort, workerData } from 'node:worker_threads';
import { Client } from '../../../core/address/client.ts';
import { IndexReader } from '../../../core/answer/index-reader.ts';
import { Responder } from '../../../core/answer/responder.ts';
import { ASKABLE, type AskingData, type Report, STOP } from './asking.ts';

const data = workerData as AskingData;
const control = new Int32Array(data.control);
const index = new IndexReader(data.shared, data.reader, data.port, { refresh: () => {}, fetch: () => 0 });
const responder = new Responder(index, 1232);
const client = new Client();
const buffer = Buffer.alloc(2048);
const right = data.right.map((hex) => Buffer.from(hex, 'hex'));
const counts = right.map(() => 0);
let asked = 0;
let wrong: string | null = null;
parentPort?.postMessage('ready');

while (Atomics.load(control, STOP) === 0 && wrong === null) {
  // What is askable now is in the slots that this batch looks at.
  const askable = Atomics.load(control, ASKABLE);
  index.enter();
  // Several in one batch: nodes must stay valid until it ends.
  for (let i = 0; i < 16 && wrong === null; i++) {
    buffer.set(data.packet);
    let number = 0;
    if (data.numbered) {
      if (askable === 0) break;
      // The newest are those that a move to new slots could lose; the older ones are asked by turns.
      number = i % 2 === 0 ? askable - 1 : (asked * 7919) % askable;
      buffer.write(String(number).padStart(7, '0'), 13, 'latin1');
    }
    const length = responder.respond(buffer, 0, data.packet.length, client);
    asked++;
    if (data.numbered) {
      if (length < 16 || buffer[3] !== 0 || buffer.readUInt32BE(length - 4) !== number)
        wrong = `${number}: ${buffer.toString('hex', 0, length)}`;
      continue;
    }
    const which = right.findIndex((bytes) => bytes.equals(buffer.subarray(0, length)));
    if (which < 0) wrong = buffer.toString('hex', 0, length);
    else counts[which]++;
  }
  index.leave();
}
parentPort?.postMessage({ asked, counts, wrong } satisfies Report);
