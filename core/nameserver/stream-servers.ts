/** Servers over node:net for the addresses of a thread, TLS or not, until it is told to stop. */
import type { Server } from 'node:net';
import type { Streams } from './tcp-streams.ts';
import type { FromWorker, WorkerData } from './worker-data.ts';

/** Milliseconds between two looks whether to stop. */
const LOOK_MS = 100;

/**
 * Listens on every address; `create` makes its server, by the number of its family: 0 for IPv4, 1 for IPv6. Tells when all listen, or what failed. Ends the
 * thread once `stopping` says so.
 */
export function listenEverywhere<S extends Server>(
  listen: WorkerData['listen'],
  streams: Streams,
  stopping: () => boolean,
  post: (message: FromWorker) => void,
  create: (family: number) => S,
): S[] {
  let waiting = listen.length;
  const servers = listen.map(({ address, port, family }) => {
    const server = create(family === 6 ? 1 : 0);
    server.on('error', (error) => post({ kind: waiting > 0 ? 'failed' : 'fault', message: error.message }));
    server.listen({ port, host: address, ipv6Only: family === 6, backlog: 511 }, () => {
      if (--waiting === 0) post({ kind: 'listening' });
    });
    return server;
  });
  const watch = setInterval(() => {
    if (!stopping()) return;
    clearInterval(watch);
    for (const server of servers) server.close();
    streams.close();
    process.exit();
  }, LOOK_MS);
  return servers;
}
