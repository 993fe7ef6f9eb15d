/** Which sockets the tests of this folder run over: those of the thread, or node's. */
import { closeSync, openSync, readlinkSync } from 'node:fs';
import koffi from 'koffi';
import * as assert from 'uvu/assert';
import { DescriptorLoop, OWN_PLACES } from '../../../core/os/descriptor-loop.ts';
import { nativeSockets } from '../../../edge/origin/native-socket.ts';
import type { OpenSocket } from '../../../edge/origin/sockets.ts';

/** At one time. */
const MOST = 1000;

/** Set by who runs a test file over both. */
export const kind = { isNode: false };

export interface OwnSockets {
  readonly open: OpenSocket;
  /** Descriptors that main would close. */
  count(): number;
  /**
   * Makes io_uring_enter(2) fail from now on, until the returned function is called. Null: the
   * sockets have no ring.
   */
  breakRing(): (() => void) | null;
  /** To be called when all are closed. Fails when a descriptor is left. */
  close(): void;
}

/**
 * Sockets in a loop of their own, `most` at a time. `isBatched`: their calls are put together, if
 * there is io_uring.
 */
export function ownSockets(most = MOST, isBatched = true): OwnSockets {
  const fds = new Int32Array(new SharedArrayBuffer(Int32Array.BYTES_PER_ELEMENT * (OWN_PLACES + most)));
  const loop = new DescriptorLoop(fds.buffer);
  const held = (): number => fds.filter((fd) => fd !== 0).length;
  const open = nativeSockets(loop, most, isBatched);
  const before = held();
  return {
    count: () => held() - before,
    open,
    breakRing() {
      const ring = fds.find((fd) => fd > 0 && readlinkSync(`/proc/self/fd/${fd - 1}`).includes('io_uring'));
      return ring === undefined ? null : breakRing(ring - 1);
    },
    close() {
      loop.close();
      assert.is(held(), 0, 'no descriptor is left');
    },
  };
}

/** Another file takes the place of the ring's descriptor, whose memory stays mapped. */
function breakRing(ring: number): () => void {
  const libc = koffi.load(null);
  const duplicate = libc.func('int dup2(int, int)');
  const kept: number = libc.func('int dup(int)')(ring);
  const other = openSync('/dev/null', 'r');
  assert.is(duplicate(other, ring), ring);
  closeSync(other);
  return () => {
    assert.is(duplicate(kept, ring), ring);
    closeSync(kept);
  };
}
