/** A labelled choice among a few values. */
import type { Signal } from '@preact/signals';
import { Labelled, type Labels } from './labelled.tsx';

export interface Choice {
  readonly value: string;
  readonly label: string;
}

interface SelectFieldProps extends Labels {
  readonly value: Signal<string>;
  readonly name: string;
  readonly choices: readonly Choice[];
}

export function SelectField({ value, name, choices, ...labels }: SelectFieldProps) {
  return (
    <Labelled
      {...labels}
      renderControl={(attributes) => (
        <select
          {...attributes}
          name={name}
          value={value.value}
          onChange={(event) => {
            value.value = event.currentTarget.value;
          }}
        >
          {choices.map((choice) => (
            <option key={choice.value} value={choice.value}>
              {choice.label}
            </option>
          ))}
        </select>
      )}
    />
  );
}
