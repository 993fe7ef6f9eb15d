/** Servers of the simulator, which only this machine can reach. */
import type { Server } from 'node:http';
import type { AddressInfo } from 'node:net';

export const LOOPBACK = '127.0.0.1';
/** Ports after the chosen one that are tried. */
const TRIES = 20;
const LAST_PORT = 65_535;

/** Listens at the port, or at the next free one. Port 0: any. Resolves with the port. */
export async function listenNear(server: Server, port: number, isExact: boolean): Promise<number> {
  const last = port === 0 || isExact ? port : Math.min(port + TRIES, LAST_PORT);
  for (let candidate = port; ; candidate++)
    try {
      return await listen(server, candidate);
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code !== 'EADDRINUSE' || candidate >= last) throw error;
    }
}

function listen(server: Server, port: number): Promise<number> {
  return new Promise((resolve, reject) => {
    server.once('error', reject);
    server.listen(port, LOOPBACK, () => {
      server.off('error', reject);
      resolve((server.address() as AddressInfo).port);
    });
  });
}

/** Ends open connections as well: streams of events never end on their own. */
export function closeServer(server: Server): Promise<void> {
  return new Promise((resolve) => {
    server.close(() => resolve());
    server.closeAllConnections();
  });
}
