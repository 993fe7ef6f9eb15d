/**
 * A request body that is read piece by piece. The connection is paused while too much is unread.
 */
import { Body, chargeOf } from './body.ts';
import type { Charge } from './body-memory.ts';

/** The connection of the body. */
export interface Flow {
  pause(): void;
  resume(): void;
}

/** Unread bytes at which the connection is paused. */
const MAX_UNREAD = 1 << 20;

export class BodyStream extends Body implements AsyncIterable<Buffer> {
  readonly #chunks: Buffer[] = [];
  #unread = 0;
  #isPaused = false;
  #error: Error | undefined;
  #wake: () => void = () => {};

  /** As `Body`, and `announce`. */
  constructor(
    limit: number,
    announced: string | undefined,
    timeout: number,
    charge: Charge,
    private readonly flow: Flow,
    /** Whether the reader keeps the pieces until the end of the request. */
    private readonly keeps: boolean,
  ) {
    super(limit, timeout, charge);
    this.announce(announced);
  }

  /**
   * Can be iterated once. Throws the errors of HttpRequest.body. The rest is discarded if the
   * caller stops early.
   */
  async *[Symbol.asyncIterator](): AsyncGenerator<Buffer> {
    try {
      for (;;) {
        const chunk = this.#chunks.shift();
        if (chunk !== undefined) {
          this.#unread -= chunk.length;
          if (!this.keeps) this.charge.release(chargeOf(chunk));
          if (this.#unread < MAX_UNREAD) this.#resume();
          yield chunk;
        } else if (this.#error !== undefined) throw this.#error;
        else if (this.done) return;
        else
          await new Promise<void>((resolve) => {
            this.#wake = resolve;
          });
      }
    } finally {
      this.finish();
      this.#resume();
    }
  }

  protected onChunk(chunk: Buffer): void {
    this.#chunks.push(chunk);
    this.#unread += chunk.length;
    if (this.#unread >= MAX_UNREAD && !this.#isPaused) {
      this.#isPaused = true;
      this.flow.pause();
    }
    this.#wake();
  }

  protected onEnd(): void {
    this.#wake();
  }

  /** Unread pieces are discarded. */
  protected onError(error: Error): void {
    this.#chunks.length = 0;
    this.#error = error;
    this.#wake();
  }

  #resume(): void {
    if (!this.#isPaused) return;
    this.#isPaused = false;
    this.flow.resume();
  }
}
