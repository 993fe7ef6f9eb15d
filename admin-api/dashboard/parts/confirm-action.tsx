/** A button whose action destroys something, which it asks for first. */
import { useSignal } from '@preact/signals';
import type { ComponentChildren } from 'preact';
import { Confirm, type ConfirmProps } from './confirm.tsx';

interface ConfirmActionProps extends Omit<ConfirmProps, 'onClose'> {
  /** Of the button that asks. */
  readonly open: string;
  /** Its name for screen readers, where the page has several. */
  readonly openLabel?: string;
  /** Buttons in front of it. */
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
