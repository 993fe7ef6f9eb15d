/** Controls of plain values, for the rows of lists, which come and go. */
import { useSignal } from '@preact/signals';
import { Labelled, type Labels } from '../../ui/parts/labelled.tsx';
import type { Choice } from '../../ui/parts/select-field.tsx';
import { readNumber } from '../edge/number-text.ts';

interface InputProps extends Labels {
  readonly name: string;
  readonly placeholder?: string;
  readonly inputmode?: 'numeric';
  /** Only read: the head of a table shows it. */
  readonly isLabelHidden?: boolean;
}

interface TextInputProps extends InputProps {
  readonly value: string;
  readonly onChange: (value: string) => void;
}

export function TextInput({ value, onChange, label, hint, fault, isLabelHidden, ...rest }: TextInputProps) {
  return (
    <Labelled
      label={label}
      hint={hint}
      fault={fault}
      isLabelHidden={isLabelHidden}
      renderControl={(attributes) => (
        <input
          {...rest}
          {...attributes}
          value={value}
          onInput={(event) => onChange(event.currentTarget.value)}
          autocomplete="off"
          spellcheck={false}
          autocapitalize="none"
        />
      )}
    />
  );
}

interface NumberInputProps<Empty> extends InputProps {
  readonly value: number | Empty;
  readonly empty: Empty;
  readonly onChange: (value: number | Empty) => void;
}

export function NumberInput<Empty extends null | undefined>(props: NumberInputProps<Empty>) {
  const { value, empty, onChange, ...rest } = props;
  return (
    <TextInput
      {...rest}
      inputmode="numeric"
      value={value == null ? '' : String(value)}
      onChange={(text) => onChange(readNumber(text, empty))}
    />
  );
}

interface ListInputProps extends InputProps {
  readonly values: readonly string[];
  readonly onChange: (values: readonly string[]) => void;
}

const readList = (text: string): string[] => text.split(/[\s,;]+/).filter((value) => value !== '');

/** Values between commas or blanks. The text stays as it is typed, until the values are others. */
export function ListInput({ values, onChange, ...rest }: ListInputProps) {
  const typed = useSignal('');
  const isTyped = readList(typed.value).join() === values.join();
  return (
    <TextInput
      {...rest}
      value={isTyped ? typed.value : values.join(', ')}
      onChange={(text) => {
        typed.value = text;
        onChange(readList(text));
      }}
    />
  );
}

interface SelectInputProps extends Omit<TextInputProps, 'placeholder' | 'inputmode'> {
  readonly choices: readonly Choice[];
}

export function SelectInput({ value, onChange, name, choices, ...labels }: SelectInputProps) {
  return (
    <Labelled
      {...labels}
      renderControl={(attributes) => (
        <select {...attributes} name={name} value={value} onChange={(event) => onChange(event.currentTarget.value)}>
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

interface MoveButtonsProps {
  /** What is moved, as its buttons read it. */
  readonly of: string;
  readonly texts: {
    readonly up: string;
    readonly upOf: (of: string) => string;
    readonly down: string;
    readonly downOf: (of: string) => string;
    readonly remove: string;
    readonly removeOf: (of: string) => string;
  };
  readonly index: number;
  readonly count: number;
  readonly onMove: (to: number) => void;
  readonly onRemove: () => void;
}

/** The buttons of an item of an ordered list. */
export function MoveButtons({ of, texts, index, count, onMove, onRemove }: MoveButtonsProps) {
  const isFirst = index === 0;
  const isLast = index === count - 1;
  return (
    <div class="actions">
      <button
        type="button"
        class="button"
        aria-label={texts.upOf(of)}
        aria-disabled={isFirst}
        onClick={() => !isFirst && onMove(index - 1)}
      >
        {texts.up}
      </button>
      <button
        type="button"
        class="button"
        aria-label={texts.downOf(of)}
        aria-disabled={isLast}
        onClick={() => !isLast && onMove(index + 1)}
      >
        {texts.down}
      </button>
      <button type="button" class="button button-quiet" aria-label={texts.removeOf(of)} onClick={onRemove}>
        {texts.remove}
      </button>
    </div>
  );
}
