/**
 * A thread that sends queries to the shared index continuously until it is stopped, and reports the
 * responses.
 */
import { parentPort, workerData } from 'node:worker_threads';
import { LmdbNodeStore } from '../../../../core/nameserver/node-store.ts';
import { Client } from '../../../../core/net/address/client.ts';
import { IndexReader, type NodeStore } from '../../../../core/zone/answer/index-reader.ts';
import { Responder } from '../../../../core/zone/answer/responder.ts';
import { ASKABLE, type AskingData, type Report, STOP } from './asking.ts';

const data = workerData as AskingData;
const control = new Int32Array(data.control);
const noStore: NodeStore = { refresh: () => {}, fetch: () => 0, fetchEntry: () => 0 };
const store = data.storeDirectory === undefined ? null : new LmdbNodeStore(data.storeDirectory);
const index = new IndexReader(data.shared, data.reader, data.port, store ?? noStore);
const responder = new Responder(index, 1232);
const client = new Client();
const buffer = Buffer.alloc(2048);
const right = data.right.map((hex) => Buffer.from(hex, 'hex'));
const collected = new Map<string, number>();
const counts = right.map(() => 0);
let sent = 0;
let wrong: string | null = null;
parentPort?.postMessage('ready');

while (Atomics.load(control, STOP) === 0 && wrong === null) {
  // Names published by now are in the slots that this batch reads.
  const askable = Atomics.load(control, ASKABLE);
  index.enter();
  // Several queries per batch: nodes must stay valid until it ends.
  for (let i = 0; i < 16 && wrong === null; i++) {
    buffer.set(data.packet);
    let number = 0;
    if (data.numbered) {
      if (askable === 0) break;
      // A move to new slots could lose the newest names; older ones are queried in turn.
      number = i % 2 === 0 ? askable - 1 : (sent * 7919) % askable;
      buffer.write(String(number).padStart(7, '0'), 13, 'latin1');
    }
    const length = responder.respond(buffer, 0, data.packet.length, client);
    sent++;
    if (data.numbered) {
      if (length < 16 || buffer[3] !== 0 || buffer.readUInt32BE(length - 4) !== number)
        wrong = `${number}: ${buffer.toString('hex', 0, length)}`;
      continue;
    }
    if (data.collects === true) {
      const hex = buffer.toString('hex', 0, length);
      collected.set(hex, (collected.get(hex) ?? 0) + 1);
      continue;
    }
    const which = right.findIndex((bytes) => bytes.equals(buffer.subarray(0, length)));
    if (which < 0) wrong = buffer.toString('hex', 0, length);
    else counts[which]++;
  }
  index.leave();
}
await store?.close();
parentPort?.postMessage({ sent, counts, wrong, collected } satisfies Report);
