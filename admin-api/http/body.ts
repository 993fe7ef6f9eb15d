/** A request body with limits on its size and time, for both transports. */
import type { Charge } from './body-memory.ts';
import { tooLarge, tooMuchPending, tooSlow } from './errors.ts';
import { Aborted, BODY_RATE } from './transport.ts';

const EMPTY = Buffer.alloc(0);
/** Memory overhead of a received piece, in bytes. */
const PIECE_OVERHEAD = 256;

export const chargeOf = (chunk: Buffer): number => chunk.length + PIECE_OVERHEAD;

/** The limits of a body. Subclasses receive each piece, and then one end or failure. */
export abstract class Body {
  protected readonly charge: Charge;
  readonly #begin = performance.now();
  #length = 0;
  #done = false;
  /** Index among the watched bodies; -1: not watched. */
  index = -1;

  /** `timeout` in milliseconds. `charge`: accounts for the memory of the body. */
  constructor(
    private readonly limit: number,
    private readonly timeout: number,
    charge: Charge,
  ) {
    this.charge = charge;
  }

  protected abstract onChunk(chunk: Buffer): void;
  protected abstract onEnd(): void;
  protected abstract onError(error: Error): void;

  /** Whether the body has ended, failed, or is no longer read. */
  get done(): boolean {
    return this.#done;
  }

  /** Received bytes. */
  protected get length(): number {
    return this.#length;
  }

  /**
   * Fails if Content-Length is above the limit. `announced`: its value; undefined for a chunked or
   * absent body.
   */
  announce(announced: string | undefined): void {
    if (announced !== undefined && Number(announced) > this.limit) this.fail(tooLarge(this.limit));
  }

  /** Takes ownership of `chunk`. */
  add(chunk: Buffer): void {
    if (this.#done) return;
    this.#length += chunk.length;
    if (this.#length > this.limit) this.fail(tooLarge(this.limit));
    else if (chunk.length > 0 && !this.charge.take(chargeOf(chunk))) this.fail(tooMuchPending());
    else if (chunk.length > 0) this.onChunk(chunk);
  }

  /** More of the body will arrive later: starts the timeout. */
  expectMore(): void {
    if (!this.#done) openBodies.watch(this);
  }

  /** Fails after the timeout. `now` as of performance.now(). */
  check(now: number): void {
    if (now > this.#begin + this.timeout + (this.#length / BODY_RATE) * 1000) this.fail(tooSlow());
  }

  end(): void {
    if (this.#done) return;
    this.finish();
    this.onEnd();
  }

  abort(): void {
    // Called at the end of every connection: the error is created only while the body is read.
    if (!this.#done) this.fail(new Aborted());
  }

  fail(error: Error): void {
    if (this.#done) return;
    this.finish();
    this.onError(error);
    this.release();
  }

  /** Called when the request has ended and nothing uses the body any more. */
  release(): void {
    this.charge.end();
  }

  /** Stops reading and the timeout. */
  protected finish(): void {
    this.#done = true;
    openBodies.forget(this);
  }
}

export class BodyCollector extends Body {
  readonly whole: Promise<Buffer>;
  #chunks: Buffer[] = [];
  #resolve: (body: Buffer) => void = () => {};
  #reject: (error: Error) => void = () => {};

  /** As `Body`, and `announce`. */
  constructor(limit: number, announced: string | undefined, timeout: number, charge: Charge) {
    super(limit, timeout, charge);
    this.whole = new Promise((resolve, reject) => {
      this.#resolve = resolve;
      this.#reject = reject;
    });
    this.announce(announced);
  }

  protected onChunk(chunk: Buffer): void {
    this.#chunks.push(chunk);
  }

  protected onEnd(): void {
    const chunks = this.#chunks;
    this.#chunks = [];
    if (chunks.length === 1) this.#resolve(chunks[0]);
    else if (chunks.length === 0) this.#resolve(EMPTY);
    else this.#resolve(concatChunks(chunks, this.length));
  }

  protected onError(error: Error): void {
    this.#chunks = [];
    this.#reject(error);
  }
}

/** Interval between checks of the open bodies, in milliseconds. */
const CHECK_INTERVAL = 100;

/**
 * One timer for all bodies: most bodies arrive with their request, and a timer for each would cost
 * more than reading it. An array, because a busy Set keeps deleted entries alive until the next
 * full garbage collection.
 */
const openBodies = {
  bodies: [] as Body[],
  timer: undefined as NodeJS.Timeout | undefined,

  watch(body: Body): void {
    if (body.index !== -1) return;
    body.index = this.bodies.push(body) - 1;
    this.timer ??= setInterval(() => this.checkAll(), CHECK_INTERVAL);
  },

  /** Moves the last body to the index of the removed one. */
  forget(body: Body): void {
    if (body.index === -1) return;
    const last = this.bodies.pop();
    if (last !== undefined && last !== body) {
      last.index = body.index;
      this.bodies[last.index] = last;
    }
    body.index = -1;
  },

  checkAll(): void {
    const now = performance.now();
    // Backwards: a body that fails is replaced by the last one, which is already checked.
    for (let i = this.bodies.length - 1; i >= 0; i--) this.bodies[i].check(now);
    if (this.bodies.length > 0) return;
    clearInterval(this.timer);
    this.timer = undefined;
  },
};

/** Collects a streamed body, as BodyCollector does. */
export async function collectChunks(pieces: AsyncIterable<Buffer>): Promise<Buffer> {
  const chunks: Buffer[] = [];
  let length = 0;
  for await (const piece of pieces) {
    chunks.push(piece);
    length += piece.length;
  }
  return concatChunks(chunks, length);
}

/** In its own ArrayBuffer, not in Node's pool, so that it can be transferred to another thread. */
function concatChunks(chunks: readonly Buffer[], length: number): Buffer {
  const whole = Buffer.allocUnsafeSlow(length);
  let at = 0;
  for (const chunk of chunks) {
    whole.set(chunk, at);
    at += chunk.length;
  }
  return whole;
}
