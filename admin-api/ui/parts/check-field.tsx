/** A labelled checkbox. */
import type { Signal } from '@preact/signals';
import { Labelled, type Labels } from './labelled.tsx';

interface CheckFieldProps extends Labels {
  readonly value: Signal<boolean>;
  readonly name: string;
}

export function CheckField({ value, name, ...labels }: CheckFieldProps) {
  return (
    <Labelled
      {...labels}
      isCheck
      renderControl={(attributes) => (
        <input
          {...attributes}
          type="checkbox"
          name={name}
          checked={value.value}
          onChange={(event) => {
            value.value = event.currentTarget.checked;
          }}
        />
      )}
    />
  );
}
