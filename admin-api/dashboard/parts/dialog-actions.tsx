/** The buttons at the end of a form in a dialog. */
import { TEXTS } from '../texts.ts';

interface DialogActionsProps {
  /** Of the button that submits. */
  readonly label: string;
  readonly isDisabled: boolean;
  /** The form takes something away. */
  readonly isBad?: boolean;
  readonly onCancel: () => void;
}

export function DialogActions({ label, isDisabled, isBad = false, onCancel }: DialogActionsProps) {
  return (
    <div class="actions">
      <button type="submit" class={isBad ? 'button button-bad' : 'button button-main'} aria-disabled={isDisabled}>
        {label}
      </button>
      <button type="button" class="button" onClick={onCancel}>
        {TEXTS.cancel}
      </button>
    </div>
  );
}
