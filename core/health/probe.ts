/** One check of an origin, by a client that the edge brings: it connects as the edge does. */
import type { CompleteHealthCheck, OriginsEntry, PoolOrigin } from '../pools/document.ts';
import type { Id } from '../store/keys.ts';

export interface ProbeRequest {
  readonly domainId: Id;
  /** Without the last dot. */
  readonly domain: string;
  readonly entry: OriginsEntry;
  readonly origin: PoolOrigin;
  readonly check: CompleteHealthCheck;
}

/**
 * Null: the origin is well; otherwise why not, as a sentence that names no address. Never rejects.
 */
export type Probe = (request: ProbeRequest) => Promise<string | null>;
