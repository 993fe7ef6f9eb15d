/** A labelled choice among a few values. Its hint and its fault are read with it. */
import type { Signal } from '@preact/signals';
import { useId } from 'preact/hooks';

export interface Choice {
  readonly value: string;
  readonly label: string;
}

interface SelectFieldProps {
  readonly label: string;
  readonly value: Signal<string>;
  readonly name: string;
  readonly choices: readonly Choice[];
  readonly hint?: string;
  readonly fault?: string;
}

export function SelectField({ label, value, name, choices, hint, fault }: SelectFieldProps) {
  const id = useId();
  const notes = [hint !== undefined && `${id}-hint`, fault !== undefined && `${id}-fault`].filter(Boolean).join(' ');
  return (
    <div class="field">
      <label for={id}>{label}</label>
      <select
        id={id}
        name={name}
        value={value.value}
        onChange={(event) => {
          value.value = event.currentTarget.value;
        }}
        aria-invalid={fault !== undefined}
        aria-describedby={notes === '' ? undefined : notes}
      >
        {choices.map((choice) => (
          <option key={choice.value} value={choice.value}>
            {choice.label}
          </option>
        ))}
      </select>
      {hint !== undefined && (
        <p class="hint" id={`${id}-hint`}>
          {hint}
        </p>
      )}
      {fault !== undefined && (
        <p class="fault" id={`${id}-fault`} role="alert">
          {fault}
        </p>
      )}
    </div>
  );
}
