/**
 * The request body of a visitor on its way to an origin: buffered, or passed on with filtered
 * trailers.
 */

import { withTimeout } from '../../core/base/timers.ts';
import type { Changes, HeaderChange } from '../../core/site/rules/index.ts';
import type { ClientMemory } from '../http/exchange/client-memory.ts';
import type { BodyFlow, BodySink, Exchange, RequestBody } from '../http/exchange/exchange.ts';
import type { FieldList } from '../http/exchange/field-list.ts';
import { requestTrailers } from './request-fields.ts';

/** Bytes to buffer. A shorter body is buffered completely. */
export const BUFFER_BYTES = 65_536;
/**
 * Milliseconds without data after which a body of unknown length is forwarded. The visitor may be
 * waiting for a message from the origin.
 */
const SILENCE_MS = 200;
/**
 * Milliseconds after which a body of unknown length is forwarded though data arrives: it may be a
 * stream that never fills the buffer soon, such as sound at 8 KB a second.
 */
const HOLD_MS = 1000;

/**
 * Passes the visitor's request body to an origin, with filtered trailers. Over HTTP/1.1 a body with
 * a content-length has no trailers, because trailers need the chunked coding. It is passed
 * unchanged.
 */
export function bodyForOrigin(body: RequestBody, isHttp2: boolean, changes: Changes | undefined): RequestBody {
  if (body.length === 0 || (body.length !== undefined && !isHttp2)) return body;
  const headers = changes?.requestHeaders ?? NO_CHANGES;
  return isFlowing(body) ? new FlowingBody(body, headers) : new PassedBody(body, headers);
}

const NO_CHANGES: readonly HeaderChange[] = [];

type Flowing = RequestBody & { flow(sink: BodySink): BodyFlow };

const isFlowing = (body: RequestBody): body is Flowing => body.flow !== undefined;

class PassedBody<Body extends RequestBody> implements RequestBody {
  readonly length: number | undefined;
  protected readonly body: Body;

  constructor(
    body: Body,
    private readonly changes: readonly HeaderChange[],
  ) {
    this.body = body;
    this.length = body.length;
  }

  read(): Promise<Uint8Array | null> {
    return this.body.read();
  }

  discard(): void {
    this.body.discard();
  }

  get trailers(): FieldList {
    return requestTrailers(this.body.trailers, this.changes);
  }
}

class FlowingBody extends PassedBody<Flowing> {
  flow(sink: BodySink): BodyFlow {
    return this.body.flow(sink);
  }
}

/**
 * A body of unknown length that may have `maxSize` bytes. `isTooLarge` is set when more have
 * arrived; the body then ends with an error.
 */
export class LimitedBody implements RequestBody, BodySink {
  readonly length = undefined;
  isTooLarge = false;
  readonly flow: RequestBody['flow'];
  readonly #body: RequestBody;
  #left: number;
  #sink: BodySink | null = null;

  constructor(body: RequestBody, maxSize: number) {
    this.#body = body;
    this.#left = maxSize;
    if (isFlowing(body)) this.flow = (sink) => this.#flowInto(body, sink);
  }

  get trailers(): FieldList {
    return this.#body.trailers;
  }

  async read(): Promise<Uint8Array | null> {
    const part = await this.#body.read();
    if (part !== null && !this.#count(part)) throw new UploadTooLarge();
    return part;
  }

  discard(): void {
    this.#body.discard();
  }

  onPart(part: Uint8Array): boolean {
    if (this.isTooLarge) return true;
    if (this.#count(part)) return this.#sink!.onPart(part);
    this.#sink!.onOver(new UploadTooLarge());
    return true;
  }

  onOver(error: Error | null): void {
    if (!this.isTooLarge) this.#sink!.onOver(error);
  }

  #flowInto(body: Flowing, sink: BodySink): BodyFlow {
    this.#sink = sink;
    return body.flow(this);
  }

  /** False: the body is too large. */
  #count(part: Uint8Array): boolean {
    this.#left -= part.length;
    this.isTooLarge = this.#left < 0;
    return !this.isTooLarge;
  }
}

class UploadTooLarge extends Error {
  override readonly name = 'UploadTooLarge';
}

/** What a client sends before the request goes to the origin. */
interface BufferTerms {
  /** The origin may respond before the body has ended, so silence ends the buffering. */
  readonly isConversation: boolean;
  /** In bytes. */
  readonly size: number;
}

const USUAL: BufferTerms = { isConversation: true, size: BUFFER_BYTES };

/** `size`: what the site or a rule sets; null: nothing. */
export const bufferTerms = (size: number | null): BufferTerms =>
  size === null ? USUAL : { isConversation: false, size };

/**
 * Buffers the start of a request body before the request is sent to the origin. A visitor that
 * announces a long body but sends little then does not occupy an origin connection. The buffer is
 * charged to the memory budget of the visitor's network, and is not larger than usual when that is
 * half used up. Rejects with an AbortError if the body ends prematurely.
 */
export async function bufferBodyStart(
  { body, memory }: Pick<Exchange, 'body' | 'memory'>,
  { isConversation, size }: BufferTerms = USUAL,
): Promise<RequestBody> {
  const buffered = new BufferedBody(body, memory);
  const isStream = body.length === undefined && isConversation;
  const end = isStream ? performance.now() + HOLD_MS : 0;
  try {
    while (buffered.heldBytes < size && (buffered.heldBytes < BUFFER_BYTES || !memory.isPressed)) {
      if (isStream && performance.now() > end) break;
      const reading = body.read();
      const part = isStream ? await raceSilence(reading) : await reading;
      if (part === null) {
        if (!isConversation) buffered.end();
        return buffered;
      }
      if (part === SILENT) {
        // Only one read may be pending, so the next reader gets this part first.
        buffered.pending = reading;
        return buffered;
      }
      buffered.add(part);
    }
    return buffered;
  } catch (error) {
    buffered.discard();
    throw error;
  }
}

const SILENT = Symbol('silent');

const raceSilence = <Result>(result: Promise<Result>): Promise<Result | typeof SILENT> =>
  withTimeout(result, SILENCE_MS, (): typeof SILENT => SILENT);

class BufferedBody implements RequestBody {
  length: number | undefined;
  heldBytes = 0;
  /** A pending read. */
  pending: Promise<Uint8Array | null> | null = null;
  readonly #body: RequestBody;
  readonly #memory: ClientMemory;
  #parts: Uint8Array[] = [];

  constructor(body: RequestBody, memory: ClientMemory) {
    this.#body = body;
    this.#memory = memory;
    this.length = body.length;
  }

  get trailers(): FieldList {
    return this.#body.trailers;
  }

  add(part: Uint8Array): void {
    this.#parts.push(part);
    this.heldBytes += part.length;
    this.#memory.hold(part.length);
  }

  /** The whole body is held, so that its length is known. With trailers it has to be chunked. */
  end(): void {
    if (this.trailers.length === 0) this.length = this.heldBytes;
  }

  read(): Promise<Uint8Array | null> {
    const part = this.shiftPart();
    if (part !== undefined) return Promise.resolve(part);
    const { pending } = this;
    this.pending = null;
    return pending ?? this.#body.read();
  }

  get flow(): RequestBody['flow'] {
    // A pending read can only be continued with `read`.
    return this.pending !== null || this.#body.flow === undefined ? undefined : (sink) => new BufferedFlow(this, sink);
  }

  /** The remaining body, for a BufferedFlow that has sent all buffered parts. */
  flowRest(sink: BodySink): BodyFlow | undefined {
    return this.#body.flow?.(sink);
  }

  discard(): void {
    this.#memory.release(this.heldBytes);
    this.heldBytes = 0;
    this.#parts = [];
    this.#body.discard();
  }

  /** Removes and returns the next buffered part. */
  shiftPart(): Uint8Array | undefined {
    const part = this.#parts.shift();
    if (part === undefined) return undefined;
    this.heldBytes -= part.length;
    this.#memory.release(part.length);
    return part;
  }
}

/** Sends the buffered parts, then the rest as it arrives. */
class BufferedFlow implements BodyFlow {
  readonly #body: BufferedBody;
  readonly #sink: BodySink;
  #rest: BodyFlow | undefined;

  constructor(body: BufferedBody, sink: BodySink) {
    this.#body = body;
    this.#sink = sink;
    this.resume();
  }

  resume(): void {
    if (this.#rest !== undefined) {
      this.#rest.resume();
      return;
    }
    for (let part = this.#body.shiftPart(); part !== undefined; part = this.#body.shiftPart())
      if (!this.#sink.onPart(part)) return;
    this.#rest = this.#body.flowRest(this.#sink);
  }
}
