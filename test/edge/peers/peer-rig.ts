/**
 * Nodes of a cluster in one process: each has a cache and a proxy, all have one origin, and their
 * requests to each other pass without a connection.
 */
import { randomBytes } from 'node:crypto';
import type { CachePurge, CacheStore } from '../../../edge/cache/store/cache-store.ts';
import { openCache } from '../../../edge/cache/store/node-cache.ts';
import { openCacheStore } from '../../../edge/cache/store/store.ts';
import type { FieldList } from '../../../edge/http/exchange/field-list.ts';
import { OriginError, type OriginRequest, type OriginResponse } from '../../../edge/origin/origin.ts';
import { OriginPlace } from '../../../edge/origin/spellings.ts';
import { CachePeers, type PeerResult } from '../../../edge/peers/cache-peers.ts';
import { hashOf, ownerOf } from '../../../edge/peers/owner.ts';
import { PeerRequests } from '../../../edge/peers/peer-requests.ts';
import {
  Invalidations,
  PurgePositions,
  shareInvalidations,
  sharePurgePositions,
} from '../../../edge/peers/shared-marks.ts';
import { type PrefetchResult, prefetchExchange } from '../../../edge/proxy/prefetch.ts';
import { createSiteProxy } from '../../../edge/proxy/proxy.ts';
import type { ExchangeRecord } from '../../../edge/proxy/record.ts';
import type { Site } from '../../../edge/sites/site.ts';
import { BEGIN, SITE } from '../proxy/cache-rig.ts';
import { FakeExchange, type FakeRequest } from '../proxy/fake-exchange.ts';
import { FakeBody, FakeOrigin, type PendingRequest } from '../proxy/fake-origin.ts';

export interface RigNode {
  readonly positions: PurgePositions;
  readonly store: CacheStore;
  readonly results: PeerResult[];
  readonly records: ExchangeRecord[];
  /** Number of answered requests of other nodes. */
  served: number;
  /** Never sends a response. */
  isSilent: boolean;
  /** Refuses connections. */
  isDown: boolean;
  /** Number of connections from other nodes. */
  reached: number;
  begin(request?: FakeRequest): { readonly exchange: FakeExchange; readonly handled: Promise<void> };
  visit(request?: FakeRequest): Promise<FakeExchange>;
  purge(purge: CachePurge): Promise<void>;
  /** Fetches a response for no visitor if the node owns it. */
  prefetch(path: string): Promise<PrefetchResult>;
  /** Handles a request of another node. */
  receive(exchange: FakeExchange): Promise<void>;
}

export interface PeerRig {
  readonly origin: FakeOrigin;
  readonly nodes: Readonly<Record<string, RigNode>>;
  /** What nodes have sent each other, as the visitor of the owner. */
  readonly exchanges: FakeExchange[];
  now: number;
  /** A path whose key the node owns; each call returns another one. */
  pathOwnedBy(name: string): string;
  close(): Promise<void>;
}

export interface PeerRigOptions {
  readonly names?: readonly string[];
  readonly site?: Site;
  readonly onRequest?: (pending: PendingRequest) => void;
  readonly timeout?: number;
}

const MEGABYTE = 1024 * 1024;

/** The request of a node, as the owner receives it. */
class PeerExchange extends FakeExchange {
  readonly #onInform: (status: number, fields: FieldList) => void;

  constructor(request: FakeRequest, onInform: (status: number, fields: FieldList) => void) {
    super(request);
    this.#onInform = onInform;
  }

  override inform(status: number, fields: FieldList): void {
    super.inform(status, fields);
    this.#onInform(status, fields);
  }
}

export async function peerRig(options: PeerRigOptions = {}): Promise<PeerRig> {
  const { names = ['a', 'b'], site = SITE, timeout = 60_000 } = options;
  const signingKeys = [randomBytes(32)];
  const identity = { pins: ['pin'], signingKeys };
  const exchanges: FakeExchange[] = [];
  const nodes: Record<string, RigNode> = {};
  const clock = (): number => rig.now;
  const origin = new FakeOrigin(options.onRequest, clock);

  const send = async (request: OriginRequest): Promise<OriginResponse> => {
    const node = nodes[request.origin.host];
    node.reached++;
    const requestTime = clock();
    if (node.isDown) throw new OriginError('refused', 'no connection');
    const cancelled = new Promise<never>((_, reject) => {
      if (request.cancel !== undefined)
        request.cancel.target = { onCancel: () => reject(new OriginError('aborted', 'cancelled')) };
    });
    cancelled.catch(() => {});
    if (node.isSilent) return cancelled;
    const owner = new OriginPlace(request.origin);
    const { authority, path, headers } = request;
    const exchange = new PeerExchange({ authority, path, headers, address: '192.0.2.50' }, (code, received) =>
      request.informs?.onInform(code, received, owner),
    );
    exchanges.push(exchange);
    await Promise.race([node.receive(exchange), cancelled]);
    const body = new FakeBody();
    for (const part of exchange.parts) body.push(part);
    body.finish();
    const length = exchange.field('content-length');
    body.length = length === undefined ? undefined : Number(length);
    if (exchange.isAborted) throw new OriginError('reset', 'broken');
    const { status, fields } = exchange;
    return { ...{ status, headers: fields, body, tunnel: null, requestTime, responseTime: clock(), identity: owner } };
  };

  const stores: CacheStore[] = [];
  for (const name of names) {
    const cache = await openCache({
      ...{ folder: '', disk: 0, memory: 16 * MEGABYTE, memoryObject: MEGABYTE, largestObject: MEGABYTE, threads: 1 },
    });
    const store = openCacheStore(cache.handle);
    stores.push(store);
    const positions = new PurgePositions(sharePurgePositions());
    const results: PeerResult[] = [];
    const records: ExchangeRecord[] = [];
    const peers = new CachePeers({
      ...{ self: name, fetch: send, identity, positions, timeout, clock },
      invalidations: new Invalidations(shareInvalidations()),
      onResult: (result) => results.push(result),
    });
    peers.set(names.filter((other) => other !== name).map((other) => ({ name: other, host: other, port: 443 })));
    const proxy = createSiteProxy({
      fetch: origin.fetch,
      cache: { store, maxBodyBytes: MEGABYTE, clock },
      peers,
      onDone: (record) => records.push(record),
    });
    const requests = new PeerRequests({
      ...{ self: name, identity, positions, clock, serve: proxy.servePeer! },
      // Rules have changed the site for the visitor only.
      siteOf: (host) => (host === 'www.example.com' ? { ...SITE } : undefined),
      onServed: () => void node.served++,
    });
    const node: RigNode = {
      ...{ positions, store, results, records, served: 0, isSilent: false, isDown: false, reached: 0 },
      begin: (request) => {
        const exchange = new FakeExchange({ authority: 'www.example.com', ...request });
        return { exchange, handled: Promise.resolve(proxy.serve(exchange, site)) };
      },
      visit: async (request) => {
        const { exchange, handled } = node.begin(request);
        await handled;
        return exchange;
      },
      purge: (purge) => cache.purge(purge),
      prefetch: (path) => {
        const exchange = prefetchExchange({ key: `https://www.example.com${path}`, selecting: [] })!;
        return proxy.prefetch!({ exchange, site, mayFetch: (key) => peers.owns(key) });
      },
      receive: async (exchange) => requests.handle(exchange),
    };
    nodes[name] = node;
  }
  let last = 0;
  const hashed = names.map((name) => ({ name, hash: hashOf(name) }));
  const rig: PeerRig = {
    ...{ origin, nodes, exchanges, now: BEGIN },
    pathOwnedBy: (name) => {
      for (;;) {
        const path = `/${++last}`;
        if (ownerOf(`https://www.example.com${path}`, hashed)?.name === name) return path;
      }
    },
    close: async () => {
      for (const store of stores) await store.close();
    },
  };
  return rig;
}
