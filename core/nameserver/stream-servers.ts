/** Runs one node:net server for each address of a thread, with or without TLS. */
import type { Server } from 'node:net';
import type { Streams } from './tcp-streams.ts';
import type { FromWorker, WorkerData } from './worker-data.ts';

/** Milliseconds between two checks of the stop flag. */
const STOP_CHECK_MS = 100;

/**
 * Listens on every address. `create` returns the server for a family: 0 for IPv4, 1 for IPv6. Posts
 * `listening` when all servers listen, or the error. Exits the thread once `stopping` returns true.
 */
export function listenEverywhere<S extends Server>(
  listen: WorkerData['listen'],
  streams: Streams,
  stopping: () => boolean,
  post: (message: FromWorker) => void,
  create: (family: number) => S,
): S[] {
  let remaining = listen.length;
  const servers = listen.map(({ address, port, family }) => {
    const server = create(family === 6 ? 1 : 0);
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
  return servers;
}
