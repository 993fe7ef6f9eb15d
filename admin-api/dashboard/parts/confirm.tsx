/** Asks before something is destroyed: the user types the name of what will be gone. */
import { useSignal } from '@preact/signals';
import type { Failure } from '../failure.ts';
import { TEXTS } from '../texts.ts';
import { Field } from './field.tsx';
import { Modal } from './modal.tsx';
import { FailureNote } from './notes.tsx';

interface ConfirmProps {
  readonly title: string;
  /** What will happen. */
  readonly explanation: string;
  /** What the user has to type. */
  readonly word: string;
  /** Of the button that destroys. */
  readonly label: string;
  /** Null: done. */
  readonly run: () => Promise<Failure | null>;
  /** Called when the user cancels, and after `run` has succeeded. */
  readonly onClose: () => void;
}

export function Confirm({ title, explanation, word, label, run, onClose }: ConfirmProps) {
  const typed = useSignal('');
  const isRunning = useSignal(false);
  const failure = useSignal<Failure | null>(null);
  const isTyped = typed.value.trim().toLowerCase() === word.toLowerCase();
  const submit = async (event: SubmitEvent): Promise<void> => {
    event.preventDefault();
    if (!isTyped || isRunning.value) return;
    isRunning.value = true;
    failure.value = await run();
    isRunning.value = false;
    if (failure.value === null) onClose();
  };
  return (
    <Modal title={title} onClose={onClose}>
      <form class="form" onSubmit={submit}>
        <p>{explanation}</p>
        {failure.value !== null && <FailureNote failure={failure.value} />}
        <Field label={TEXTS.confirm.type(word)} value={typed} name="confirm" autocomplete="off" isFirst />
        <div class="actions">
          <button type="submit" class="button button-bad" aria-disabled={!isTyped || isRunning.value}>
            {label}
          </button>
          <button type="button" class="button" onClick={onClose}>
            {TEXTS.cancel}
          </button>
        </div>
      </form>
    </Modal>
  );
}
