/**
 * Compresses a body while it is sent, by a stream of node:zlib in a thread of libuv. A body that
 * turns out to be short is compressed synchronously. Work is done only for a pending read, so a
 * slow visitor slows down the source (back pressure). Memory is bounded by the output of one write.
 */
import { type OriginBody, OriginError } from '../origin/origin.ts';
import { type Coding, type CodingStream, compressAtOnce, flushKind, openCodingStream, SHORT } from './coding.ts';
import { codedTrailers } from './fields.ts';

export class StreamedBody implements OriginBody {
  readonly length = undefined;
  readonly #source: OriginBody;
  readonly #coding: Coding;
  readonly #onOver: () => void;
  /** Read from the source, not yet compressed. */
  #input: Uint8Array[];
  #inputLength: number;
  #isInputEnd = false;
  /** A read of the source is pending. */
  #isSourceRead = false;
  /** Compressed, not yet read. */
  readonly #output: Uint8Array[] = [];
  #stream: CodingStream | null = null;
  /** Pending operations of the stream. It gets no input meanwhile. */
  #pending = 0;
  /** The stream may hold bytes that have not been flushed. */
  #isDirty = false;
  #isTurnAwaited = false;
  /** The body has ended, failed or been cancelled. */
  #isOver = false;
  #failure: unknown;
  #resolve: ((part: Uint8Array | null) => void) | null = null;
  #reject: ((error: unknown) => void) | null = null;

  /**
   * `input`: parts that were already read from the source, of `inputLength` bytes. `onOver` is
   * called once, when the stream has been released.
   */
  constructor(source: OriginBody, coding: Coding, input: Uint8Array[], inputLength: number, onOver: () => void) {
    this.#source = source;
    this.#coding = coding;
    this.#input = input;
    this.#inputLength = inputLength;
    this.#onOver = onOver;
  }

  get trailers(): OriginBody['trailers'] {
    return codedTrailers(this.#source.trailers);
  }

  readNow(): Uint8Array | null | undefined {
    const part = this.#output.shift();
    if (part !== undefined) return part;
    if (!this.#isOver) return undefined;
    if (this.#failure !== undefined) throw this.#failure;
    return null;
  }

  read(): Promise<Uint8Array | null> {
    if (this.#resolve !== null) throw new Error('A part of the body is being read already.');
    const part = this.#output.shift();
    if (part !== undefined) return Promise.resolve(part);
    return new Promise((resolve, reject) => {
      this.#resolve = resolve;
      this.#reject = reject;
      this.#advance();
    });
  }

  cancel(): void {
    if (this.#isOver) return;
    this.#output.length = 0;
    this.#fail(new OriginError('aborted', 'The body was cancelled while it was compressed.'));
  }

  /** Serves a pending read until the stream or the source is pending. */
  #advance(): void {
    if (this.#resolve === null) return;
    if (this.#output.length > 0 || this.#isOver) {
      this.#settle();
      return;
    }
    if (this.#pending > 0) return;
    try {
      this.#take();
      if (this.#isInputEnd) this.#finish();
      else if (this.#inputLength > SHORT) this.#write();
      else this.#wait();
    } catch (error) {
      this.#fail(error);
    }
  }

  /** Reads the available parts, up to the size of one write. */
  #take(): void {
    while (!this.#isSourceRead && !this.#isInputEnd && this.#inputLength <= SHORT) {
      const part = this.#source.readNow();
      if (part === undefined) return;
      this.#add(part);
    }
  }

  #add(part: Uint8Array | null): void {
    if (part === null) this.#isInputEnd = true;
    else {
      this.#input.push(part);
      this.#inputLength += part.length;
    }
  }

  /**
   * The source has paused. Parts that arrive in this turn of the event loop are compressed
   * together, then flushed to the visitor.
   */
  #wait(): void {
    if (!this.#isSourceRead) {
      this.#isSourceRead = true;
      this.#source.read().then(
        (part) => {
          this.#isSourceRead = false;
          this.#add(part);
          this.#advance();
        },
        (error) => this.#fail(error),
      );
    }
    if (this.#isTurnAwaited || (this.#inputLength === 0 && !this.#isDirty)) return;
    this.#isTurnAwaited = true;
    setImmediate(onTurn, this);
  }

  /** Called only by `onTurn`. */
  turned(): void {
    this.#isTurnAwaited = false;
    // Otherwise the source has not paused: the stream is busy, or no read is pending. The next call
    // continues.
    if (this.#resolve === null || this.#isOver || this.#pending > 0 || !this.#isSourceRead) return;
    try {
      if (this.#inputLength > 0) this.#write();
      if (this.#isDirty) this.#flush();
    } catch (error) {
      this.#fail(error);
    }
  }

  #write(): void {
    this.#pending++;
    this.#isDirty = true;
    this.#opened().write(this.#nextInput(), this.#onDone);
  }

  #flush(): void {
    this.#pending++;
    this.#isDirty = false;
    this.#opened().flush(flushKind(this.#coding), this.#onDone);
  }

  #finish(): void {
    if (this.#stream === null && this.#inputLength <= SHORT) {
      this.#output.push(compressAtOnce(this.#nextInput(), this.#coding));
      this.#close();
      return;
    }
    this.#pending++;
    const stream = this.#opened();
    if (this.#inputLength > 0) stream.end(this.#nextInput());
    else stream.end();
  }

  readonly #onDone = (error?: Error | null): void => {
    this.#pending--;
    if (error) this.#fail(error);
    else this.#advance();
  };

  #opened(): CodingStream {
    if (this.#stream !== null) return this.#stream;
    const stream = openCodingStream(this.#coding);
    this.#stream = stream;
    stream.on('data', (part: Buffer) => {
      if (this.#isOver) return;
      this.#output.push(part);
      this.#settle();
    });
    stream.once('end', () => this.#close());
    stream.on('error', (error) => this.#fail(error));
    return stream;
  }

  #nextInput(): Uint8Array {
    const bytes = joined(this.#input, this.#inputLength);
    this.#input = [];
    this.#inputLength = 0;
    return bytes;
  }

  #fail(error: unknown): void {
    if (this.#isOver) return;
    this.#failure = error;
    this.#source.cancel();
    this.#input = [];
    this.#stream?.destroy();
    this.#close();
  }

  #close(): void {
    if (this.#isOver) return;
    this.#isOver = true;
    this.#stream = null;
    this.#onOver();
    this.#settle();
  }

  /** Settles the pending read if output, the end or a failure is available. */
  #settle(): void {
    const [resolve, reject] = [this.#resolve, this.#reject];
    if (resolve === null || (this.#output.length === 0 && !this.#isOver)) return;
    this.#resolve = null;
    this.#reject = null;
    const part = this.#output.shift();
    if (part === undefined && this.#failure !== undefined) reject?.(this.#failure);
    else resolve(part ?? null);
  }
}

function onTurn(body: StreamedBody): void {
  body.turned();
}

/** Concatenates parts with a total of `length` bytes. */
export function joined(parts: readonly Uint8Array[], length: number): Uint8Array {
  return parts.length === 1 ? parts[0] : Buffer.concat(parts, length);
}
