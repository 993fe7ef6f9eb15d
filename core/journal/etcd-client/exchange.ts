/**
 * A request to etcd's JSON gateway and its response. undici's `request` also creates a stream and a
 * signal for each request. Without them, a request needs 147 µs of CPU instead of 210 µs.
 */
import type { Dispatcher } from 'undici';

interface Target {
  /** For example `https://10.0.0.1:2379`. */
  readonly endpoint: string;
  /** Starts with a slash. */
  readonly path: string;
  /** Sent as JSON. */
  readonly message: unknown;
}

interface Answer {
  readonly status: number;
  /** The body, without the lines that `onLine` received. */
  readonly text: string;
  /** The Date field, in milliseconds since 1970; NaN: there is none. */
  readonly date: number;
}

/**
 * Nothing was sent. The code of an error does not show this: ICMP ends established connections with
 * the same codes (RFC 1122 section 4.2.3.9).
 */
export class NotConnected extends Error {}

/** Maximum bytes of a response, or of a line of it: the largest group of entries in base64. */
const MAX_ANSWER = 64 << 20;
const LINE_END = 10;
const JSON_BODY = { 'content-type': 'application/json' };

export class Exchange {
  /**
   * Rejects with the error of the connection, with NotConnected, with the reason given to `abort`,
   * or with Error for a response that is too long.
   */
  readonly done: Promise<Answer>;
  readonly #onLine: ((line: string) => void) | null;
  #resolve!: (answer: Answer) => void;
  #reject!: (error: unknown) => void;
  /** Null: nothing was sent yet. */
  #controller: Dispatcher.DispatchController | null = null;
  #isOver = false;
  #status = 0;
  #date = Number.NaN;
  /** The bytes since the last line. */
  #parts: Buffer[] = [];
  #length = 0;

  /**
   * `onLine`: receives each non-empty line of a response with status 200. If it throws, the
   * exchange is aborted with its error.
   */
  constructor(dispatcher: Dispatcher, target: Target, onLine?: (line: string) => void) {
    this.#onLine = onLine ?? null;
    this.done = new Promise((resolve, reject) => {
      this.#resolve = resolve;
      this.#reject = reject;
    });
    try {
      this.#dispatch(dispatcher, target);
    } catch (error) {
      this.abort(error as Error);
    }
  }

  /**
   * Rejects `done` with the reason, or with NotConnected if nothing was sent. Then nothing will be
   * sent.
   */
  abort(reason: Error): void {
    const controller = this.#controller;
    this.#fail(controller === null ? new NotConnected(reason.message, { cause: reason }) : reason);
    controller?.abort(reason);
  }

  /** Throws Error for an invalid endpoint. */
  #dispatch(dispatcher: Dispatcher, { endpoint, path, message }: Target): void {
    const { origin, pathname } = new URL(endpoint + path);
    dispatcher.dispatch(
      { origin, path: pathname, method: 'POST', headers: JSON_BODY, body: JSON.stringify(message) },
      {
        onRequestStart: (controller) => {
          if (this.#isOver) controller.abort(new Error('the request was aborted'));
          else this.#controller = controller;
        },
        onResponseStart: (_, status, headers) => {
          this.#status = status;
          if (typeof headers.date === 'string') this.#date = Date.parse(headers.date);
        },
        onResponseData: (_, chunk) => this.#take(chunk),
        onResponseEnd: () => {
          if (this.#end()) this.#resolve({ status: this.#status, text: this.#text(), date: this.#date });
        },
        onResponseError: (_, error) => this.#fail(error),
      },
    );
  }

  #end(): boolean {
    const isFirst = !this.#isOver;
    this.#isOver = true;
    return isFirst;
  }

  #fail(error: unknown): void {
    if (this.#end()) this.#reject(error);
  }

  #take(chunk: Buffer): void {
    try {
      if (this.#onLine !== null && this.#status === 200) this.#takeLines(chunk, this.#onLine);
      else if (!this.#isOver) this.#keep(chunk);
    } catch (error) {
      this.abort(error as Error);
    }
  }

  #takeLines(chunk: Buffer, onLine: (line: string) => void): void {
    let from = 0;
    for (let end = chunk.indexOf(LINE_END); end >= 0 && !this.#isOver; end = chunk.indexOf(LINE_END, from)) {
      this.#keep(chunk.subarray(from, end));
      from = end + 1;
      const line = this.#text();
      if (line !== '') onLine(line);
    }
    if (from < chunk.length && !this.#isOver) this.#keep(chunk.subarray(from));
  }

  #keep(part: Buffer): void {
    this.#length += part.length;
    if (this.#length > MAX_ANSWER) throw new Error(`the response, or a line of it, is larger than ${MAX_ANSWER} bytes`);
    this.#parts.push(part);
  }

  #text(): string {
    const parts = this.#parts;
    this.#parts = [];
    this.#length = 0;
    return (parts.length === 1 ? parts[0] : Buffer.concat(parts)).toString('utf8');
  }
}
