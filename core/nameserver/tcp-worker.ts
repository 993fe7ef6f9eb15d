/** The thread that serves DNS over TCP with node:net, on systems without the TCP loop. */
import { createServer } from 'node:net';
import { parentPort, workerData } from 'node:worker_threads';
import { TRANSPORT } from '../net/address/client.ts';
import { listenEverywhere } from './stream-servers.ts';
import { Streams } from './tcp-streams.ts';
import { connectionLimits, createDnsContext, type FromWorker, faultReporter, type WorkerData } from './worker-data.ts';

const data = workerData as WorkerData;
const post = (message: FromWorker): void => parentPort?.postMessage(message);
const reader = createDnsContext(data);
const streams = new Streams(reader, data.tcp, connectionLimits(data), TRANSPORT.TCP, faultReporter(post));

listenEverywhere(data.listen, streams, reader.stopping, post, (family) =>
  createServer({ allowHalfOpen: true }, (socket) => {
    const client = streams.admit(socket);
    if (client !== null) streams.serve(socket, client, family);
  }),
);
