/** A choice among a few values, all of which are shown. */
import type { Signal } from '@preact/signals';
import { useId } from 'preact/hooks';

interface ChoiceRowProps<T extends string> {
  readonly label: string;
  readonly choices: Readonly<Record<T, string>>;
  readonly value: T;
  readonly onChoose: (value: T) => void;
}

export function ChoiceRow<T extends string>({ label, choices, value, onChoose }: ChoiceRowProps<T>) {
  const id = useId();
  return (
    <fieldset class="choice-row">
      <legend class="hidden">{label}</legend>
      {(Object.entries(choices) as [T, string][]).map(([choice, text]) => (
        <label key={choice}>
          <input type="radio" name={id} checked={choice === value} onChange={() => onChoose(choice)} />
          <span>{text}</span>
        </label>
      ))}
    </fieldset>
  );
}

/** Of a signal. */
export function SignalChoice<T extends string>({
  signal,
  ...rest
}: Omit<ChoiceRowProps<T>, 'value' | 'onChoose'> & { readonly signal: Signal<T> }) {
  return (
    <ChoiceRow
      {...rest}
      value={signal.value}
      onChoose={(value) => {
        signal.value = value;
      }}
    />
  );
}
