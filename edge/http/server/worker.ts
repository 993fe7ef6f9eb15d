/** Entry point of an edge thread: creates its application, listens, and serves until it drains. */
import { parentPort, workerData } from 'node:worker_threads';
import { LogThrottle } from '../../../core/base/log/throttle.ts';
import { addressText } from '../../../core/net/address/ipv6.ts';
import { ConnectionLimits } from '../../../core/os/connection-limits.ts';
import { DescriptorLoop } from '../../../core/os/descriptor-loop.ts';
import { SharedLoad } from '../../../core/os/protection/levels.ts';
import { maintainThread } from '../../../core/os/thread-upkeep.ts';
import type { Client } from '../exchange/exchange.ts';
import { Http1Counters } from '../http1/counters.ts';
import { Http2Counters } from '../http2/counters.ts';
import type { CreateApplication } from './application.ts';
import { ServerCounters } from './counters.ts';
import { ownListener } from './listening.ts';
import type { FromThread, ThreadData, ToThread } from './messages.ts';
import { EdgeServer } from './server.ts';
import { createBaseContext } from './tls-context.ts';

const data = workerData as ThreadData;
const post = (message: FromThread): void => parentPort?.postMessage(message);
const warn = (message: string, fields: { readonly [key: string]: string | number }): void =>
  post({ kind: 'log', level: 'warn', message, fields });
const tell =
  (message: string) =>
  (reason: string, count: number, client: Client): void =>
    warn(message, { reason, count, client: client.address, serverName: client.serverName });

maintainThread(data.pulse);
const counters = new ServerCounters({
  memory: data.slice.server,
  onLimit: (reason, count, client) =>
    warn('connection exceeded a limit', { reason, count, client: addressText(client) }),
});
const http1Counters = new Http1Counters({
  memory: data.slice.http1,
  onReason: tell('HTTP/1.1 request or connection rejected'),
});
const http2Counters = new Http2Counters({
  memory: data.slice.http2,
  onEnding: tell('HTTP/2 session or stream ended'),
});

/** Handler errors are throttled, so a failing handler does not fill the log. */
const throttle = new LogThrottle();
function onHandlerError(error: unknown): void {
  const count = throttle.due('handler');
  if (count === 0) return;
  const fields = { count, error: error instanceof Error ? (error.stack ?? error.message) : String(error) };
  post({ kind: 'log', level: 'error', message: 'request handler of the edge failed', fields });
}

/**
 * Null if it is not requested or not supported. In the second case, the first thread logs a
 * warning.
 */
function openLoop(): DescriptorLoop | null {
  if (data.places === null) return null;
  try {
    return new DescriptorLoop(data.places.fds);
  } catch (error) {
    const reason = (error as Error).message;
    if (data.thread === 0) warn('connections use Node.js sockets, which are slower', { reason });
    return null;
  }
}

async function start(): Promise<void> {
  const loop = openLoop();
  const { createApplication } = (await import(data.application)) as { createApplication: CreateApplication };
  const application = await createApplication(data.data, {
    thread: data.thread,
    counters: data.slice.application,
    loop,
    send: (message) => post({ kind: 'application', message }),
  });
  const base = createBaseContext();
  const { tickets, ticketLifetime, places } = data;
  const { maxConnections, maxPerAddress } = data.limits.server;
  const server = new EdgeServer({
    application,
    limits: data.limits,
    base,
    connections: new ConnectionLimits(data.connections, data.slot, maxConnections, maxPerAddress),
    load: data.load === null ? undefined : new SharedLoad(data.load),
    counters,
    http1Counters,
    http2Counters,
    onHandlerError,
    native: places === null || loop === null ? undefined : { loop, places, ticketLifetime, tickets },
  });
  server.setTickets(tickets);
  const { nativeFailure: reason } = server;
  if (reason !== '' && data.thread === 0) warn('TLS uses node:tls, which is slower', { reason });
  parentPort?.on('message', (message: ToThread) => {
    if (message.kind === 'tickets') server.setTickets(message.keys);
    else if (message.kind === 'application') application.onMessage?.(message.message);
    else void end(server, () => application.close?.());
  });
  await Promise.all(data.listeners.map((listener) => server.listen(ownListener(listener))));
  post({ kind: 'listening' });
}

async function end(server: EdgeServer, close: () => Promise<void> | void): Promise<void> {
  await server.drain();
  await close();
  process.exit();
}

start().catch((error: unknown) => post({ kind: 'failed', message: (error as Error).message }));
