/** Collects a body as its pieces come, within bounds of size and time. Both transports use it. */
import { tooLarge, tooSlow } from './errors.ts';
import { Aborted, BODY_RATE } from './transport.ts';

const EMPTY = Buffer.alloc(0);

export class BodyCollector {
  readonly whole: Promise<Buffer>;
  readonly #limit: number;
  readonly #timeout: number;
  readonly #begin = performance.now();
  #chunks: Buffer[] = [];
  #length = 0;
  #resolve: (body: Buffer) => void = () => {};
  #reject: (error: Error) => void = () => {};
  #done = false;
  /** Where it stands among those that are watched; -1: nowhere. */
  place = -1;

  /** `announced`: Content-Length as sent, undefined when the body is chunked or absent. `timeout` in milliseconds. */
  constructor(limit: number, announced: string | undefined, timeout: number) {
    this.#limit = limit;
    this.#timeout = timeout;
    this.whole = new Promise((resolve, reject) => {
      this.#resolve = resolve;
      this.#reject = reject;
    });
    if (announced !== undefined && Number(announced) > limit) this.fail(tooLarge(limit));
  }

  /** Whether nothing more is wanted. */
  get done(): boolean {
    return this.#done;
  }

  /** `chunk` is the collector's from now on. */
  add(chunk: Buffer): void {
    if (this.#done) return;
    this.#length += chunk.length;
    if (this.#length > this.#limit) this.fail(tooLarge(this.#limit));
    else if (chunk.length > 0) this.#chunks.push(chunk);
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
    this.#finish();
    const chunks = this.#chunks;
    this.#chunks = [];
    if (chunks.length === 1) this.#resolve(chunks[0]);
    else if (chunks.length === 0) this.#resolve(EMPTY);
    else this.#resolve(joined(chunks, this.#length));
  }

  abort(): void {
    // Called at the end of every connection: an error is made only for who still waits.
    if (!this.#done) this.fail(new Aborted());
  }

  fail(error: Error): void {
    if (this.#done) return;
    this.#finish();
    this.#chunks = [];
    this.#reject(error);
  }

  #finish(): void {
    this.#done = true;
    late.forget(this);
  }
}

/** Milliseconds between two looks at the bodies that are under way. */
const LOOK = 100;

/**
 * One timer for all bodies: most are there at once, and a timer for each costs more than reading it. They stand in an array: the tables that a busy Set
 * leaves behind hold on to what went through it until the next full collection.
 */
const late = {
  open: [] as BodyCollector[],
  timer: undefined as NodeJS.Timeout | undefined,

  watch(collector: BodyCollector): void {
    if (collector.place !== -1) return;
    collector.place = this.open.push(collector) - 1;
    this.timer ??= setInterval(() => this.look(), LOOK);
  },

  /** The last one takes its place. */
  forget(collector: BodyCollector): void {
    if (collector.place === -1) return;
    const last = this.open.pop();
    if (last !== undefined && last !== collector) {
      last.place = collector.place;
      this.open[last.place] = last;
    }
    collector.place = -1;
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
