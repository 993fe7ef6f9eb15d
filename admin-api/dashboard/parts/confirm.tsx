/**
 * Confirms a destructive action: the user types the name of the object, or confirms a question.
 */
import { useSignal } from '@preact/signals';
import type { ComponentChildren } from 'preact';
import { Field } from '../../ui/parts/field.tsx';
import { Modal } from '../../ui/parts/modal.tsx';
import type { Failure } from '../failure.ts';
import { TEXTS } from '../texts.ts';
import { DialogActions } from './form-actions.tsx';
import { FailureNote } from './notes.tsx';
import { useForm } from './use-form.ts';

interface ConfirmProps {
  readonly title: string;
  /** Describes the effect. */
  readonly explanation: string;
  /** The text that the user must type. */
  readonly word: string;
  /** Label of the destructive button. */
  readonly label: string;
  /** Null on success. */
  readonly run: () => Promise<Failure | null>;
  /** Called when the user cancels, and after `run` has succeeded. */
  readonly onClose: () => void;
  /** Shown above the buttons while `run` runs. */
  readonly progress?: ComponentChildren;
}

export function Confirm({ title, explanation, word, label, run, onClose, progress }: ConfirmProps) {
  const typed = useSignal('');
  const isTyped = typed.value.trim().toLowerCase() === word.toLowerCase();
  const { isRunning, failure, submit } = useForm([], async () => {
    if (!isTyped) return null;
    const result = await run();
    if (result === null) onClose();
    return result;
  });
  return (
    <Modal title={title} onClose={onClose}>
      <form class="form" onSubmit={submit}>
        <p>{explanation}</p>
        {failure.value !== null && <FailureNote failure={failure.value} />}
        <Field label={TEXTS.confirm.type(word)} value={typed} name="confirm" autocomplete="off" isFirst />
        {isRunning.value && progress}
        <DialogActions label={label} isBad isDisabled={!isTyped || isRunning.value} onCancel={onClose} />
      </form>
    </Modal>
  );
}

interface ConfirmActionProps extends Omit<ConfirmProps, 'onClose'> {
  /** Label of the button that opens the confirmation. */
  readonly open: string;
  /** Name for screen readers, on pages with several such buttons. */
  readonly openLabel?: string;
  /** Buttons before this button. */
  readonly children?: ComponentChildren;
}

/** A button for a destructive action, with a confirmation. */
export function ConfirmAction({ open, openLabel, children, ...confirm }: ConfirmActionProps) {
  const isAsking = useSignal(false);
  return (
    <>
      <div class="actions">
        {children}
        <button
          type="button"
          class="button button-bad"
          aria-label={openLabel}
          onClick={() => {
            isAsking.value = true;
          }}
        >
          {open}
        </button>
      </div>
      {isAsking.value && (
        <Confirm
          {...confirm}
          onClose={() => {
            isAsking.value = false;
          }}
        />
      )}
    </>
  );
}
