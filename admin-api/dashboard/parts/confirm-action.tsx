/** A button for a destructive action, with a confirmation. */
import { useSignal } from '@preact/signals';
import type { ComponentChildren } from 'preact';
import { Confirm, type ConfirmProps } from './confirm.tsx';

interface ConfirmActionProps extends Omit<ConfirmProps, 'onClose'> {
  /** Label of the button that opens the confirmation. */
  readonly open: string;
  /** Name for screen readers, on pages with several such buttons. */
  readonly openLabel?: string;
  /** Buttons before this button. */
  readonly children?: ComponentChildren;
}

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
