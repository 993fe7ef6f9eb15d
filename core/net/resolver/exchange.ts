/**
 * Sends a query to a server and waits for the response. Each UDP query has its own source port (RFC
 * 5452 9.2). Time and the number of received packets are limited.
 */
import { createSocket } from 'node:dgram';
import { connect } from 'node:net';

export interface Server {
  readonly address: string;
  readonly port: number;
  /** The source address; omitted: that of the route. */
  readonly source?: string;
}

/** Packets that do not answer the query, after which the exchange fails (RFC 5452 9.3). */
const MAX_STRAY = 20;

const STOPPED = 'the service is stopping';

/**
 * Resolves to the first message for which `isAnswer` is true. Rejects with an Error that can be
 * shown to users: no answer within `ms` milliseconds, or the port is closed. The socket is
 * connected, so it receives packets from the server's address and port only.
 */
export function exchangeUdp(
  server: Server,
  query: Buffer,
  isAnswer: (message: Buffer) => boolean,
  ms: number,
  signal: AbortSignal,
): Promise<Buffer> {
  return new Promise((resolve, reject) => {
    signal.throwIfAborted();
    const socket = createSocket(server.address.includes(':') ? 'udp6' : 'udp4');
    let stray = 0;
    const end = (settle: () => void): void => {
      clearTimeout(timer);
      signal.removeEventListener('abort', stop);
      socket.removeAllListeners();
      // A pending ICMP error can still be emitted.
      socket.on('error', () => {});
      socket.close();
      settle();
    };
    const timer = setTimeout(() => end(() => reject(new Error('the resolver did not respond in time'))), ms);
    const stop = (): void => end(() => reject(new Error(STOPPED)));
    signal.addEventListener('abort', stop);
    socket.on('error', () => end(() => reject(new Error('the resolver is unreachable'))));
    socket.on('message', (message) => {
      if (isAnswer(message)) end(() => resolve(message));
      else if (++stray === MAX_STRAY) end(() => reject(new Error('the resolver sent an unexpected response')));
    });
    // A callback of `connect` would receive its failures, such as an unreachable network. Without a
    // callback, the socket emits 'error'.
    socket.once('connect', () => socket.send(query));
    const open = (): void => socket.connect(server.port, server.address);
    if (server.source === undefined) open();
    else socket.bind({ address: server.source }, open);
  });
}

/** Sends the query over a new TCP connection (RFC 7766). Rejects as exchangeUdp does. */
export function exchangeTcp(server: Server, query: Buffer, ms: number, signal: AbortSignal): Promise<Buffer> {
  return new Promise((resolve, reject) => {
    signal.throwIfAborted();
    const { port, address: host, source: localAddress } = server;
    const socket = connect({ port, host, localAddress });
    let received = Buffer.alloc(0);
    const end = (settle: () => void): void => {
      clearTimeout(timer);
      signal.removeEventListener('abort', stop);
      socket.removeAllListeners();
      socket.on('error', () => {});
      socket.destroy();
      settle();
    };
    const fail = (why: string) => () => end(() => reject(new Error(why)));
    const stop = fail(STOPPED);
    signal.addEventListener('abort', stop);
    const timer = setTimeout(fail('the resolver did not respond in time'), ms);
    socket.on('error', fail('the resolver is unreachable'));
    socket.on('close', fail('the resolver closed the connection'));
    socket.on('connect', () => socket.write(Buffer.concat([Uint8Array.of(query.length >> 8, query.length), query])));
    socket.on('data', (chunk: Buffer) => {
      received = Buffer.concat([received, chunk]);
      if (received.length < 2) return;
      const length = received.readUInt16BE(0);
      if (received.length >= 2 + length) end(() => resolve(received.subarray(2, 2 + length)));
    });
  });
}
