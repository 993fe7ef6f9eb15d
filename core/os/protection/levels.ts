/**
 * Levels of reduced service, in order of sacrifice: first the cache, then connections, never DNS.
 * The edge threads read the level of load in shared memory.
 */

/** By use of memory and descriptors. */
export const LOAD = { normal: 0, shrinkCache: 1, refuseConnections: 2, refuseRequests: 3 } as const;
export const LOAD_NAMES = ['normal', 'shrink_cache', 'refuse_connections', 'refuse_requests'] as const;

/** By the free space of the data folder. */
export const DISK = { normal: 0, shrinkCache: 1, readOnly: 2, full: 3 } as const;
export const DISK_NAMES = ['normal', 'shrink_cache', 'read_only', 'full'] as const;

/** Shares of a budget at which a level of LOAD is entered and left. */
export const LOAD_ENTER = [0.8, 0.9, 0.95] as const;
export const LOAD_LEAVE = [0.75, 0.85, 0.9] as const;

/** Free space as a multiple of the reserve at which a level of DISK is entered and left. */
export const DISK_ENTER = [2, 1, 0.25] as const;
export const DISK_LEAVE = [2.4, 1.2, 0.3] as const;

/** Milliseconds for which a lower level must hold before it applies. */
export const HOLD = 5000;

export const shareLoad = (): SharedArrayBuffer => new SharedArrayBuffer(Int32Array.BYTES_PER_ELEMENT);

/** The level of load in shared memory, where the threads of the edge read it for each request. */
export class SharedLoad {
  readonly #level: Int32Array;

  constructor(memory: SharedArrayBuffer) {
    this.#level = new Int32Array(memory);
  }

  set(level: number): void {
    Atomics.store(this.#level, 0, level);
  }

  /** New connections of visitors are closed. */
  get refusesConnections(): boolean {
    return this.#level[0] >= LOAD.refuseConnections;
  }

  /** New requests of visitors get 503. */
  get refusesRequests(): boolean {
    return this.#level[0] >= LOAD.refuseRequests;
  }
}
