/**
 * Requests a response from the node that owns its cache key, instead of the origin. The owner
 * answers from its cache, or fetches from the origin and stores the response. After any failure,
 * the requesting node fetches from the origin itself.
 */

import { NO_BODY } from '../http/exchange/body-queue.ts';
import type { FieldList } from '../http/exchange/field-list.ts';
import { type Fetch, OriginCancel, OriginError, type OriginResponse } from '../origin/origin.ts';
import type { Origin } from '../origin/origin-address.ts';
import { PEER_SERVER_NAME, type PeerIdentity } from './identity.ts';
import { type HashedNode, hashOf, ownerOf } from './owner.ts';
import { PEER_FIELD, type PeerCall, signCall } from './peer-call.ts';
import type { Invalidations, PurgePositions } from './shared-marks.ts';

/** A node of the cluster, with the address of its edge. */
export interface EdgeAddress {
  readonly name: string;
  readonly host: string;
  readonly port: number;
}

/** The result of a request to an owner, for the metrics. */
export type PeerResult =
  | 'hit' // from the owner's cache
  | 'miss' // the owner fetched it from the origin
  | 'failed'; // no response, or an unusable one

/** A node that may own a key. */
export interface Peer extends HashedNode {
  /** Null: this node. */
  readonly origin: Origin | null;
  failures: number;
  /** Milliseconds since 1970. Until then, this node receives no requests. */
  pausedUntil: number;
}

export interface PeerRequest {
  readonly path: string;
  readonly authority: string;
  readonly headers: FieldList;
  readonly call: Omit<PeerCall, 'purgedAt' | 'newerThan'>;
  readonly client: string;
  readonly site: string;
  readonly cancel: OriginCancel;
  /** 1xx responses of the origin. */
  onInform(status: number, fields: FieldList): void;
}

interface PeerResponse {
  readonly response: OriginResponse;
  readonly result: 'hit' | 'miss';
}

interface CachePeersOptions {
  /** The name of this node. */
  readonly self: string;
  readonly fetch: Fetch;
  readonly identity: Pick<PeerIdentity, 'pins' | 'signingKeys'>;
  readonly positions: Pick<PurgePositions, 'announced'>;
  readonly invalidations: Invalidations;
  /** Milliseconds until the owner must have sent a response, at least a 1xx such as WORKING. */
  readonly timeout: number;
  readonly onResult: (result: PeerResult) => void;
  /** Milliseconds since 1970. */
  readonly clock?: () => number;
}

/** After this number of consecutive failures, a node receives no requests for PAUSE_MS. */
const MAX_FAILURES = 3;
const PAUSE_MS = 5000;

/** The owner is working on the request (RFC 2518 section 10.1). */
export const WORKING = 102;

export class CachePeers {
  readonly #clock: () => number;
  #nodes: readonly Peer[] = [];

  constructor(private readonly options: CachePeersOptions) {
    this.#clock = options.clock ?? Date.now;
  }

  /** Replaces the peers. `others`: all other nodes that serve. */
  set(others: readonly EdgeAddress[]): void {
    const { self, identity } = this.options;
    const previous = new Map(this.#nodes.map((node) => [node.name, node]));
    const peers = others.map((address) => peerOf(address, identity.pins, previous.get(address.name)));
    this.#nodes = [...peers, { name: self, hash: hashOf(self), origin: null, failures: 0, pausedUntil: 0 }];
  }

  /** Records that a visitor's request has invalidated the key. */
  invalidate(key: string): void {
    if (this.#nodes.length > 1) this.options.invalidations.record(key, this.#clock());
  }

  /** Number of nodes that share their caches, including this one. */
  get count(): number {
    return this.#nodes.length;
  }

  /** Whether this node owns the key. A paused peer still owns its keys. */
  owns(key: string): boolean {
    return ownerOf(key, this.#nodes)?.origin == null;
  }

  /** The peer that owns a key. Undefined: this node owns it, or the owner is paused. */
  ownerOf(key: string): Peer | undefined {
    if (this.#nodes.length < 2) return undefined;
    const owner = ownerOf(key, this.#nodes);
    return owner === undefined || owner.origin === null || this.#clock() < owner.pausedUntil ? undefined : owner;
  }

  /** Undefined: fetch from the origin instead, unless the request was cancelled. */
  async ask(owner: Peer, request: PeerRequest): Promise<PeerResponse | undefined> {
    const found = await this.#ask(owner, request);
    if (found !== undefined || !request.cancel.isCancelled) this.options.onResult(found?.result ?? 'failed');
    return found;
  }

  async #ask(owner: Peer, request: PeerRequest): Promise<PeerResponse | undefined> {
    const { fetch, identity, positions, invalidations, timeout } = this.options;
    const { path, authority, headers, client, site, cancel } = request;
    const newerThan = invalidations.lastOf(request.call.key);
    const call: PeerCall = { ...request.call, purgedAt: positions.announced, newerThan };
    const signature = signCall(call, { node: owner.name, authority, path }, identity.signingKeys[0], this.#clock());
    const attempt = new OriginCancel();
    cancel.target = { onCancel: () => attempt.cancel() };
    const timer = setTimeout(() => attempt.cancel(), timeout);
    try {
      const response = await fetch({
        origin: owner.origin as Origin,
        serverName: PEER_SERVER_NAME,
        method: 'GET',
        path,
        authority,
        headers: [...headers, PEER_FIELD, signature],
        body: NO_BODY,
        client,
        site,
        protocol: '',
        cancel: attempt,
        informs: {
          onInform: (status, fields) => {
            clearTimeout(timer);
            if (status !== WORKING) request.onInform(status, fields);
          },
        },
      });
      return this.#read(owner, response);
    } catch (error) {
      if (!(error instanceof OriginError)) throw error;
      // `busy`: the connection pool is full, which is no failure of the owner.
      if (!cancel.isCancelled && error.fault !== 'busy') this.#fail(owner);
      return undefined;
    } finally {
      clearTimeout(timer);
      cancel.target = null;
    }
  }

  #read(owner: Peer, response: OriginResponse): PeerResponse | undefined {
    owner.failures = 0;
    const { headers } = response;
    const kept: string[] = [];
    let result = '';
    for (let i = 0; i < headers.length; i += 2)
      if (headers[i] === PEER_FIELD) result = headers[i + 1];
      else kept.push(headers[i], headers[i + 1]);
    // The owner could not answer. It has not executed a purge, or the origin did not respond.
    if (result !== 'hit' && result !== 'miss') {
      response.body.cancel();
      return undefined;
    }
    return { response: { ...response, headers: kept }, result };
  }

  #fail(owner: Peer): void {
    owner.failures++;
    if (owner.failures >= MAX_FAILURES) owner.pausedUntil = this.#clock() + PAUSE_MS;
  }
}

function peerOf({ name, host, port }: EdgeAddress, pins: readonly string[], previous: Peer | undefined): Peer {
  if (previous?.origin?.host === host && previous.origin.port === port) return previous;
  return {
    name,
    hash: hashOf(name),
    origin: { host, port, protocol: 'https', serverName: PEER_SERVER_NAME, trust: { pins } },
    failures: 0,
    pausedUntil: 0,
  };
}
