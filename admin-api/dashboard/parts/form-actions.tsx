/** The buttons at the end of a page that creates an object, and of a dialog. */
import { addressOf, type PageName } from '../addresses.ts';
import { TEXTS } from '../texts.ts';

interface FormActionsProps {
  readonly isRunning: boolean;
  /** Label of the submit button. */
  readonly label: string;
  /** Label of the submit button while the form is being sent. */
  readonly runningLabel: string;
  /** The page to return to. */
  readonly from: PageName;
}

export function FormActions({ isRunning, label, runningLabel, from }: FormActionsProps) {
  return (
    <div class="actions">
      <button type="submit" class="button button-main" aria-disabled={isRunning}>
        {isRunning ? runningLabel : label}
      </button>
      <a class="button button-quiet" href={addressOf(from)}>
        {TEXTS.cancel}
      </a>
    </div>
  );
}

interface DialogActionsProps {
  /** Label of the submit button. */
  readonly label: string;
  readonly isDisabled: boolean;
  /** Whether the form deletes or disables something. */
  readonly isBad?: boolean;
  readonly onCancel: () => void;
}

/** The buttons at the end of a form in a dialog. */
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
