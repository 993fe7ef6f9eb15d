/** An origin without a connection: a `Fetch` whose requests the test answers. */
import type { FieldList } from '../../../edge/http/exchange/field-list.ts';
import {
  type Fetch,
  type OriginBody,
  OriginError,
  type OriginFault,
  type OriginRequest,
  type OriginResponse,
  type OriginTunnel,
  type Send,
} from '../../../edge/origin/origin.ts';
import { OriginPlace } from '../../../edge/origin/spellings.ts';

/** A body whose parts the test pushes. */
export class FakeBody implements OriginBody {
  length: number | undefined;
  trailers: FieldList = [];
  isCancelled = false;
  /** Number of parts that were read. */
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
    // The end stays in the queue, so that later reads see it.
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

/** A request that the origin has received and the test answers. */
export class PendingRequest {
  isCancelled = false;
  /** Identity of the origin. */
  identity: OriginPlace;
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
    this.identity = new OriginPlace(request.origin);
    this.#resolve = resolve;
    this.#reject = reject;
    this.#clock = clock;
    this.#requestTime = clock();
  }

  field(name: string): string | undefined {
    const { headers } = this.request;
    const at = headers.findIndex((value, i) => i % 2 === 0 && value === name);
    return at < 0 ? undefined : headers[at + 1];
  }

  /** Sends the head. The body follows through `body`. */
  respond(status: number, headers: FieldList = [], isTunnel = false): void {
    this.#resolve({
      status,
      headers,
      body: this.body,
      tunnel: isTunnel ? this.tunnel : null,
      requestTime: this.#requestTime,
      responseTime: this.#clock(),
      identity: this.identity,
    });
  }

  /** Sends a complete response. */
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
  readonly requests: PendingRequest[] = [];
  readonly #clock: () => number;
  readonly #onRequest: ((pending: PendingRequest) => void) | undefined;

  /** `onRequest` answers each request when it arrives. */
  constructor(onRequest?: (pending: PendingRequest) => void, clock: () => number = Date.now) {
    this.#onRequest = onRequest;
    this.#clock = clock;
  }

  get last(): PendingRequest {
    const last = this.requests.at(-1);
    if (last === undefined) throw new Error('the origin received no request');
    return last;
  }

  readonly fetch: Fetch = (request) =>
    new Promise((resolve, reject) => {
      const pending = new PendingRequest(request, resolve, reject, this.#clock);
      this.requests.push(pending);
      if (request.cancel !== undefined) request.cancel.target = pending;
      this.#onRequest?.(pending);
    });
}

/** As a client without promises sends. */
export const sendBy =
  (fetch: Fetch): Send =>
  (request, receiver) =>
    void fetch(request).then(
      (response) => receiver.onResponse(response),
      (error: Error) => receiver.onFailure(error),
    );

/** Lets pending promises settle. */
export const settled = (): Promise<void> => new Promise((resolve) => setImmediate(resolve));
