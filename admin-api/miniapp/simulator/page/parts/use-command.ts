/** A command of a form or button: whether it runs, and why it failed. */
import { type Signal, useSignal } from '@preact/signals';

interface RunningCommand {
  readonly isRunning: Signal<boolean>;
  /** Empty: it did not fail. */
  readonly failure: Signal<string>;
  /** Resolves with whether it was done. Does nothing while it runs. */
  readonly run: (command: () => Promise<string | null>) => Promise<boolean>;
}

export function useCommand(): RunningCommand {
  const isRunning = useSignal(false);
  const failure = useSignal('');
  const run = async (command: () => Promise<string | null>): Promise<boolean> => {
    if (isRunning.peek()) return false;
    isRunning.value = true;
    failure.value = '';
    failure.value = (await command()) ?? '';
    isRunning.value = false;
    return failure.value === '';
  };
  return { isRunning, failure, run };
}
