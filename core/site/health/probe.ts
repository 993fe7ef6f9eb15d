/**
 * One check of an origin, with the HTTP client of the edge: connections are made as for requests.
 */

import type { Id } from '../../store/keys.ts';
import type { CompleteHealthCheck, OriginsEntry, PoolOrigin } from '../pools/document.ts';

export interface ProbeRequest {
  readonly domainId: Id;
  /** The account whose share of the connections to the origin the check uses. */
  readonly account: string;
  /** Without the last dot. */
  readonly domain: string;
  readonly entry: OriginsEntry;
  readonly origin: PoolOrigin;
  readonly check: CompleteHealthCheck;
  /** Whether LF alone may end a line of the response head. */
  readonly isLenient: boolean;
}

/**
 * `reason`: a sentence without addresses. `busy`: the edge had no free connection; the state of the
 * origin is unknown.
 */
export type ProbeResult = { readonly kind: 'success' | 'busy' } | { readonly kind: 'failure'; readonly reason: string };

/** Never rejects. */
export type Probe = (request: ProbeRequest) => Promise<ProbeResult>;
