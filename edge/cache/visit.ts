/** One exchange as the cache sees it. edge/proxy implements it, and talks to origin and visitor. */
import type { Exchange } from '../http/exchange/exchange.ts';
import type { FieldList } from '../http/exchange/field-list.ts';
import type { OriginBody, OriginResponse } from '../origin/origin.ts';
import type { Site } from '../sites/site.ts';
import type { CacheOutcome } from './outcome.ts';

/**
 * Most work ends before the call returns. Only work that waits returns a promise: a needless
 * promise costs as much as a lookup.
 */
export type Done = void | Promise<void>;

/** What is done with what a request to the origin brings. */
export interface ResponseHandler {
  onResponse(response: OriginResponse): Done;
  /** With the error of `Fetch`. */
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
   * The fields of a request to the origin whose response may be shared: without fields in which
   * visitors differ. Undefined: the request is rejected, and the visitor has the error.
   */
  sharedRequestFields(): FieldList | undefined;

  /**
   * Sends the request to the origin without the visitor's body. Settles as the method of `handler`
   * that it calls.
   */
  fetchShared(headers: FieldList, handler: ResponseHandler): Promise<void>;

  /**
   * Sends the request to the node that owns the key, in place of the origin. Calls `onResponse`, or
   * `onFailure` if the origin is to be asked after all. Undefined: this node owns the key, or
   * nothing is shared with other nodes.
   */
  askOwner?(
    key: string,
    headers: FieldList,
    onResponse: (response: OriginResponse, result: 'hit' | 'miss') => Done,
    onFailure: () => Done,
  ): Promise<void> | undefined;

  /** The visitor's request has invalidated what is stored for a key. */
  onInvalidated?(key: string): void;

  /** The response depends on another request that is in flight. */
  onWait?(): void;

  /**
   * Passes the whole exchange to the origin. `onHead` runs before the visitor gets the response.
   */
  bypassCache(cacheStatus: string, outcome: CacheOutcome, onHead?: (status: number, fields: FieldList) => void): Done;

  /** The origin's fields as the visitor receives them, with Cache-Status. */
  visitorFields(headers: FieldList, cacheStatus: string): FieldList;

  /**
   * The origin's fields as the cache may store them: they do not depend on the origin's address.
   */
  storedFields(headers: FieldList): FieldList;

  /**
   * Sends a response, compressed if that pays. Ends when all bytes are sent. Never rejects for a
   * fault of the origin. When the visitor leaves, the body is cancelled.
   */
  respond(status: number, fields: FieldList, body: OriginBody): Done;

  /** Sends a body that is in memory, unchanged. */
  respondWhole(status: number, fields: FieldList, body: Uint8Array): void;

  /** Answers with an error page for an OriginError. Throws any other error. */
  respondFailure(error: unknown): void;

  /** The visitor left before a response could be sent. */
  abandon(): void;

  /** 504 for a request with only-if-cached. */
  refuseNotCached(cacheStatus: string): void;
}

/** `isBackground`: the visitor already has a response. */
export type OpenVisit = (exchange: Exchange, site: Site, isBackground?: boolean) => Visit;
