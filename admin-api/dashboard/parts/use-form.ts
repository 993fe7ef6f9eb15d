/** The state of a form: being sent, and the faults of its fields. */
import type { Signal } from '@preact/signals';
import { type Failure, faultsOf } from '../failure.ts';
import { useAction } from './use-action.ts';

/** The message about the field at a JSON pointer. Undefined: no fault. */
export type FaultOf<Pointer extends string> = (pointer: Pointer) => string | undefined;

interface Form<Pointer extends string> {
  readonly isRunning: Signal<boolean>;
  readonly failure: Signal<Failure | null>;
  readonly faultOf: FaultOf<Pointer>;
  /** The failure. Null: none, or a field shows it. */
  readonly otherFailure: Failure | null;
  readonly submit: (event: SubmitEvent) => Promise<void>;
}

/** `pointers`: fields that show their faults. `send` resolves to null on success. */
export function useForm<Pointer extends string>(
  pointers: readonly Pointer[],
  send: () => Promise<Failure | null>,
): Form<Pointer> {
  const { isRunning, failure, run } = useAction();
  const submit = async (event: SubmitEvent): Promise<void> => {
    event.preventDefault();
    await run(send);
  };
  const faults = faultsOf(failure.value);
  const isShown = pointers.some((pointer) => faults.has(pointer));
  return {
    isRunning,
    failure,
    submit,
    faultOf: (pointer) => faults.get(pointer),
    otherFailure: isShown ? null : failure.value,
  };
}
