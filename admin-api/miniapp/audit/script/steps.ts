/** Bounds a search through names, writes and calls; what is behind more steps is not known. */
import type { Variable } from './scope.ts';

const MOST_STEPS = 256;

export class Steps {
  #left = MOST_STEPS;
  /** Most searches end before any. */
  #seen: Set<Variable> | undefined;

  /** False: no more. */
  take(): boolean {
    return --this.#left >= 0;
  }

  /** False: what leads back to itself says nothing new. */
  enter(variable: Variable): boolean {
    this.#seen ??= new Set();
    if (this.#seen.has(variable)) return false;
    this.#seen.add(variable);
    return true;
  }
}
