/** Creates the handler of sites from the configuration: origins, cache, compression. */
import type { Config } from '../../core/config/index.ts';
import type { DescriptorLoop } from '../../core/os/descriptor-loop.ts';
import type { CacheHandle, CacheStats, OnPurged } from '../cache/store/cache-store.ts';
import { NodeFlights } from '../cache/store/node-flights.ts';
import { openCacheStore } from '../cache/store/store.ts';
import { BodyCompressor } from '../compress/body.ts';
import { WholeCompressor } from '../compress/whole.ts';
import type { Exchange } from '../http/exchange/exchange.ts';
import type { RequestTraces } from '../origin/traces/request-traces.ts';
import { CachePeers, type EdgeAddress, type PeerResult } from '../peers/cache-peers.ts';
import type { ServePeer } from '../peers/peer-requests.ts';
import { Invalidations, PurgePositions } from '../peers/shared-marks.ts';
import type { RuleTools } from '../policy/rules/run-rules.ts';
import type { Prefetch } from '../proxy/prefetch.ts';
import { createSiteProxy } from '../proxy/proxy.ts';
import type { OnDone } from '../proxy/record.ts';
import type { ServeSite, Site } from '../sites/site.ts';
import type { PeerData } from './messages.ts';
import { openOrigins, openPeerConnections } from './origins.ts';

interface Responses {
  readonly serve: ServeSite;
  /** Serves requests from peers. */
  readonly servePeer: ServePeer | null;
  readonly prefetch: Prefetch | null;
  /** Whether this node owns a key of the cache. */
  owns(key: string): boolean;
  /** Number of nodes that share their caches. */
  readonly nodes: number;
  setPeers(others: readonly EdgeAddress[]): void;
  stats(): CacheStats;
  close(): Promise<void>;
}

/** Parts of the thread that the handler uses. */
interface ResponsesContext {
  /** Addresses of this service, which no origin may have. */
  readonly ownAddresses: readonly string[];
  /** Whether an address belongs to a trusted proxy in front of the edge. */
  readonly trusts: (address: string) => boolean;
  /** The loop of the thread. Null: sockets to origins are Node's. */
  readonly loop: DescriptorLoop | null;
  readonly nodeName: string;
  /** Null: the cache is not shared with other nodes. */
  readonly peers: PeerData | null;
  readonly onPeerResult: (result: PeerResult) => void;
  readonly onPurged: OnPurged;
  /** Null: traces are off. */
  readonly traces: RequestTraces | null;
  readonly rules: RuleTools;
  /** For rules that challenge visitors (edge/policy/challenge/challenge.ts). */
  readonly challenge: (exchange: Exchange, site: Site) => boolean;
}

/** Throws the system's error if a file cannot be read. */
export function openResponses(
  edge: Config['edge'],
  cache: CacheHandle,
  { ownAddresses, trusts, loop, rules, challenge, traces, nodeName, peers, onPeerResult, onPurged }: ResponsesContext,
  onDone: OnDone,
): Responses {
  const origins = openOrigins(edge, ownAddresses, loop);
  const store = openCacheStore(cache, onPurged);
  const { flights: memory, seeds } = cache;
  const nodeFlights = memory === null ? undefined : new NodeFlights({ memory, seeds, lease: edge.cacheWait });
  const minBytes = edge.compressMinBytes;
  const whole = edge.compress ? new WholeCompressor(edge.compressCachedMaxBytes) : undefined;
  const nodes = peers === null ? null : openPeerConnections(edge);
  const owners =
    peers === null || nodes === null
      ? undefined
      : new CachePeers({
          self: nodeName,
          fetch: nodes.fetch,
          identity: peers.identity,
          timeout: edge.cachePeerTimeout,
          positions: new PurgePositions(peers.positions),
          invalidations: new Invalidations(peers.invalidations),
          onResult: onPeerResult,
        });
  if (peers !== null) owners?.set(peers.others);
  const { serve, servePeer, prefetch } = createSiteProxy({
    fetch: origins.fetch,
    send: origins.send,
    name: edge.name,
    trusts,
    compression: edge.compress ? { bodies: new BodyCompressor(edge.compressConcurrency), minBytes } : undefined,
    cache: {
      store,
      maxBodyBytes: cache.largestObject,
      minCompressBytes: edge.compress ? minBytes : undefined,
      whole,
      mayForceRevalidation: edge.cacheMayInsist,
      collapseTimeout: edge.cacheWait,
      nodeFlights,
    },
    peers: owners,
    rules,
    challenge,
    onDone,
    traces,
  });
  return {
    serve,
    servePeer,
    prefetch,
    owns: (key) => owners?.owns(key) ?? true,
    get nodes() {
      return owners?.count ?? 1;
    },
    setPeers: (others) => owners?.set(others),
    stats: () => store.stats(),
    async close() {
      await origins.close();
      await nodes?.close();
      await whole?.close();
      await store.close();
    },
  };
}
