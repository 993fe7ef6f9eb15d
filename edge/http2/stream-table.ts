/** The streams of a session: those that are open, how the last ones were closed, and what still works for those that were reset. */
import { ClosedStreams } from './closed-streams.ts';
import type { Http2Stream } from './stream.ts';

export class StreamTable {
  readonly closed = new ClosedStreams();
  /** Streams that were reset while their handlers were at work: their work counts until it is done (CVE-2023-44487). */
  abandoned = 0;
  readonly #open = new Map<number, Http2Stream>();

  get count(): number {
    return this.#open.size;
  }

  get open(): IterableIterator<Http2Stream> {
    return this.#open.values();
  }

  get(streamId: number): Http2Stream | undefined {
    return this.#open.get(streamId);
  }

  add(stream: Http2Stream): void {
    this.#open.set(stream.id, stream);
  }

  remove(stream: Http2Stream): void {
    this.#open.delete(stream.id);
  }

  isFull(most: number): boolean {
    return this.#open.size + this.abandoned >= most;
  }
}
