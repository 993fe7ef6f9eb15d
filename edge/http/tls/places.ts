/**
 * Resources of a thread that outlive it, in memory shared with the main thread: its descriptors,
 * and the list of its OpenSSL objects. The main thread closes and frees them if the thread dies.
 */
import { OWN_PLACES } from '../../../core/os/descriptor-loop.ts';
import { loadLibc } from '../../../core/os/libc.ts';
import { freeObjects, type SharedObjects, shareObjects } from './native/ownership.ts';
import { type QuickTools, quickTools } from './native/quick-credential.ts';
import { MAX_AUTHORITIES, MAX_CHAINS } from './profile.ts';

/** Objects of a thread besides those of connections and caches. */
const OTHER_OBJECTS = 64;

export interface SharedPlaces {
  /** Descriptors plus 1, by slot; 0: none. */
  readonly fds: SharedArrayBuffer;
  readonly objects: SharedObjects;
  /** Certificates that the thread may cache. */
  readonly certificates: number;
  /** Shared by the threads of the process; null: this OpenSSL does not support them. */
  readonly quick: QuickTools | null;
}

/**
 * `connections`: maximum of a thread, with and without TLS. `certificates`: maximum that a thread
 * caches.
 */
export function sharePlaces(connections: number, certificates: number): SharedPlaces {
  const count = OWN_PLACES + connections;
  return {
    fds: new SharedArrayBuffer(count * Int32Array.BYTES_PER_ELEMENT),
    // A certificate and a list of authorities are two objects each.
    objects: shareObjects(count + 2 * certificates + MAX_CHAINS + 2 * MAX_AUTHORITIES + OTHER_OBJECTS),
    certificates,
    quick: quickTools(),
  };
}

/** Frees the resources of a thread that has ended. Returns their number. */
export function clearPlaces(shared: SharedPlaces): number {
  let count = freeObjects(shared.objects);
  const fds = new Int32Array(shared.fds);
  for (let slot = 0; slot < fds.length; slot++) {
    const fd = fds[slot] - 1;
    fds[slot] = 0;
    if (fd < 0) continue;
    loadLibc().close(fd);
    count++;
  }
  return count;
}
