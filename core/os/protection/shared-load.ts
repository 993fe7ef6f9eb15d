/** The level of load in shared memory, where the threads of the edge read it for each request. */
import { LOAD } from './levels.ts';

export const shareLoad = (): SharedArrayBuffer => new SharedArrayBuffer(Int32Array.BYTES_PER_ELEMENT);

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
