/**
 * What a thread holds that the system does not take back when the thread dies: descriptors and objects of OpenSSL, by place, in memory that main sees. A place is cleared
 * before what it names is freed, so nothing is freed twice, wherever the thread ended.
 */

import { loadLibc } from '../../core/net/linux.ts';
import { loadOpenssl } from './openssl.ts';

/** Places of the thread itself, before those of connections: its epoll, the end of a pair, listening sockets. */
export const OWN_PLACES = 64;

export interface SharedPlaces {
  /** Descriptors, each + 1; 0: none. */
  readonly fds: SharedArrayBuffer;
  /** Addresses; 0: none. */
  readonly objects: SharedArrayBuffer;
}

/** `connections`: how many a thread may have at one time. */
export function sharePlaces(connections: number): SharedPlaces {
  const count = OWN_PLACES + connections;
  return {
    fds: new SharedArrayBuffer(count * Int32Array.BYTES_PER_ELEMENT),
    objects: new SharedArrayBuffer(count * Float64Array.BYTES_PER_ELEMENT),
  };
}

export class Places {
  readonly fds: Int32Array;
  readonly objects: Float64Array;

  constructor({ fds, objects }: SharedPlaces) {
    this.fds = new Int32Array(fds);
    this.objects = new Float64Array(objects);
  }
}

/** Takes back what a thread left that has ended. Returns how much that was. */
export function clearPlaces(shared: SharedPlaces): number {
  const { fds, objects } = new Places(shared);
  let count = 0;
  for (let place = 0; place < fds.length; place++) {
    const [fd, object] = [fds[place] - 1, objects[place]];
    fds[place] = 0;
    objects[place] = 0;
    if (object !== 0) loadOpenssl().SSL_free(object);
    if (fd >= 0) loadLibc().close(fd);
    if (object !== 0 || fd >= 0) count++;
  }
  return count;
}
