/** The state of an action of a form or button: running, and the last failure. */
import { type Signal, useSignal } from '@preact/signals';
import { closeAnnouncement } from '../../ui/parts/announce.tsx';
import type { Failure } from '../failure.ts';

interface Action {
  readonly isRunning: Signal<boolean>;
  readonly failure: Signal<Failure | null>;
  /** Runs the action unless it is running. Resolves with whether it succeeded. */
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
    // A message of success would contradict it.
    if (failure.peek() !== null) closeAnnouncement();
    isRunning.value = false;
    return failure.value === null;
  };
  return { isRunning, failure, run };
}
