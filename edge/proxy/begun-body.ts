/**
 * The body of a request whose beginning has come: no connection to the origin is taken for a visitor who says that much will come and then sends little. What has come of it is held
 * here, charged to the visitor's network.
 */
import type { ClientMemory } from '../http/exchange/client-memory.ts';
import type { BodyFlow, BodySink, Exchange, RequestBody } from '../http/exchange/exchange.ts';
import type { FieldList } from '../http/exchange/field-list.ts';

/** Bytes: shorter bodies are waited for whole. */
const BEGINNING = 65_536;
/** Milliseconds of silence after which a body that does not say its length is passed on: the two sides may be talking. */
const SILENCE = 200;

/** Rejects with an AbortError when the body ends before its time. */
export async function begunBody({ body, memory }: Exchange): Promise<RequestBody> {
  const begun = new BegunBody(body, memory);
  try {
    while (begun.held < BEGINNING) {
      const reading = body.read();
      const part = body.length === undefined ? await within(reading) : await reading;
      if (part === null) return begun;
      if (part === SILENT) {
        // One read at a time: whoever reads on gets this part first.
        begun.pending = reading;
        return begun;
      }
      begun.add(part);
    }
    return begun;
  } catch (error) {
    begun.discard();
    throw error;
  }
}

const SILENT = Symbol('silent');

function within<Result>(result: Promise<Result>): Promise<Result | typeof SILENT> {
  let timer: NodeJS.Timeout | undefined;
  const silence = new Promise<typeof SILENT>((resolve) => {
    timer = setTimeout(resolve, SILENCE, SILENT);
  });
  return Promise.race([result, silence]).finally(() => clearTimeout(timer));
}

class BegunBody implements RequestBody {
  readonly length: number | undefined;
  held = 0;
  /** A part that was asked for and has not come. */
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
    this.held += part.length;
    this.#memory.hold(part.length);
  }

  read(): Promise<Uint8Array | null> {
    const part = this.take();
    if (part !== undefined) return Promise.resolve(part);
    const { pending } = this;
    this.pending = null;
    return pending ?? this.#body.read();
  }

  get flow(): RequestBody['flow'] {
    // What is pending has to be read.
    return this.pending !== null || this.#body.flow === undefined ? undefined : (sink) => new BegunFlow(this, sink);
  }

  /** For a BegunFlow: the rest, when `take` has given all. */
  flowRest(sink: BodySink): BodyFlow | undefined {
    return this.#body.flow?.(sink);
  }

  discard(): void {
    this.#memory.release(this.held);
    this.held = 0;
    this.#parts = [];
    this.#body.discard();
  }

  /** The next part that is held. */
  take(): Uint8Array | undefined {
    const part = this.#parts.shift();
    if (part === undefined) return undefined;
    this.held -= part.length;
    this.#memory.release(part.length);
    return part;
  }
}

/** Gives the beginning, then the rest as it comes. */
class BegunFlow implements BodyFlow {
  readonly #body: BegunBody;
  readonly #sink: BodySink;
  #rest: BodyFlow | undefined;

  constructor(body: BegunBody, sink: BodySink) {
    this.#body = body;
    this.#sink = sink;
    this.resume();
  }

  resume(): void {
    if (this.#rest !== undefined) {
      this.#rest.resume();
      return;
    }
    for (let part = this.#body.take(); part !== undefined; part = this.#body.take())
      if (!this.#sink.onPart(part)) return;
    this.#rest = this.#body.flowRest(this.#sink);
  }
}
