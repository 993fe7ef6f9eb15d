/** The result of an API call. */
import type { Failure } from './failure.ts';

export type Result<T> =
  | { readonly ok: true; readonly data: T; readonly response: Response }
  | { readonly ok: false; readonly failure: Failure };
