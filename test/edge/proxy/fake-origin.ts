/** An origin without a connection: a `Fetch` that a test answers by hand. */
import type { FieldList } from '../../../edge/http/exchange/field-list.ts';
import {
  type Fetch,
  type OriginBody,
  OriginError,
  type OriginFault,
  type OriginRequest,
  type OriginResponse,
  type OriginTunnel,
} from '../../../edge/origin/origin.ts';
import { OriginPlace } from '../../../edge/origin/place.ts';

/** A body whose parts a test pushes. */
export class FakeBody implements OriginBody {
  length: number | undefined;
  trailers: FieldList = [];
  isCancelled = false;
  /** Parts that were taken. */
  taken = 0;
  readonly #queue: (Uint8Array | null | OriginError)[] = [];
  #resolve: ((part: Uint8Array | null) => void) | null = null;
  #reject: ((error: OriginError) => void) | null = null;

  push(part: Uint8Array | string): void {
    this.#put(typeof part === 'string' ? Buffer.from(part) : part);
  }

  finish(trailers: FieldList = []): void {
    this.trailers = trailers;
    this.#put(null);
  }

  fail(fault: OriginFault): void {
    this.#put(new OriginError(fault, `${fault} at 203.0.113.9`));
  }

  #put(item: Uint8Array | null | OriginError): void {
    const resolve = this.#resolve;
    const reject = this.#reject;
    this.#resolve = null;
    this.#reject = null;
    if (resolve === null || reject === null) this.#queue.push(item);
    else if (item instanceof OriginError) reject(item);
    else {
      this.taken++;
      resolve(item);
    }
  }

  readNow(): Uint8Array | null | undefined {
    const item = this.#queue[0];
    // The end stays.
    if (item !== null) this.#queue.shift();
    if (item instanceof OriginError) throw item;
    if (item !== undefined) this.taken++;
    return item;
  }

  async read(): Promise<Uint8Array | null> {
    const item = this.readNow();
    if (item !== undefined) return item;
    if (this.isCancelled) throw new OriginError('aborted', 'cancelled');
    return new Promise((resolve, reject) => {
      this.#resolve = resolve;
      this.#reject = reject;
    });
  }

  cancel(): void {
    if (this.isCancelled) return;
    this.isCancelled = true;
    this.#queue.length = 0;
    this.#reject?.(new OriginError('aborted', 'cancelled'));
    this.#resolve = null;
    this.#reject = null;
  }
}

export class FakeTunnel implements OriginTunnel {
  readonly parts: Uint8Array[] = [];
  isEnded = false;
  isDestroyed = false;
  isFull = false;
  #drain: (() => void) | null = null;

  get text(): string {
    return Buffer.concat(this.parts).toString();
  }

  write(chunk: Uint8Array): boolean {
    this.parts.push(chunk);
    return !this.isFull;
  }

  end(): void {
    this.isEnded = true;
  }

  onDrain(listener: () => void): void {
    this.#drain = listener;
  }

  destroy(): void {
    this.isDestroyed = true;
  }

  drain(): void {
    this.isFull = false;
    this.#drain?.();
  }
}

/** One request that an origin got, to be answered. */
export class Asked {
  isCancelled = false;
  /** Of the origin. */
  place: OriginPlace;
  readonly body = new FakeBody();
  readonly tunnel = new FakeTunnel();
  readonly request: OriginRequest;
  readonly #resolve: (response: OriginResponse) => void;
  readonly #reject: (error: OriginError) => void;
  readonly #clock: () => number;
  readonly #requestTime: number;

  constructor(
    request: OriginRequest,
    resolve: (response: OriginResponse) => void,
    reject: (error: OriginError) => void,
    clock: () => number,
  ) {
    this.request = request;
    this.place = new OriginPlace(request.origin);
    this.#resolve = resolve;
    this.#reject = reject;
    this.#clock = clock;
    this.#requestTime = clock();
  }

  field(name: string): string | undefined {
    const { headers } = this.request;
    const at = headers.findIndex((one, i) => i % 2 === 0 && one === name);
    return at < 0 ? undefined : headers[at + 1];
  }

  /** The head; the body follows by `body`. */
  respond(status: number, headers: FieldList = [], isTunnel = false): void {
    this.#resolve({
      status,
      headers,
      body: this.body,
      tunnel: isTunnel ? this.tunnel : null,
      requestTime: this.#requestTime,
      responseTime: this.#clock(),
      place: this.place,
    });
  }

  /** A whole response. */
  answer(status: number, headers: FieldList = [], text = ''): void {
    if (text !== '') this.body.push(text);
    this.body.finish();
    this.body.length = text.length;
    this.respond(status, [...headers, 'content-length', String(text.length)]);
  }

  fail(fault: OriginFault): void {
    this.#reject(new OriginError(fault, `${fault} at 203.0.113.9:8080`));
  }

  onCancel(): void {
    this.isCancelled = true;
    this.body.cancel();
    this.#reject(new OriginError('aborted', 'by the visitor'));
  }
}

export class FakeOrigin {
  readonly asked: Asked[] = [];
  readonly #clock: () => number;
  readonly #onAsked: ((asked: Asked) => void) | undefined;

  /** `onAsked` answers each request as it comes. */
  constructor(onAsked?: (asked: Asked) => void, clock: () => number = Date.now) {
    this.#onAsked = onAsked;
    this.#clock = clock;
  }

  get last(): Asked {
    const asked = this.asked.at(-1);
    if (asked === undefined) throw new Error('The origin was not asked.');
    return asked;
  }

  readonly fetch: Fetch = (request) =>
    new Promise((resolve, reject) => {
      const asked = new Asked(request, resolve, reject, this.#clock);
      this.asked.push(asked);
      if (request.cancel !== undefined) request.cancel.target = asked;
      this.#onAsked?.(asked);
    });
}

/** What is pending in promises has been done. */
export const settled = (): Promise<void> => new Promise((resolve) => setImmediate(resolve));
