/** One check of an origin, by a client that the edge brings: it connects as the edge does. */

import type { Id } from '../../store/keys.ts';
import type { CompleteHealthCheck, OriginsEntry, PoolOrigin } from '../pools/document.ts';

export interface ProbeRequest {
  readonly domainId: Id;
  /** Gets its share of connections to an origin that several accounts have. */
  readonly account: string;
  /** Without the last dot. */
  readonly domain: string;
  readonly entry: OriginsEntry;
  readonly origin: PoolOrigin;
  readonly check: CompleteHealthCheck;
}

/**
 * `reason`: a sentence that names no address. `busy`: the edge had no room for the check, which
 * says nothing about the origin.
 */
export type ProbeResult = { readonly kind: 'success' | 'busy' } | { readonly kind: 'failure'; readonly reason: string };

/** Never rejects. */
export type Probe = (request: ProbeRequest) => Promise<ProbeResult>;
