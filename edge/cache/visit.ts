/** The cache's interface to an exchange. edge/proxy implements it. */
import type { Exchange } from '../http/exchange/exchange.ts';
import type { FieldList } from '../http/exchange/field-list.ts';
import type { OriginBody, OriginResponse } from '../origin/origin.ts';
import type { Site } from '../sites/site.ts';

/**
 * The result of a call that is usually synchronous. Only calls that must wait return a promise: a
 * needless promise costs as much as a lookup.
 */
export type Done = void | Promise<void>;

/** Handles the result of a request to the origin. */
export interface ResponseHandler {
  onResponse(response: OriginResponse): Done;
  /** `error`: the rejection of `Fetch`. */
  onFailure(error: unknown): Done;
}

export interface Visit {
  readonly exchange: Exchange;
  readonly site: Site;
  /** A background update of a stored response. No visitor waits, and nothing is sent. */
  readonly isBackground: boolean;
  /** For the access log. */
  outcome: CacheOutcome;
  /** The fetch continues after the visitor has left: followers or the cache need the response. */
  outlivesVisitor: boolean;

  /**
   * The fields of a request to the origin whose response may be shared: without fields that are
   * specific to a visitor. Undefined: the request was rejected with an error response.
   */
  sharedRequestFields(): FieldList | undefined;

  /**
   * Sends the request to the origin without the visitor's body. Settles with the result of the
   * `handler` method that it calls.
   */
  fetchShared(headers: FieldList, handler: ResponseHandler): Promise<void>;

  /**
   * Sends the request to the node that owns the key, instead of the origin. Calls `onResponse`, or
   * `onFailure` if the caller must fetch from the origin. Undefined: this node owns the key, or the
   * cache is not shared with other nodes.
   */
  askOwner?(
    key: string,
    headers: FieldList,
    onResponse: (response: OriginResponse, result: 'hit' | 'miss') => Done,
    onFailure: () => Done,
  ): Promise<void> | undefined;

  /** Called when the visitor's request has invalidated the stored responses of a key. */
  onInvalidated?(key: string): void;

  /** Called when the visitor waits for another request in flight. */
  onWait?(): void;

  /**
   * Forwards the whole exchange to the origin. `onHead` runs before the response is forwarded.
   */
  bypassCache(cacheStatus: string, outcome: CacheOutcome, onHead?: (status: number, fields: FieldList) => void): Done;

  /** The origin's fields as the visitor receives them, with Cache-Status. */
  visitorFields(headers: FieldList, cacheStatus: string): FieldList;

  /**
   * The origin's fields as the cache may store them: they do not depend on the origin's address.
   */
  storedFields(headers: FieldList): FieldList;

  /**
   * Sends a response, compressed where useful. Completes when all bytes are sent. Never rejects
   * because of an origin fault. When the visitor disconnects, the body is cancelled.
   */
  respond(status: number, fields: FieldList, body: OriginBody): Done;

  /** Sends a body that is in memory, unchanged. */
  respondWhole(status: number, fields: FieldList, body: Uint8Array): void;

  /** Answers with an error page for an OriginError. Throws any other error. */
  respondFailure(error: unknown): void;

  /** Ends the visit when the visitor disconnected before the response. */
  abandon(): void;

  /** 504 for a request with only-if-cached. */
  refuseNotCached(cacheStatus: string): void;
}

/** `isBackground`: the visitor already has a response. */
export type OpenVisit = (exchange: Exchange, site: Site, isBackground?: boolean) => Visit;

/** How the cache handled a request, for the access log and the metrics. */
export type CacheOutcome =
  | 'none' // the cache was not involved: another method, a WebSocket, an edge error, no cache
  | 'bypass' // the request bypassed the cache
  | 'miss' // the cache had no usable response; whether the new one is stored does not matter
  | 'hit'
  | 'revalidated' // the origin confirmed the stored response
  // served stale: RFC 5861, or the visitor allows it (max-stale)
  | 'stale';
