/**
 * Remembers how a client's recent streams were closed (RFC 9113 section 5.1). Late frames are
 * normal for a stream that the server has reset. They are an error for a stream that the client had
 * ended. It covers the last 256 identifiers and always takes 64 bytes.
 */

/** State of a stream identifier that is at most the last one. */
export const CLOSED = {
  /** Skipped by the client: closed without having been open (section 5.1.1). */
  never: 0,
  /** Ended by both sides. */
  ended: 1,
  /** Reset by the client. */
  byClient: 2,
  /** Reset by the server: frames may have been in flight. */
  byServer: 3,
  /** Older than the last 256 identifiers. */
  forgotten: 4,
} as const;

type Closed = (typeof CLOSED)[keyof typeof CLOSED];

const REMEMBERED = 256;

export class ClosedStreams {
  /** Two bits for each stream, at half its identifier modulo REMEMBERED. */
  readonly #ways = new Uint8Array(REMEMBERED / 4);
  #last = 0;

  /** The highest identifier that the client has opened; 0: none. */
  get last(): number {
    return this.#last;
  }

  /** The client opens `streamId`, which is above `last`. Identifiers in between are skipped. */
  open(streamId: number): void {
    const skipped = Math.min((streamId - this.#last) >>> 1, REMEMBERED);
    for (let i = 0; i < skipped; i++) this.#set(streamId - 2 * i, CLOSED.never);
    this.#last = streamId;
  }

  close(streamId: number, way: typeof CLOSED.ended | typeof CLOSED.byClient | typeof CLOSED.byServer): void {
    if (this.#last - streamId < 2 * REMEMBERED) this.#set(streamId, way);
  }

  /** How a stream was closed. `streamId`: odd, at most `last`, and not open. */
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
