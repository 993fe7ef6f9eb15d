/** A button whose action destroys something, which it asks for first. */
import { useSignal } from '@preact/signals';
import { Confirm, type ConfirmProps } from './confirm.tsx';

interface ConfirmActionProps extends Omit<ConfirmProps, 'onClose'> {
  /** Of the button that asks. */
  readonly open: string;
}

export function ConfirmAction({ open, ...confirm }: ConfirmActionProps) {
  const isAsking = useSignal(false);
  return (
    <>
      <div class="actions">
        <button
          type="button"
          class="button button-bad"
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
