/** The thread that serves DNS over TCP where there is no loop of our own: over node:net. */
import { createServer } from 'node:net';
import { parentPort, workerData } from 'node:worker_threads';
import { TRANSPORT } from '../answer/client.ts';
import { Streams } from './tcp-streams.ts';
import { connectionLimits, type FromWorker, faultReporter, openReader, type WorkerData } from './worker-data.ts';

const data = workerData as WorkerData;
const post = (message: FromWorker): void => parentPort?.postMessage(message);
const reader = openReader(data);
const streams = new Streams(reader, data.tcp, connectionLimits(data), TRANSPORT.TCP, faultReporter(post));
const STOP_MS = 100;

let waiting = data.listen.length;
const servers = data.listen.map((listen) => {
  const family = listen.family === 6 ? 1 : 0;
  const server = createServer({ allowHalfOpen: true }, (socket) => {
    const client = streams.admit(socket);
    if (client !== null) streams.serve(socket, client, family);
  });
  server.on('error', (error) => post({ kind: waiting > 0 ? 'failed' : 'fault', message: error.message }));
  server.listen({ port: listen.port, host: listen.address, ipv6Only: listen.family === 6, backlog: 511 }, () => {
    if (--waiting === 0) post({ kind: 'listening' });
  });
  return server;
});

const watch = setInterval(() => {
  if (!reader.stopping()) return;
  clearInterval(watch);
  for (const server of servers) server.close();
  streams.close();
  process.exit();
}, STOP_MS);
