/**
 * The thread that serves DNS over TLS (RFC 7858). Zone transfers over TLS (RFC 9103) need TLS 1.3
 * and the ALPN protocol "dot"; both are available. The thread's handshakes do not delay other
 * transports.
 */
import { constants } from 'node:crypto';
import type { Socket } from 'node:net';
import { createServer, type TLSSocket } from 'node:tls';
import { parentPort, workerData } from 'node:worker_threads';
import { type Client, TRANSPORT } from '../net/address/client.ts';
import { SIGNATURE_ALGORITHMS } from '../site/tls/signature-algorithms.ts';
import { takeTickets } from '../site/tls/ticket-keys.ts';
import { listenEverywhere } from './stream-servers.ts';
import { Streams } from './tcp-streams.ts';
import type { TlsMaterial } from './tls-certificate.ts';
import {
  connectionLimits,
  createDnsContext,
  type FromWorker,
  faultReporter,
  type ToWorker,
  type WorkerData,
} from './worker-data.ts';

const data = workerData as WorkerData;
const post = (message: FromWorker): void => parentPort?.postMessage(message);
const reader = createDnsContext(data);
const streams = new Streams(reader, data.tcp, connectionLimits(data), TRANSPORT.TLS, faultReporter(post));

/**
 * Connections with a handshake in progress. The key is what they share with their TLS socket:
 * addresses and ports.
 */
const clients = new Map<string, { readonly socket: Socket; readonly client: Client }>();
const idOf = ({ remoteAddress, remotePort, localAddress, localPort }: Socket): string =>
  `${remoteAddress} ${remotePort} ${localAddress} ${localPort}`;

const contextOf = ({ certificate, key, tickets }: TlsMaterial) => ({
  cert: certificate,
  key,
  ticketKeys: Buffer.from(tickets.current),
  minVersion: 'TLSv1.2' as const,
  sigalgs: SIGNATURE_ALGORITHMS,
  secureOptions: constants.SSL_OP_NO_RENEGOTIATION,
  // The edge uses the same keys. Its sessions must not be resumed here.
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
  // A connection counts from its first byte on, because a handshake costs more than a query.
  server.prependListener('connection', (socket: Socket) => {
    const client = streams.admit(socket);
    if (client === null) return;
    const id = idOf(socket);
    clients.set(id, { socket, client });
    socket.once('close', () => clients.delete(id));
  });
  server.on('secureConnection', (socket: TLSSocket) => {
    const admitted = clients.get(idOf(socket));
    if (admitted === undefined) socket.destroy();
    else streams.serve(socket, admitted.client, family, admitted.socket);
  });
  // Clients that do not speak TLS or abandon the handshake. The error affects no other client.
  server.on('tlsClientError', (_, socket) => socket.destroy());
  return server;
});

parentPort?.on('message', (message: ToWorker) => {
  for (const server of servers) {
    server.setSecureContext(contextOf(message.tls));
    takeTickets(server, message.tls.tickets);
  }
});
