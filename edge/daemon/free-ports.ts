/**
 * Checks that ports are free. Threads share their ports with SO_REUSEPORT, and would silently share
 * them with a second daemon. The check therefore binds each port exclusively.
 */
import { createServer } from 'node:net';
import { ConfigError } from '../../core/base/errors.ts';
import { formatListen, type ListenAddress } from '../../core/config/index.ts';

/**
 * Throws ConfigError `listen` if an address is in use or does not belong to this machine.
 * `variable`: the environment variable that sets the address.
 */
export async function assertFree(listen: readonly ListenAddress[], variable: string): Promise<void> {
  for (const address of listen) {
    const why = await refusalOf(address);
    if (why === null) continue;
    const hint = `Choose another address with ${variable}, or disable it with ${variable}=off.`;
    throw new ConfigError('listen', `The edge cannot listen on ${formatListen(address)}: ${why}. ${hint}`);
  }
}

/**
 * Throws ConfigError `listen` if an address is in both lists, since a random one of the two servers
 * would accept each connection. Port 0 never conflicts: the system assigns a port.
 */
export function assertDistinct(http: readonly ListenAddress[], https: readonly ListenAddress[]): void {
  const taken = new Set(http.map(formatListen));
  const both = https.find((address) => address.port !== 0 && taken.has(formatListen(address)));
  if (both === undefined) return;
  const hint = 'Set different ports for HTTP and HTTPS with WAYPOST_EDGE_HTTP_LISTEN and WAYPOST_EDGE_HTTPS_LISTEN.';
  throw new ConfigError('listen', `The edge cannot listen on ${formatListen(both)} for both HTTP and HTTPS. ${hint}`);
}

function refusalOf({ address, port, family }: ListenAddress): Promise<string | null> {
  return new Promise((resolve) => {
    const server = createServer();
    server.once('error', (error: NodeJS.ErrnoException) => resolve(REASONS.get(error.code ?? '') ?? error.message));
    server.listen({ host: address, port, ipv6Only: family === 6, exclusive: true }, () => {
      server.close(() => resolve(null));
    });
  });
}

const REASONS: ReadonlyMap<string, string> = new Map([
  ['EADDRINUSE', 'address in use (EADDRINUSE): another server listens there'],
  ['EADDRNOTAVAIL', 'this machine does not have that address (EADDRNOTAVAIL)'],
  ['EACCES', 'not permitted (EACCES): ports below 1024 need CAP_NET_BIND_SERVICE'],
]);
