/** Creates the clients of origins and of other nodes from the configuration. */
import { networkInterfaces } from 'node:os';
import { LogThrottle } from '../../core/base/log/throttle.ts';
import type { Secrets } from '../../core/base/secrets.ts';
import type { Config } from '../../core/config/index.ts';
import { parseAddress, parseExemptions } from '../../core/net/address/index.ts';
import type { DescriptorLoop } from '../../core/os/descriptor-loop.ts';
import { ORIGINS } from '../../core/site/pools/document.ts';
import { createOriginClient, type OriginClient } from '../origin/client.ts';
import { createMultiplexer } from '../origin/http2/multiplexer.ts';
import { nativeSockets } from '../origin/native-socket.ts';
import { readRootsFile } from '../origin/tls.ts';
import type { PoolTools } from '../sites/site-pools.ts';
import type { GatewayCounters } from './counters.ts';
import type { FromGateway } from './messages.ts';

/** Bytes of a key of HMAC-SHA-256. */
const STICKY_KEY_BYTES = 32;

/**
 * `ownAddresses`: addresses of this service, in addition to those of the network interfaces.
 * `loop`: the loop of the thread; null: sockets are Node's. Throws ConfigError if the file of root
 * certificates cannot be read.
 */
export function openOrigins(
  edge: Config['edge'],
  ownAddresses: readonly string[],
  loop: DescriptorLoop | null,
): OriginClient {
  const cards = Object.values(networkInterfaces()).flatMap((card) => card?.map(({ address }) => address) ?? []);
  return createOriginClient({
    open: loop === null ? undefined : nativeSockets(loop, edge.originTotalConnections),
    multiplex: createMultiplexer,
    resolvers: edge.resolvers,
    exemptions: parseExemptions(edge.allowPrivateOrigins),
    own: [...ownAddresses, ...cards].map((text) => parseAddress(text)).filter((address) => address !== undefined),
    ca: edge.originCaFile === undefined ? undefined : readRootsFile('edge.origin_ca_file', edge.originCaFile),
    limits: {
      connectTimeout: edge.originConnectTimeout,
      tlsTimeout: edge.originTlsTimeout,
      headerTimeout: edge.originHeaderTimeout,
      idleTimeout: edge.originIdleTimeout,
      streamIdleTimeout: edge.tunnelIdleTimeout,
      bodyRate: edge.originBodyRate,
      bodyWindow: edge.bodyWindow,
      bodyPressedWindow: edge.originBodyWindow,
      bodyPause: edge.bodyPause,
      keepAlive: edge.originKeepAlive,
      connections: edge.originConnections,
      waiting: edge.originWaiting,
      totalConnections: edge.originTotalConnections,
      maxHeaderBytes: edge.originMaxHeaderBytes,
    },
  });
}

/** Maximum number of connections of a thread to one peer. */
const PEER_CONNECTIONS = 128;

/** The client for peers. Their addresses may be private; their pinned keys authenticate them. */
export function openPeerConnections(edge: Config['edge']): OriginClient {
  // All threads together use half of the connections that a peer accepts from one address.
  const share = Math.max(1, Math.floor(edge.maxConnectionsPerAddress / 2 / edge.workers));
  const connections = Math.min(PEER_CONNECTIONS, share);
  return createOriginClient({
    resolvers: edge.resolvers,
    exemptions: parseExemptions(true),
    limits: {
      connectTimeout: edge.cachePeerTimeout,
      tlsTimeout: edge.cachePeerTimeout,
      headerTimeout: edge.originHeaderTimeout,
      idleTimeout: edge.originIdleTimeout,
      connections,
      waiting: connections,
      maxHeaderBytes: edge.originMaxHeaderBytes,
    },
  });
}

/** The tools of a thread's origin pools: keys and reports. */
export function poolTools(
  secrets: Secrets,
  counters: Pick<GatewayCounters, 'countRetry'>,
  send: (message: FromGateway) => void,
  warn: (message: string, fields: { readonly [key: string]: string | number }) => void,
): PoolTools {
  const throttle = new LogThrottle();
  return {
    stickyKeys: secrets.derive('sticky origins', STICKY_KEY_BYTES),
    openKey: (domainId, sealed) => ORIGINS.unseal(secrets, domainId, sealed).toString(),
    onEjected: (domainId, key, milliseconds) => send({ kind: 'origin-ejected', domainId, key, milliseconds }),
    onFault: (domainId, key, fault) => send({ kind: 'origin-fault', domainId, key, fault }),
    onRetry: () => counters.countRetry(),
    onUnusable(domain, reason) {
      const count = throttle.due('unusable');
      if (count > 0) warn('cannot use the client certificate of an origin', { domain, reason, count });
    },
  };
}
