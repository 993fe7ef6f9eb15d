/** The buttons at the end of a form in a dialog. */
import { TEXTS } from '../texts.ts';

interface DialogActionsProps {
  /** Label of the submit button. */
  readonly label: string;
  readonly isDisabled: boolean;
  /** Whether the form deletes or disables something. */
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
