/** One field of a form for record contents. */
import { effect, untracked, useSignal } from '@preact/signals';
import { useLayoutEffect, useRef } from 'preact/hooks';
import { CheckField } from '../../ui/parts/check-field.tsx';
import { Field } from '../../ui/parts/field.tsx';
import { SelectField } from '../../ui/parts/select-field.tsx';
import { TextArea } from '../../ui/parts/text-area.tsx';
import { TEXTS } from '../texts.ts';
import type { FormField } from './forms/form.ts';

interface FormInputProps {
  readonly field: FormField;
  readonly value: string;
  readonly onInput: (value: string) => void;
}

export function FormInput({ field: { key, kind, placeholder, choices = [] }, value, onInput }: FormInputProps) {
  const typed = useSignal(value);
  const isChecked = useSignal(value !== '');
  const latest = useRef({ value, onInput });
  latest.current = { value, onInput };
  // A passive effect is too late: input before the next frame would be reported after closing.
  useLayoutEffect(
    () =>
      effect(() => {
        const next = kind === 'check' ? (isChecked.value ? 'true' : '') : typed.value;
        if (next !== latest.current.value) untracked(() => latest.current.onInput(next));
      }),
    [],
  );
  const texts = TEXTS.forms;
  const common = { name: key, label: texts.fields[key] ?? key, hint: texts.hints[key] };
  if (kind === 'check') return <CheckField {...common} value={isChecked} />;
  if (kind === 'area') return <TextArea {...common} value={typed} rows={3} placeholder={placeholder} />;
  if (kind === 'text') return <Field {...common} value={typed} placeholder={placeholder} autocomplete="off" />;
  const options = choices.map((choice) => ({ value: choice, label: texts.choices[`${key} ${choice}`] ?? choice }));
  return <SelectField {...common} value={typed} choices={options} />;
}
