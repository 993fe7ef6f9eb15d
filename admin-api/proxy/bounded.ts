/** A bound on how many names are resolved at a time, so that slow zones cannot pile up sockets and timers. */
import { Semaphore } from '../../core/base/semaphore.ts';
import { HttpError } from '../http/errors.ts';

/**
 * A and AAAA of a name: each address as text, in any order; empty when the name exists and has none. Rejects with an error whose `code` is one of
 * node:dns's. Gives up when `signal` says so.
 */
export type Resolve = (name: string, signal: AbortSignal) => Promise<readonly string[]>;

export interface Bounds {
  /** Resolutions at a time. */
  readonly slots: number;
  /** How many more may wait for a slot. */
  readonly queue: number;
}

export const DEFAULT_BOUNDS: Bounds = { slots: 64, queue: 256 };

const busy = (): HttpError =>
  new HttpError(503, 'busy', 'Too many origins are being resolved at the moment; send the request again.');

/**
 * `resolve` in `slots` at a time. Further ones wait in order; past `queue`, or when their signal comes before their turn, they are rejected with
 * HttpError 503 `busy`. A slot is free again when its resolution has ended or was given up.
 */
export function bounded(resolve: Resolve, { slots, queue }: Bounds = DEFAULT_BOUNDS): Resolve {
  const semaphore = new Semaphore(slots);

  return async (name, signal) => {
    if (!semaphore.tryAcquire() && (semaphore.waiting >= queue || !(await semaphore.acquire(signal)))) throw busy();
    let over = false;
    const end = (): void => {
      if (!over) semaphore.release();
      over = true;
    };
    signal.addEventListener('abort', end, { once: true });
    try {
      return await resolve(name, signal);
    } finally {
      signal.removeEventListener('abort', end);
      end();
    }
  };
}
