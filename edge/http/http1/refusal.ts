/** The response to a request that is not handled. */
import type { Http1Reason } from './counters.ts';

/** Why a request is refused, by status. */
export interface Refusal {
  readonly status: number;
  readonly reason: Http1Reason;
}

export const refusal = (status: number, reason: Http1Reason): Refusal => ({ status, reason });

/** RFC 9112 section 2.2: not a request, or one that recipients could interpret differently. */
export const MALFORMED_REQUEST = refusal(400, 'malformed');
