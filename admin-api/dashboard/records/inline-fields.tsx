/** The fields of a content next to each other in its row, such as priority and target of an MX. */
import { useSignal } from '@preact/signals';
import type { Ref } from 'preact';
import { useId } from 'preact/hooks';
import { TEXTS } from '../texts.ts';
import type { ContentForm, FormField, Values } from './forms/form.ts';
import { formsOf } from './forms/forms.ts';

/** Types whose fields fit into a row. */
const INLINE: ReadonlySet<string> = new Set(['MX', 'SRV', 'CAA']);

/** The form whose fields a row shows. Undefined: the type or the content needs the text. */
export function inlineForm(type: string, content: string): ContentForm | undefined {
  const form = INLINE.has(type) ? formsOf(type)[0] : undefined;
  return form === undefined || form.parse(content) === null ? undefined : form;
}

interface InlineFieldsProps {
  readonly form: ContentForm;
  readonly content: string;
  readonly isInvalid: boolean;
  readonly onChange: (content: string) => void;
  /** Receives the first input, which gets the focus. */
  readonly first: Ref<HTMLInputElement> | undefined;
}

export function InlineFields({ form, content, isInvalid, onChange, first }: InlineFieldsProps) {
  const id = useId();
  const read = (): Values => form.parse(content) ?? form.initial;
  const values = useSignal<Values>(read());
  // The content was changed elsewhere. A field that is still empty is not such a change.
  if (form.format(values.value) !== content && content !== '') values.value = read();
  const set = (key: string, value: string): void => {
    values.value = { ...values.value, [key]: value };
    onChange(form.format(values.value));
  };
  return (
    <div class="inline-fields">
      {form.fields.map((field, i) => (
        <InlineField
          key={field.key}
          id={`${id}-${field.key}`}
          field={field}
          value={values.value[field.key] ?? ''}
          isInvalid={isInvalid}
          onChange={(value) => set(field.key, value)}
          first={i === 0 ? first : undefined}
        />
      ))}
    </div>
  );
}

interface InlineFieldProps extends Pick<InlineFieldsProps, 'isInvalid' | 'first'> {
  readonly id: string;
  readonly field: FormField;
  readonly value: string;
  readonly onChange: (value: string) => void;
}

function InlineField({ id, field, value, isInvalid, onChange, first }: InlineFieldProps) {
  const { key, kind, choices = [], placeholder } = field;
  const texts = TEXTS.forms;
  const label = texts.fields[key] ?? key;
  const isNumber = ['priority', 'weight', 'port'].includes(key);
  if (kind === 'check')
    return (
      <label class="check" title={label}>
        <input
          type="checkbox"
          checked={value !== ''}
          onChange={({ currentTarget }) => onChange(currentTarget.checked ? 'true' : '')}
        />
        {texts.short[key] ?? label}
      </label>
    );
  return (
    <div class={isNumber ? 'inline-field inline-number' : 'inline-field'}>
      <label for={id}>{label}</label>
      {kind === 'choice' ? (
        <select id={id} value={value} onChange={({ currentTarget }) => onChange(currentTarget.value)}>
          {choices.map((choice) => (
            <option key={choice} value={choice}>
              {choice}
            </option>
          ))}
        </select>
      ) : (
        <input
          id={id}
          ref={first}
          inputMode={isNumber ? 'numeric' : undefined}
          aria-invalid={isInvalid}
          placeholder={placeholder}
          value={value}
          spellcheck={false}
          autocapitalize="none"
          onInput={({ currentTarget }) => onChange(currentTarget.value)}
        />
      )}
    </div>
  );
}
