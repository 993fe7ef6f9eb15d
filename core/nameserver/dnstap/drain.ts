/** Moves the messages of the rings to a Frame Stream. */
import { FrameEncoder } from './encode.ts';
import { RECORD, RING_BYTES, type RingViews, TAKEN, type TapRing, viewsOf, WRITTEN } from './ring.ts';

/** Bytes of one write to the socket. The largest frame fits. */
const CHUNK = 256 * 1024;

interface FrameSink {
  readonly isWritable: boolean;
  write(bytes: Uint8Array, frames: number): void;
}

export class TapDrain {
  readonly #rings: readonly RingViews[];

  constructor(
    rings: readonly TapRing[],
    private readonly encoder: FrameEncoder,
  ) {
    this.#rings = rings.map(viewsOf);
  }

  /** Writes the messages of the rings while the sink is writable. Returns the number of frames. */
  drain(sink: FrameSink): number {
    let frames = 0;
    for (const ring of this.#rings)
      while (sink.isWritable) {
        const written = this.#drainChunk(ring, sink);
        if (written === 0) break;
        frames += written;
      }
    return frames;
  }

  #drainChunk(ring: RingViews, sink: FrameSink): number {
    const { positions, words } = ring;
    const written = Atomics.load(positions, WRITTEN);
    let taken = Atomics.load(positions, TAKEN);
    if (taken === written) return 0;
    const chunk = Buffer.allocUnsafe(CHUNK);
    let end = 0;
    let frames = 0;
    while (taken !== written) {
      const at = taken & (RING_BYTES - 1);
      const size = words[(at + RECORD.size) >> 2];
      const length = words[(at + RECORD.length) >> 2];
      // A filler has no message.
      if (length > 0) {
        if (end + FrameEncoder.space(length) > CHUNK) break;
        end = this.encoder.encode(ring, at, chunk, end);
        frames++;
      }
      taken = (taken + size) | 0;
    }
    Atomics.store(positions, TAKEN, taken);
    if (frames > 0) sink.write(chunk.subarray(0, end), frames);
    return frames;
  }
}
