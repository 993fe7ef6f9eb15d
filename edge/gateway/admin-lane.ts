/**
 * Connections of a thread to the admin API for one kind of requests. A request needs a slot for as
 * long as it has a connection. Client networks take turns (core/base/fair-slots.ts), and a client
 * that is waited for must keep up with a minimum rate while others wait.
 */
import { type Dispatcher, Pool } from 'undici';
import { FairSlots } from '../../core/base/fair-slots.ts';

/** Bytes a second in either direction, as the API demands of a long body. */
const MINIMUM_RATE = 64 * 1024;
const WINDOW_MS = 5000;

export interface AdminLaneOptions {
  /** URL of the API. */
  readonly origin: string;
  readonly connections: number;
  /** Maximum of waiting requests. */
  readonly queue: number;
  /** False: responses last for hours, with few bytes. */
  readonly hasMinimumRate?: boolean;
}

export class AdminLane {
  readonly slots: FairSlots;
  readonly #pool: Pool;

  constructor({ origin, connections, queue, hasMinimumRate = true }: AdminLaneOptions) {
    // As many connections as slots: nothing waits in the pool, which has no turns.
    this.#pool = new Pool(origin, { connections, pipelining: 1 });
    this.slots = new FairSlots({
      slots: connections,
      queue,
      ...(hasMinimumRate && { minimumRate: { perSecond: MINIMUM_RATE, windowMs: WINDOW_MS } }),
    });
  }

  request(options: Dispatcher.RequestOptions): Promise<Dispatcher.ResponseData> {
    return this.#pool.request(options);
  }

  close(): Promise<void> {
    return this.#pool.destroy();
  }
}
