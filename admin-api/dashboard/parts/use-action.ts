/** The state of one action of a form or button: whether it runs, and why it failed. */
import { type Signal, useSignal } from '@preact/signals';
import type { Failure } from '../failure.ts';

interface Action {
  readonly isRunning: Signal<boolean>;
  readonly failure: Signal<Failure | null>;
  /** Null: done. Does nothing while the action runs. Resolves with whether it was done. */
  readonly run: (action: () => Promise<Failure | null>) => Promise<boolean>;
}

export function useAction(): Action {
  const isRunning = useSignal(false);
  const failure = useSignal<Failure | null>(null);
  const run = async (action: () => Promise<Failure | null>): Promise<boolean> => {
    if (isRunning.peek()) return false;
    isRunning.value = true;
    failure.value = null;
    failure.value = await action();
    isRunning.value = false;
    return failure.value === null;
  };
  return { isRunning, failure, run };
}
