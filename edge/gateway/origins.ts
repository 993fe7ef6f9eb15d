/** The client of origins as it is configured. */
import { readFileSync } from 'node:fs';
import { networkInterfaces } from 'node:os';
import { parseAddress, parseExemptions } from '../../core/address/index.ts';
import type { Config } from '../../core/config/index.ts';
import type { DescriptorLoop } from '../../core/os/descriptor-loop.ts';
import { createOriginClient, type OriginClient } from '../origin/client.ts';
import { nativeSockets } from '../origin/native-socket.ts';

/** `own`: addresses of this service beside those of the machine's network cards. `loop`: of the thread; null: sockets are node's. Throws the system's error for a file of roots that cannot be read. */
export function openOrigins(edge: Config['edge'], own: readonly string[], loop: DescriptorLoop | null): OriginClient {
  const cards = Object.values(networkInterfaces()).flatMap((card) => card?.map(({ address }) => address) ?? []);
  return createOriginClient({
    open: loop === null ? undefined : nativeSockets(loop, edge.originTotalConnections),
    resolvers: edge.resolvers,
    exemptions: parseExemptions(edge.allowPrivateOrigins),
    own: [...own, ...cards].map((text) => parseAddress(text)).filter((address) => address !== undefined),
    ca: edge.originCaFile === undefined ? undefined : readFileSync(edge.originCaFile, 'utf8'),
    limits: {
      connectTimeout: edge.originConnectTimeout,
      tlsTimeout: edge.originTlsTimeout,
      headerTimeout: edge.originHeaderTimeout,
      idleTimeout: edge.originIdleTimeout,
      bodyRate: edge.originBodyRate,
      bodyWindow: edge.originBodyWindow,
      keepAlive: edge.originKeepAlive,
      connections: edge.originConnections,
      waiting: edge.originWaiting,
      totalConnections: edge.originTotalConnections,
      maxHeaderBytes: edge.originMaxHeaderBytes,
    },
  });
}
