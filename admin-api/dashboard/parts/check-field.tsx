/** A labelled checkbox with a hint. */
import type { Signal } from '@preact/signals';
import { useId } from 'preact/hooks';

interface CheckFieldProps {
  readonly label: string;
  readonly value: Signal<boolean>;
  readonly name: string;
  readonly hint?: string;
}

export function CheckField({ label, value, name, hint }: CheckFieldProps) {
  const id = useId();
  return (
    <div class="check-field">
      <input
        id={id}
        type="checkbox"
        name={name}
        checked={value.value}
        onChange={(event) => {
          value.value = event.currentTarget.checked;
        }}
        aria-describedby={hint === undefined ? undefined : `${id}-hint`}
      />
      <label for={id}>{label}</label>
      {hint !== undefined && (
        <p class="hint" id={`${id}-hint`}>
          {hint}
        </p>
      )}
    </div>
  );
}
