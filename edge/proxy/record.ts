/** What became of an exchange, for the access log and the metrics. */
import type { CacheOutcome } from '../cache/outcome.ts';
import type { Exchange } from '../http/exchange/exchange.ts';
import type { OriginFault } from '../origin/origin.ts';
import type { Site } from '../sites/site.ts';

export interface ExchangeRecord {
  readonly exchange: Exchange;
  readonly site: Site;
  /** Empty for what the cache answered by itself: it is made for an origin. */
  readonly requestId: string;
  /** Of the response; 499 when the visitor went before it had one. */
  readonly status: number;
  /** Bytes of the response's body that were given to the connection. */
  readonly bytes: number;
  readonly cache: CacheOutcome;
  /** Milliseconds from sending the request to the origin until its head had come; -1: it was not asked, or gave none. */
  readonly originMs: number;
  /** What went wrong with the origin; null: nothing. */
  readonly fault: OriginFault | null;
  /** More of it, for the operator: it may name the origin's address. Empty without a fault. */
  readonly detail: string;
  /** Whether the response went out whole. */
  readonly isWhole: boolean;
}

export type OnDone = (record: ExchangeRecord) => void;
