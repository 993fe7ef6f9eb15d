/**
 * A thread of TCP or TLS (RFC 7858) with the servers of Node: TLS on all systems, TCP on those
 * without the TCP loop. Zone transfers over TLS (RFC 9103) need TLS 1.3 and the ALPN protocol
 * "dot"; both are available. TLS has a thread of its own, so that handshakes do not delay other
 * transports.
 */
import { constants } from 'node:crypto';
import { createServer, type Server, type Socket } from 'node:net';
import { createServer as createTlsServer, type TLSSocket, type Server as TlsServer } from 'node:tls';
import { parentPort } from 'node:worker_threads';
import { type Client, TRANSPORT } from '../net/address/client.ts';
import { SIGNATURE_ALGORITHMS } from '../site/tls/signature-algorithms.ts';
import { takeTickets } from '../site/tls/ticket-keys.ts';
import { Streams } from './tcp-streams.ts';
import type { TlsMaterial } from './tls-certificate.ts';
import { connectionLimits, openWorker, post, type ToWorker } from './worker.ts';

/** Milliseconds between two checks of the stop flag. */
const STOP_CHECK_MS = 100;

const { data, handler, proxies, stopping } = openWorker();
const { tls } = data;
const streams = new Streams(
  handler,
  data.tcp,
  connectionLimits(data),
  tls === undefined ? TRANSPORT.TCP : TRANSPORT.TLS,
  proxies,
);

if (tls === undefined) serve(createTcp);
else {
  const server = serveTls(tls);
  parentPort?.on('message', (message: ToWorker) => {
    if (message.kind !== 'certificate') return;
    server.setSecureContext(contextOf(message.tls));
    takeTickets(server, message.tls.tickets);
  });
}

/** Listens on every address. Exits the thread once it should stop. */
function serve(create: () => Server): void {
  let remaining = data.listen.length;
  const servers = data.listen.map(({ address, port, family }) => {
    const server = create();
    server.on('error', (error) => post({ kind: remaining > 0 ? 'failed' : 'fault', message: error.message }));
    server.listen({ port, host: address, ipv6Only: family === 6, backlog: 511 }, () => {
      if (--remaining === 0) post({ kind: 'listening' });
    });
    return server;
  });
  const watch = setInterval(() => {
    if (!stopping()) return;
    clearInterval(watch);
    for (const server of servers) server.close();
    streams.close();
    process.exit();
  }, STOP_CHECK_MS);
}

function createTcp(): Server {
  return createServer({ allowHalfOpen: true }, (socket) => {
    const client = streams.admit(socket);
    if (client !== null) serveAfterHeader(socket, client, socket);
  });
}

/** `admitted`: as in Streams. */
function serveAfterHeader(socket: Socket, client: Client, admitted: Socket): void {
  const onReady = (): void => {
    streams.serve(socket, client, admitted);
    socket.resume();
  };
  streams.start(socket, client, onReady, admitted);
}

/** Listens for DNS over TLS. Returns the server of the handshakes. */
function serveTls(material: TlsMaterial): TlsServer {
  /**
   * Connections with a handshake in progress. The key is what they share with their TLS socket:
   * addresses and ports.
   */
  const handshakes = new Map<string, { readonly socket: Socket; readonly client: Client }>();
  const server = createTlsServer({
    ...contextOf(material),
    ALPNProtocols: ['dot'],
    handshakeTimeout: data.tcp.queryTimeout,
    allowHalfOpen: true,
  });
  takeTickets(server, material.tickets);
  // A connection counts from its first byte on, because a handshake costs more than a query. A
  // proxy may put its header before the handshake.
  serve(() =>
    createServer({ allowHalfOpen: true }, (socket) => {
      const client = streams.admit(socket);
      if (client === null) return;
      const id = idOf(socket);
      handshakes.set(id, { socket, client });
      socket.once('close', () => handshakes.delete(id));
      streams.start(socket, client, () => server.emit('connection', socket));
    }),
  );
  server.on('secureConnection', (socket: TLSSocket) => {
    const admitted = handshakes.get(idOf(socket));
    if (admitted === undefined) socket.destroy();
    else serveAfterHeader(socket, admitted.client, admitted.socket);
  });
  // Clients that do not speak TLS or abandon the handshake. The error affects no other client.
  server.on('tlsClientError', (_, socket) => socket.destroy());
  return server;
}

function contextOf({ certificate, key, tickets }: TlsMaterial) {
  return {
    cert: certificate,
    key,
    ticketKeys: Buffer.from(tickets.current),
    minVersion: 'TLSv1.2' as const,
    sigalgs: SIGNATURE_ALGORITHMS,
    secureOptions: constants.SSL_OP_NO_RENEGOTIATION,
    // The edge uses the same keys. Its sessions must not be resumed here.
    sessionIdContext: 'waypost dot',
  };
}

function idOf({ remoteAddress, remotePort, localAddress, localPort }: Socket): string {
  return `${remoteAddress} ${remotePort} ${localAddress} ${localPort}`;
}
