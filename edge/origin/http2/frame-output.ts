/**
 * Buffers frames for an origin. The frames of one turn of the event loop go out in one write, in
 * pooled buffers.
 */
import type { FrameTarget } from '../../http/http2/frame-writer.ts';
import { BUFFER, giveBuffer, takeBuffer } from '../../http/transport/buffers.ts';
import type { OriginSocket } from '../sockets.ts';

const NOTHING = Buffer.alloc(0);

export class FrameOutput implements FrameTarget {
  bytes: Buffer = NOTHING;
  at = 0;
  /** Number of writes: a position in `bytes` is valid for one serial only. */
  serial = 0;
  readonly #socket: OriginSocket;
  /** Written buffers that the socket may still be sending. */
  #written: Buffer[] = [];

  constructor(socket: OriginSocket) {
    this.#socket = socket;
  }

  reserve(bytes: number): void {
    if (this.bytes.length - this.at >= bytes) return;
    this.flush();
    if (this.bytes.length < bytes) this.bytes = bytes > BUFFER ? Buffer.allocUnsafeSlow(bytes) : takeBuffer();
  }

  flush(): void {
    if (this.at === 0) return;
    const part = this.bytes.subarray(0, this.at);
    this.bytes = NOTHING;
    this.at = 0;
    this.serial++;
    if (this.#socket.write(part)) giveBuffer(part);
    else this.#written.push(part);
  }

  /** All written bytes were sent: the buffers return to their pool. */
  left(): void {
    for (const part of this.#written) giveBuffer(part);
    this.#written = [];
  }
}
