/** The record of an exchange, for the access log and the metrics. */
import type { CacheOutcome } from '../cache/outcome.ts';
import type { Exchange } from '../http/exchange/exchange.ts';
import type { OriginFault } from '../origin/origin.ts';
import type { Site } from '../sites/site.ts';

export interface ExchangeRecord {
  readonly exchange: Exchange;
  readonly site: Site;
  /** Empty for a cache hit, because the id is created for a request to the origin. */
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
