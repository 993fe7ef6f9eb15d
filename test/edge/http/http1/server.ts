/** A server of HTTP/1.1 alone, to be spoken to by hand. */

import { once } from 'node:events';
import { type AddressInfo, createServer, type Socket } from 'node:net';
import type { Exchange, Handler } from '../../../../edge/http/exchange/exchange.ts';
import { Http1Counters, type Http1Reason } from '../../../../edge/http/http1/counters.ts';
import type { Http1Limits } from '../../../../edge/http/http1/limits.ts';
import { Http1 } from '../../../../edge/http/http1/server.ts';
import { exchange as exchangeRaw, type RawAnswer } from '../../../support/raw-http.ts';
import { DEFAULT_HTTP1_LIMITS } from '../limits.ts';

export interface RawServer {
  readonly port: number;
  readonly http1: Http1;
  readonly counters: Http1Counters;
  /** Reported reasons. */
  readonly events: Http1Reason[];
  readonly errors: unknown[];
  /** Of the connections that are open. */
  readonly sockets: ReadonlySet<Socket>;
  /**
   * Sends a character a byte, reads until the server ends or all of `until` has come (as often as
   * it is said).
   */
  send(bytes: string, until?: string, times?: number): Promise<RawAnswer>;
}

/** What the handler was given, and the body that it read: as JSON. */
export async function describe(exchange: Exchange): Promise<void> {
  let body = '';
  for (;;) {
    const part = await exchange.body.read();
    if (part === null) break;
    body += Buffer.from(part).toString('latin1');
  }
  const { method, authority, path, version, headers } = exchange;
  exchange.respond(200, []);
  exchange.end(Buffer.from(JSON.stringify({ method, authority, path, version, headers, body }), 'latin1'));
}

export async function withServer(
  handler: Handler,
  use: (server: RawServer) => Promise<void>,
  limits: Partial<Http1Limits> = {},
): Promise<void> {
  const events: Http1Reason[] = [];
  const errors: unknown[] = [];
  const counters = new Http1Counters({ onReason: (reason) => events.push(reason) });
  const http1 = new Http1({
    handler,
    limits: { ...DEFAULT_HTTP1_LIMITS, ...limits },
    counters,
    onHandlerError: (error) => errors.push(error),
  });
  const open = new Set<Socket>();
  const server = createServer({ allowHalfOpen: true, noDelay: true }, (socket) => {
    open.add(socket);
    socket.on('close', () => open.delete(socket));
    http1.accept(socket, { address: '127.0.0.1', port: socket.remotePort ?? 0, serverName: '', isEncrypted: false });
  }).listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  const send = (bytes: string, until = '', times = 1): Promise<RawAnswer> =>
    exchangeRaw(port, bytes, {
      ms: 10_000,
      done: (text) => until !== '' && text.split(until).length > times,
    });
  try {
    await use({ port, http1, counters, events, errors, sockets: open, send });
  } finally {
    for (const socket of open) socket.destroy();
    server.close();
    await once(server, 'close');
  }
}
