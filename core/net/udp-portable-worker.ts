/** The same over node:dgram, for systems without recvmmsg. */
import { createSocket } from 'node:dgram';
import { parentPort, workerData } from 'node:worker_threads';
import { type FromWorker, faultReporter, openReader, type WorkerData } from './worker-data.ts';

const data = workerData as WorkerData;
const post = (message: FromWorker): void => parentPort?.postMessage(message);
const fault = faultReporter(post);
const { index, responder, stopping } = openReader(data);
const MAX_PACKET = 65535;
const packet = new Uint8Array(MAX_PACKET);
/** How often it looks whether it should stop. */
const STOP_MS = 100;

let waiting = data.listen.length;
const sockets = data.listen.map((listen) => {
  const socket = createSocket({ type: listen.family === 4 ? 'udp4' : 'udp6', ipv6Only: listen.family === 6 });
  socket.on('message', (query, from) => {
    if (from.port === 0) return;
    packet.set(query);
    let length = 0;
    index.enter();
    try {
      length = responder.respond(packet, 0, query.length, false);
    } catch (error) {
      fault(error);
    }
    index.leave();
    // The socket keeps the bytes until they are sent, and the next query overwrites these.
    if (length > 0) socket.send(Uint8Array.prototype.slice.call(packet, 0, length), from.port, from.address);
  });
  socket.on('error', (error) => post({ kind: waiting > 0 ? 'failed' : 'fault', message: error.message }));
  socket.bind({ port: listen.port, address: listen.address }, () => {
    if (--waiting === 0) post({ kind: 'listening' });
  });
  return socket;
});

const watch = setInterval(() => {
  if (!stopping()) return;
  clearInterval(watch);
  for (const socket of sockets) socket.close();
  process.exit();
}, STOP_MS);
