/** An origin's body whose parts a test brings when it will. */
import type { FieldList } from '../../../edge/http/exchange/field-list.ts';
import { type OriginBody, OriginError } from '../../../edge/origin/origin.ts';

export class ScriptedSource implements OriginBody {
  trailers: FieldList = [];
  /** Bytes that were taken. */
  taken = 0;
  isCancelled = false;
  #coming: Uint8Array[] = [];
  #isEnd = false;
  #failure: OriginError | undefined;
  #resolve: ((part: Uint8Array | null) => void) | null = null;
  #reject: ((error: unknown) => void) | null = null;

  constructor(readonly length: number | undefined = undefined) {}

  /** Somebody waits for a part. */
  get isWaiting(): boolean {
    return this.#resolve !== null;
  }

  push(...parts: Uint8Array[]): this {
    this.#coming.push(...parts);
    this.#settle();
    return this;
  }

  finish(): this {
    this.#isEnd = true;
    this.#settle();
    return this;
  }

  fail(error: OriginError): this {
    this.#failure = error;
    this.#settle();
    return this;
  }

  readNow(): Uint8Array | null | undefined {
    if (this.isWaiting) throw new Error('It is being read already.');
    const part = this.#coming.shift();
    if (part !== undefined) {
      this.taken += part.length;
      return part;
    }
    if (this.#failure !== undefined) throw this.#failure;
    return this.#isEnd ? null : undefined;
  }

  read(): Promise<Uint8Array | null> {
    if (this.isWaiting) throw new Error('It is being read already.');
    return new Promise((resolve, reject) => {
      this.#resolve = resolve;
      this.#reject = reject;
      this.#settle();
    });
  }

  cancel(): void {
    this.isCancelled = true;
    this.#coming = [];
    this.fail(new OriginError('aborted', 'cancelled'));
  }

  #settle(): void {
    const [resolve, reject] = [this.#resolve, this.#reject];
    if (resolve === null || (this.#coming.length === 0 && !this.#isEnd && this.#failure === undefined)) return;
    this.#resolve = null;
    this.#reject = null;
    try {
      resolve(this.readNow() ?? null);
    } catch (error) {
      reject?.(error);
    }
  }
}
