/** The thread that serves DNS over TLS (RFC 7858; with what RFC 9103 asks of transfers: TLS 1.3 is there, and ALPN "dot"). Its handshakes hold up nobody else. */
import { constants } from 'node:crypto';
import type { Socket } from 'node:net';
import { createServer, type TLSSocket } from 'node:tls';
import { parentPort, workerData } from 'node:worker_threads';
import { type Client, TRANSPORT } from '../address/client.ts';
import { takeTickets } from '../tls/ticket-keys.ts';
import { listenEverywhere } from './stream-servers.ts';
import { Streams } from './tcp-streams.ts';
import type { TlsMaterial } from './tls-certificate.ts';
import {
  connectionLimits,
  type FromWorker,
  faultReporter,
  openReader,
  type ToWorker,
  type WorkerData,
} from './worker-data.ts';

const data = workerData as WorkerData;
const post = (message: FromWorker): void => parentPort?.postMessage(message);
const reader = openReader(data);
const streams = new Streams(reader, data.tcp, connectionLimits(data), TRANSPORT.TLS, faultReporter(post));

/** Of connections whose handshake is under way, by what they have in common with their TLS socket: addresses and ports. */
const clients = new Map<string, { readonly socket: Socket; readonly client: Client }>();
const idOf = ({ remoteAddress, remotePort, localAddress, localPort }: Socket): string =>
  `${remoteAddress} ${remotePort} ${localAddress} ${localPort}`;

const contextOf = ({ certificate, key, tickets }: TlsMaterial) => ({
  cert: certificate,
  key,
  ticketKeys: Buffer.from(tickets.current),
  minVersion: 'TLSv1.2' as const,
  secureOptions: constants.SSL_OP_NO_RENEGOTIATION,
  // The keys are the edge's, too, whose sessions are not resumed here.
  sessionIdContext: 'waypost dot',
});

const material = data.tls;
if (material === undefined) throw new Error('DNS over TLS needs a certificate');
const servers = listenEverywhere(data.listen, streams, reader.stopping, post, (family) => {
  const server = createServer({
    ...contextOf(material),
    ALPNProtocols: ['dot'],
    handshakeTimeout: data.tcp.queryTimeout,
    allowHalfOpen: true,
  });
  takeTickets(server, material.tickets);
  // Counted from its first byte on: a handshake costs more than a query.
  server.prependListener('connection', (socket: Socket) => {
    const client = streams.admit(socket);
    if (client === null) return;
    const id = idOf(socket);
    clients.set(id, { socket, client });
    socket.once('close', () => clients.delete(id));
  });
  server.on('secureConnection', (socket: TLSSocket) => {
    const found = clients.get(idOf(socket));
    if (found === undefined) socket.destroy();
    else streams.serve(socket, found.client, family, found.socket);
  });
  // Clients that don't speak TLS, or don't go on: nothing that concerns anybody else.
  server.on('tlsClientError', (_, socket) => socket.destroy());
  return server;
});

parentPort?.on('message', (message: ToWorker) => {
  for (const server of servers) {
    server.setSecureContext(contextOf(message.tls));
    takeTickets(server, message.tls.tickets);
  }
});
