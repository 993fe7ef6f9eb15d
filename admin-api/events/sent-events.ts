/**
 * Server-sent events (HTML Living Standard 9.2) for one client. The transport requests the next
 * chunk when the client has read the previous chunk. It closes the connection of a client that does
 * not read. The stream authorizes the client again before each chunk.
 */
import { setImmediate } from 'node:timers/promises';
import type { Caller } from '../http/caller.ts';
import type { Context, RawReply } from '../http/route.ts';
import type { OpenStreams, Stream } from './open-streams.ts';

/**
 * Milliseconds without an event after which a comment is sent. Shorter than the 8 to 12 seconds
 * after which uWebSockets.js closes a silent connection.
 */
const HEARTBEAT = 5_000;
/** Milliseconds after which a client that lost its connection connects again. */
const RETRY = 2_000;
/** The first line of a stream. */
export const RETRY_LINE = `retry: ${RETRY}\n`;

export interface SentEventsOptions<Viewer> {
  readonly streams: Pick<OpenStreams, 'enter'>;
  /** Throws when the client must not read the stream any more. */
  authorize(): Viewer;
  /** Milliseconds without an event after which a comment is sent; omitted: HEARTBEAT. */
  readonly heartbeat?: number;
}

/** The result of a read: text, or empty if there are no events yet. */
export interface NextEvents {
  readonly text: string;
  /** Whether there is more to read without waiting; only if the text is empty. */
  readonly hasMore?: boolean;
  /** Milliseconds to wait at most, if the text is empty; omitted: until the stream is woken. */
  readonly waitMs?: number;
}

const DONE = { done: true, value: undefined } as const;

export abstract class SentEvents<Viewer> implements AsyncIterableIterator<string>, Stream {
  readonly #authorize: () => Viewer;
  readonly #leave: () => void;
  readonly #heartbeat: number;
  #hasStarted = false;
  #isEnded = false;
  #sentAt = 0;
  #wake: () => void = () => {};

  /** Throws HttpError 429 and the errors of `authorize`. */
  constructor({ streams, authorize, heartbeat }: SentEventsOptions<Viewer>, accountIdOf: (viewer: Viewer) => number) {
    this.#authorize = authorize;
    this.#heartbeat = heartbeat ?? HEARTBEAT;
    this.#leave = streams.enter(accountIdOf(authorize()), this);
  }

  /** The first chunk, which is sent at once. */
  protected abstract startText(): Promise<string>;

  /** The next events that the client may see. */
  protected abstract readNext(viewer: Viewer): NextEvents;

  /** A comment that keeps the connection open. */
  protected abstract heartbeatText(): string;

  /** Called once, when the stream has ended. */
  protected onEnd(): void {}

  [Symbol.asyncIterator](): this {
    return this;
  }

  async next(): Promise<IteratorResult<string>> {
    const text = this.#isEnded ? null : await this.#nextText();
    if (text === null || this.#isEnded) return this.return();
    this.#sentAt = performance.now();
    return { done: false, value: text };
  }

  async return(): Promise<IteratorResult<string>> {
    this.end();
    return DONE;
  }

  wake(): void {
    this.#wake();
  }

  end(): void {
    if (!this.#isEnded) this.onEnd();
    this.#isEnded = true;
    this.#leave();
    this.#wake();
  }

  /** Null: the stream has ended. */
  async #nextText(): Promise<string | null> {
    if (!this.#hasStarted) {
      this.#hasStarted = true;
      return this.startText();
    }
    for (;;) {
      // Authorizes before each read, so that nothing is sent after the token was revoked.
      const viewer = this.#viewer();
      if (viewer === null) return null;
      const { text, hasMore, waitMs } = this.readNext(viewer.value);
      if (text !== '') return text;
      const untilHeartbeat = this.#sentAt + this.#heartbeat - performance.now();
      if (hasMore === true) await setImmediate();
      else await this.#waitForWake(Math.min(untilHeartbeat, waitMs ?? Number.POSITIVE_INFINITY));
      if (this.#isEnded) return null;
      if (performance.now() >= this.#sentAt + this.#heartbeat && this.#viewer() !== null) return this.heartbeatText();
    }
  }

  /** Null: the client must not read the stream any more. */
  #viewer(): { readonly value: Viewer } | null {
    try {
      return { value: this.#authorize() };
    } catch {
      return null;
    }
  }

  /** Waits until the stream is woken, at most `timeout` milliseconds. */
  async #waitForWake(timeout: number): Promise<void> {
    let timer: NodeJS.Timeout | undefined;
    await new Promise<void>((resolve) => {
      this.#wake = resolve;
      timer = setTimeout(resolve, Math.max(0, timeout));
    });
    clearTimeout(timer);
    this.#wake = () => {};
  }
}

/** The response with the stream. */
export function streamReply<Viewer>(
  { headers }: Pick<Context<Caller>, 'headers'>,
  stream: SentEvents<Viewer>,
): RawReply {
  headers['Content-Type'] = 'text/event-stream';
  return { raw: stream, close: true };
}
