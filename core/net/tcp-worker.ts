/** The thread that serves DNS over TCP. */
import { createServer, type Socket } from 'node:net';
import { parentPort, workerData } from 'node:worker_threads';
import { Client, TRANSPORT } from '../answer/client.ts';
import { DEFERRED, MAX_MESSAGE } from '../answer/responder.ts';
import { RCODE } from '../wire/types.ts';
import { COLUMN } from './counters.ts';
import { clientNetwork, setClientAddress } from './ipv6.ts';
import { TcpConnection } from './tcp-connection.ts';
import { type FromWorker, faultReporter, openReader, type WorkerData } from './worker-data.ts';

const data = workerData as WorkerData;
const post = (message: FromWorker): void => parentPort?.postMessage(message);
const fault = faultReporter(post);
const { index, responder, counters, stopping } = openReader(data);
/** One packet at a time is answered, so one buffer serves all connections. */
const packet = new Uint8Array(MAX_MESSAGE + 1);
const STOP_MS = 100;

/** `family`: 0 for IPv4, 1 for IPv6. */
function respond(length: number, family: number, client: Client): number {
  index.enter();
  try {
    let size = responder.respond(packet, 0, length, client);
    if (size === DEFERRED) size = responder.refuse(RCODE.REFUSED);
    if (size === 0) counters.count(COLUMN.notQuery);
    else counters.answered(packet, 0, responder.query, family);
    return size;
  } catch (error) {
    counters.count(COLUMN.fault);
    fault(error);
    return 0;
  } finally {
    index.leave();
  }
}

const connections = new Set<Socket>();
const perNetwork = new Map<string, number>();

function accept(socket: Socket, family: number): void {
  const network = clientNetwork(socket.remoteAddress ?? '');
  const others = perNetwork.get(network) ?? 0;
  const isFull = connections.size >= data.tcp.maxConnections;
  if (isFull || others >= data.tcp.maxPerAddress) {
    counters.count(isFull ? COLUMN.tcpRefused : COLUMN.tcpRefusedClient);
    socket.destroy();
    return;
  }
  connections.add(socket);
  counters.count(COLUMN.tcpAccepted);
  counters.set(COLUMN.tcpOpen, connections.size);
  perNetwork.set(network, others + 1);
  socket.once('close', () => {
    connections.delete(socket);
    counters.set(COLUMN.tcpOpen, connections.size);
    const left = (perNetwork.get(network) ?? 1) - 1;
    if (left === 0) perNetwork.delete(network);
    else perNetwork.set(network, left);
  });
  const client = new Client();
  setClientAddress(client, socket.remoteAddress ?? '0.0.0.0', socket.remotePort ?? 0);
  client.transport = TRANSPORT.TCP;
  new TcpConnection(
    socket,
    data.tcp,
    packet,
    (length) => respond(length, family, client),
    (reason) => counters.count(reason === 'idle' ? COLUMN.tcpIdle : COLUMN.tcpSlow),
  );
}

let waiting = data.listen.length;
const servers = data.listen.map((listen) => {
  const family = listen.family === 6 ? 1 : 0;
  const server = createServer({ allowHalfOpen: true }, (socket) => accept(socket, family));
  server.on('error', (error) => post({ kind: waiting > 0 ? 'failed' : 'fault', message: error.message }));
  server.listen({ port: listen.port, host: listen.address, ipv6Only: listen.family === 6, backlog: 511 }, () => {
    if (--waiting === 0) post({ kind: 'listening' });
  });
  return server;
});

const watch = setInterval(() => {
  if (!stopping()) return;
  clearInterval(watch);
  for (const server of servers) server.close();
  for (const socket of connections) socket.destroy();
  process.exit();
}, STOP_MS);
