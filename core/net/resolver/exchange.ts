/**
 * One query to one server, over UDP from a port of its own (RFC 5452 9.2) or over TCP. Bounded in
 * time and in what is taken.
 */
import { createSocket } from 'node:dgram';
import { connect } from 'node:net';

export interface Server {
  readonly address: string;
  readonly port: number;
}

/**
 * Packets that are no answer to the query: so many are looked at before the exchange is given up
 * (RFC 5452 9.3).
 */
const MAX_STRAY = 20;

const STOPPED = 'the service is stopping';

/**
 * The first message for which `isAnswer` holds. Rejects with an Error that can be shown: no answer
 * after `ms` milliseconds, or the port is closed. The socket is connected, so that only what comes
 * from the server's address and port arrives.
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
      // A refusal that is on its way still comes as an error.
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
    // With a callback of connect it would be that which receives a failure, such as of no way to
    // the network: without, it comes as 'error'.
    socket.once('connect', () => socket.send(query));
    socket.connect(server.port, server.address);
  });
}

/** The response over a connection of its own (RFC 7766). Rejects as exchangeUdp does. */
export function exchangeTcp(server: Server, query: Buffer, ms: number, signal: AbortSignal): Promise<Buffer> {
  return new Promise((resolve, reject) => {
    signal.throwIfAborted();
    const socket = connect(server.port, server.address);
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
