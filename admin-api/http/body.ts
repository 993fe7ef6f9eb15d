/** A body as its pieces come, within bounds of size and time, and whole. Both transports use it. */
import { tooLarge, tooSlow } from './errors.ts';
import { Aborted, BODY_RATE } from './transport.ts';

const EMPTY = Buffer.alloc(0);

/** What both ways of taking a body have in common: its bounds. Whoever extends it is told of what comes, and once of the end. */
export abstract class Body {
  readonly #limit: number;
  readonly #timeout: number;
  readonly #begin = performance.now();
  #length = 0;
  #done = false;
  /** Where it stands among those that are watched; -1: nowhere. */
  place = -1;

  /** `timeout` in milliseconds. */
  constructor(limit: number, timeout: number) {
    this.#limit = limit;
    this.#timeout = timeout;
  }

  protected abstract taken(chunk: Buffer): void;
  protected abstract ended(): void;
  protected abstract failed(error: Error): void;

  /** Whether nothing more is wanted. */
  get done(): boolean {
    return this.#done;
  }

  /** Bytes that have come. */
  protected get length(): number {
    return this.#length;
  }

  /** Fails when it is too long by `announced`: Content-Length as sent, undefined when the body is chunked or absent. */
  announce(announced: string | undefined): void {
    if (announced !== undefined && Number(announced) > this.#limit) this.fail(tooLarge(this.#limit));
  }

  /** `chunk` is the body's from now on. */
  add(chunk: Buffer): void {
    if (this.#done) return;
    this.#length += chunk.length;
    if (this.#length > this.#limit) this.fail(tooLarge(this.#limit));
    else if (chunk.length > 0) this.taken(chunk);
  }

  /** The body goes on later: it is given time. */
  expectMore(): void {
    if (!this.#done) late.watch(this);
  }

  /** Fails when the time is over. `now` as of performance.now(). */
  check(now: number): void {
    if (now > this.#begin + this.#timeout + (this.#length / BODY_RATE) * 1000) this.fail(tooSlow());
  }

  end(): void {
    if (this.#done) return;
    this.finish();
    this.ended();
  }

  abort(): void {
    // Called at the end of every connection: an error is made only for who still waits.
    if (!this.#done) this.fail(new Aborted());
  }

  fail(error: Error): void {
    if (this.#done) return;
    this.finish();
    this.failed(error);
  }

  /** Nothing more is wanted. */
  protected finish(): void {
    this.#done = true;
    late.forget(this);
  }
}

export class BodyCollector extends Body {
  readonly whole: Promise<Buffer>;
  #chunks: Buffer[] = [];
  #resolve: (body: Buffer) => void = () => {};
  #reject: (error: Error) => void = () => {};

  /** As `Body`, and `announce`. */
  constructor(limit: number, announced: string | undefined, timeout: number) {
    super(limit, timeout);
    this.whole = new Promise((resolve, reject) => {
      this.#resolve = resolve;
      this.#reject = reject;
    });
    this.announce(announced);
  }

  protected taken(chunk: Buffer): void {
    this.#chunks.push(chunk);
  }

  protected ended(): void {
    const chunks = this.#chunks;
    this.#chunks = [];
    if (chunks.length === 1) this.#resolve(chunks[0]);
    else if (chunks.length === 0) this.#resolve(EMPTY);
    else this.#resolve(joined(chunks, this.length));
  }

  protected failed(error: Error): void {
    this.#chunks = [];
    this.#reject(error);
  }
}

/** Milliseconds between two looks at the bodies that are under way. */
const LOOK = 100;

/**
 * One timer for all bodies: most are there at once, and a timer for each costs more than reading it. They stand in an array: the tables that a busy Set
 * leaves behind hold on to what went through it until the next full collection.
 */
const late = {
  open: [] as Body[],
  timer: undefined as NodeJS.Timeout | undefined,

  watch(body: Body): void {
    if (body.place !== -1) return;
    body.place = this.open.push(body) - 1;
    this.timer ??= setInterval(() => this.look(), LOOK);
  },

  /** The last one takes its place. */
  forget(body: Body): void {
    if (body.place === -1) return;
    const last = this.open.pop();
    if (last !== undefined && last !== body) {
      last.place = body.place;
      this.open[last.place] = last;
    }
    body.place = -1;
  },

  look(): void {
    const now = performance.now();
    // From the end: whoever fails is gone from here, and one that was looked at takes its place.
    for (let i = this.open.length - 1; i >= 0; i--) this.open[i].check(now);
    if (this.open.length > 0) return;
    clearInterval(this.timer);
    this.timer = undefined;
  },
};

/** All of a body that comes piece by piece, as BodyCollector gives it. */
export async function whole(pieces: AsyncIterable<Buffer>): Promise<Buffer> {
  const chunks: Buffer[] = [];
  let length = 0;
  for await (const piece of pieces) {
    chunks.push(piece);
    length += piece.length;
  }
  return joined(chunks, length);
}

/** In an ArrayBuffer of its own, not in Node's pool, so that it can be handed to another thread without a copy. */
function joined(chunks: readonly Buffer[], length: number): Buffer {
  const whole = Buffer.allocUnsafeSlow(length);
  let at = 0;
  for (const chunk of chunks) {
    whole.set(chunk, at);
    at += chunk.length;
  }
  return whole;
}
