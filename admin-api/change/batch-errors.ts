/** The errors of a request that makes many changes, all or none. */
import { StateError, WaypostError } from '../../core/base/errors.ts';
import { type ErrorDetail, HttpError, statusOf } from '../http/errors.ts';

interface BatchFault extends Pick<WaypostError, 'code' | 'message' | 'choices'> {
  readonly pointer: string;
}

/** The first errors of a batch, with their pointers. */
export class BatchErrors {
  readonly #found: { readonly error: WaypostError; readonly pointer: string }[] = [];
  /** Number of further errors. */
  omitted = 0;

  constructor(private readonly limit: number) {}

  attempt<T>(pointer: string, work: () => T): T | undefined {
    try {
      return work();
    } catch (error) {
      if (!(error instanceof WaypostError)) throw error;
      this.add(error, pointer);
      return undefined;
    }
  }

  add(error: WaypostError, pointer: string): void {
    if (this.#found.length === this.limit) this.omitted++;
    else this.#found.push({ error, pointer: pointer + (error.pointer ?? '') });
  }

  get faults(): BatchFault[] {
    return this.#found.map(({ pointer, error: { code, message, choices } }) => ({ pointer, code, message, choices }));
  }

  /** Throws the first error, which keeps its class. */
  throwPlain(): void {
    if (this.#found.length > 0) throw this.#found[0].error;
  }

  /** Throws the first error, with all errors in its details. */
  throwFirst(): void {
    if (this.#found.length === 0) return;
    const [{ error, pointer }] = this.#found;
    const details: ErrorDetail[] = this.#found.map((found) => ({
      pointer: found.pointer,
      message: found.error.message,
      choices: found.error.choices,
    }));
    const status = statusOf(error) ?? (error instanceof StateError ? 409 : 422);
    throw new HttpError(status, error.code, `${error.message} Nothing was changed.`, {
      pointer,
      choices: error.choices,
      details: details.length > 1 ? details : undefined,
    });
  }
}
