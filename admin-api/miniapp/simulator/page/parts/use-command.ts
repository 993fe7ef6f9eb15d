/** State of a form's or button's command: in flight, and its error. */
import { type Signal, useSignal } from '@preact/signals';

interface RunningCommand {
  readonly isRunning: Signal<boolean>;
  /** Empty: no error. */
  readonly failure: Signal<string>;
  /** Resolves with whether the command succeeded. Does nothing while one is in flight. */
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
