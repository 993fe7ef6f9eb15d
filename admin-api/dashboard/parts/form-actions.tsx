/** The buttons at the end of a page that creates an object. */
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
