/** Bounds a search through names, writes and calls. */
import type { Variable } from './scope.ts';

const MOST_STEPS = 256;

export class Steps {
  #left = MOST_STEPS;
  /** Created lazily: most searches end before they enter a variable. */
  #seen: Set<Variable> | undefined;

  /** False: the budget is spent. */
  take(): boolean {
    return --this.#left >= 0;
  }

  /** False: the variable was already visited. */
  enter(variable: Variable): boolean {
    this.#seen ??= new Set();
    if (this.#seen.has(variable)) return false;
    this.#seen.add(variable);
    return true;
  }
}
