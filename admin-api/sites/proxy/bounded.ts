/** Limits concurrent name resolutions, so that slow zones cannot accumulate sockets and timers. */
import { FairSlots } from '../../../core/base/fair-slots.ts';
import type { Id } from '../../../core/store/keys.ts';
import { HttpError } from '../../http/errors.ts';

/**
 * Resolves A and AAAA of a name to addresses as text, in any order; empty if the name exists
 * without addresses. Rejects with an error that has a `code` of node:dns. `signal` cancels the
 * resolution.
 */
export type Resolve = (name: string, signal: AbortSignal) => Promise<readonly string[]>;

/** Like `Resolve`, for an account: accounts share the slots fairly. */
export type ResolveFor = (name: string, signal: AbortSignal, accountId: Id) => Promise<readonly string[]>;

export interface Bounds {
  /** Maximum concurrent resolutions. */
  readonly slots: number;
  /** Maximum queued resolutions. */
  readonly queue: number;
}

export const DEFAULT_BOUNDS: Bounds = { slots: 64, queue: 256 };

const busy = (): HttpError =>
  new HttpError(503, 'busy', 'Too many origins are being resolved at the moment; send the request again.');

/**
 * Wraps `resolve`: at most `slots` run concurrently, and others wait for their turn. A resolution
 * rejects with HttpError 503 `busy` if the queue is full, or if its signal aborts in the queue. A
 * slot becomes free when its resolution has ended or was cancelled.
 */
export function limitConcurrency(resolve: Resolve, bounds: Bounds = DEFAULT_BOUNDS): ResolveFor {
  const slots = new FairSlots(bounds);

  return async (name, signal, accountId) => {
    const slot = await slots.acquire({ account: String(accountId), network: '' }, signal);
    if (slot === 'full' || slot === 'aborted') throw busy();
    const end = (): void => slot.release();
    signal.addEventListener('abort', end, { once: true });
    try {
      return await resolve(name, signal);
    } finally {
      signal.removeEventListener('abort', end);
      end();
    }
  };
}
