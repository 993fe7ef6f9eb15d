/** The record of an exchange, for logs, the live tail, statistics, metrics and traces. */
import type { CacheOutcome } from '../cache/visit.ts';
import type { Exchange } from '../http/exchange/exchange.ts';
import type { OriginFault } from '../origin/origin.ts';
import type { Site } from '../sites/site.ts';

/** `S`: null for requests without a site. */
export interface ExchangeRecord<S extends Site | null = Site> {
  readonly exchange: Exchange;
  readonly site: S;
  /**
   * Empty for a cache hit without {request.id} in rules, because the id is created for a request to
   * the origin.
   */
  readonly requestId: string;
  /** Status of the response. 499 if the visitor disconnected before it started. */
  readonly status: number;
  /** Bytes of the response body that were sent to the connection. */
  readonly bytes: number;
  readonly cache: CacheOutcome;
  /**
   * Milliseconds from sending the request to the origin until its response head arrived. -1: no
   * request was sent, or no head arrived.
   */
  readonly originMs: number;
  /** The fault of the origin. Null: none. */
  readonly fault: OriginFault | null;
  /**
   * Details of the fault for the operator. They may contain the origin's address. Empty without a
   * fault.
   */
  readonly detail: string;
  /** Whether the response was sent completely. */
  readonly isWhole: boolean;
}

export type OnDone = (record: ExchangeRecord) => void;

/**
 * Builds a record. Called for every exchange, so it avoids object spread, which would cost ten
 * times as much as the rest of a cache hit. The defaults fit a response without an origin request.
 */
export const exchangeRecord = <S extends Site | null>(
  exchange: Exchange,
  site: S,
  requestId: string,
  status: number,
  bytes: number,
  cache: CacheOutcome = 'none',
  originMs = -1,
  fault: OriginFault | null = null,
  detail = '',
  isWhole = true,
): ExchangeRecord<S> => ({ exchange, site, requestId, status, bytes, cache, originMs, fault, detail, isWhole });
