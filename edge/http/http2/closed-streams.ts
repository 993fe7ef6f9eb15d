/**
 * How the last streams of a client were closed (RFC 9113 section 5.1): two frames late for a stream
 * are ordinary if we have reset it, and an error if its client had ended it. Held for the last 256
 * identifiers in 64 bytes, whatever a client does.
 */

/** What is known of an identifier below or at the last one. */
export const CLOSED = {
  /** Passed over: closed without having been open (section 5.1.1). */
  never: 0,
  /** Ended by both sides. */
  ended: 1,
  /** Reset by the client. */
  byClient: 2,
  /** Reset by us: frames may have been in flight. */
  byServer: 3,
  /** Too long ago. */
  forgotten: 4,
} as const;

type Closed = (typeof CLOSED)[keyof typeof CLOSED];

const REMEMBERED = 256;

export class ClosedStreams {
  /** Two bits for each, by the identifier's place among those of clients, modulo REMEMBERED. */
  readonly #ways = new Uint8Array(REMEMBERED / 4);
  #last = 0;

  /** The highest identifier that the client has opened; 0: none. */
  get last(): number {
    return this.#last;
  }

  /** The client opens `streamId`, which is above `last`; those between are passed over. */
  open(streamId: number): void {
    const skipped = Math.min((streamId - this.#last) >>> 1, REMEMBERED);
    for (let i = 0; i < skipped; i++) this.#set(streamId - 2 * i, CLOSED.never);
    this.#last = streamId;
  }

  close(streamId: number, way: typeof CLOSED.ended | typeof CLOSED.byClient | typeof CLOSED.byServer): void {
    if (this.#last - streamId < 2 * REMEMBERED) this.#set(streamId, way);
  }

  /** Of an identifier of a client's, at most `last`, that is not open. */
  way(streamId: number): Closed {
    if (this.#last - streamId >= 2 * REMEMBERED) return CLOSED.forgotten;
    const slot = (streamId >>> 1) & (REMEMBERED - 1);
    return ((this.#ways[slot >>> 2] >>> ((slot & 3) * 2)) & 3) as Closed;
  }

  #set(streamId: number, way: number): void {
    const slot = (streamId >>> 1) & (REMEMBERED - 1);
    const shift = (slot & 3) * 2;
    this.#ways[slot >>> 2] = (this.#ways[slot >>> 2] & ~(3 << shift)) | (way << shift);
  }
}
