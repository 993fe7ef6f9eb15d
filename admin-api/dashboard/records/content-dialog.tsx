/** The form for the content of a record, with a named field for each part. */
import { effect, untracked, useSignal } from '@preact/signals';
import { useId, useLayoutEffect, useMemo, useRef } from 'preact/hooks';
import { CheckField } from '../../ui/parts/check-field.tsx';
import { Field } from '../../ui/parts/field.tsx';
import { Modal } from '../../ui/parts/modal.tsx';
import { SelectField } from '../../ui/parts/select-field.tsx';
import { TextArea } from '../../ui/parts/text-area.tsx';
import { TEXTS } from '../texts.ts';
import type { Fields, RowFault } from './edits.ts';
import { Faults } from './faults.tsx';
import type { ContentForm, FormField, Values } from './forms/form.ts';
import { formOf, formsOf } from './forms/forms.ts';

interface ContentDialogProps {
  readonly fields: Fields;
  readonly faults: readonly RowFault[];
  /** As in a row. */
  readonly content: string;
  readonly onChange: (fields: Fields) => void;
  readonly onClose: () => void;
}

interface Shown {
  readonly form: ContentForm;
  readonly values: Values;
}

export function ContentDialog({ fields, faults, content, onChange, onClose }: ContentDialogProps) {
  const texts = TEXTS.forms;
  const id = useId();
  const before = useMemo(() => fields, []);
  const canShow = useMemo(() => formOf(before.type, before.content) !== undefined, []);
  const shown = useSignal<Shown>(useMemo(() => firstShown(before), []));
  const { form, values } = shown.value;
  const forms = formsOf(before.type);
  const show = (next: Shown): void => {
    shown.value = next;
    onChange({ ...fields, content: next.form.format(next.values) });
  };
  const chosen = useSignal(0);
  const choose = (choice: string): void => {
    onChange({ ...fields, content: choice });
    shown.value = { form, values: form.parse(choice) ?? values };
    // The inputs are made anew with these values.
    chosen.value++;
  };
  const cancel = (): void => {
    onChange(before);
    onClose();
  };
  const wrong = faults.filter(({ field }) => !['ttl', 'proxied', 'comment'].includes(field));
  const { usualName } = form;
  return (
    <Modal title={texts.title(fields.type, fields.name === '' ? '@' : fields.name)} onClose={cancel}>
      <form
        class="form"
        onSubmit={(event) => {
          event.preventDefault();
          onClose();
        }}
      >
        {!canShow && <p class="note note-bad">{texts.cannotShow}</p>}
        {forms.length > 1 && (
          <div class="field">
            <label for={id}>{texts.kind}</label>
            <select
              id={id}
              value={form.id}
              onChange={(event) => {
                const next = forms.find((other) => other.id === event.currentTarget.value)!;
                show({ form: next, values: next.parse(fields.content) ?? next.initial });
              }}
            >
              {forms.map((other) => (
                <option key={other.id} value={other.id}>
                  {texts.kinds[other.id]}
                </option>
              ))}
            </select>
          </div>
        )}
        {usualName !== undefined && (fields.name === '' ? '@' : fields.name) !== usualName && (
          <p class="hint">
            {texts.usualName(usualName)}{' '}
            <button type="button" class="button" onClick={() => onChange({ ...fields, name: usualName })}>
              {texts.useName}
            </button>
          </p>
        )}
        <div class="form-fields">
          {form.fields.map((field) => (
            <FormInput
              key={`${form.id} ${field.key} ${chosen.value}`}
              field={field}
              value={values[field.key] ?? ''}
              onInput={(value) => show({ form, values: { ...values, [field.key]: value } })}
            />
          ))}
        </div>
        <div class="field">
          <span class="form-label">{TEXTS.records.content}</span>
          <code class="content-preview">{content === '' ? '…' : content}</code>
          <Faults faults={wrong} onChoose={choose} />
        </div>
        <div class="actions">
          <button type="submit" class="button button-main">
            {TEXTS.records.done}
          </button>
          <button type="button" class="button" onClick={cancel}>
            {TEXTS.cancel}
          </button>
        </div>
      </form>
    </Modal>
  );
}

/** For an empty value, selects the form by the record name. */
function firstShown({ type, name, content }: Fields): Shown {
  const forms = formsOf(type);
  const last = forms[forms.length - 1];
  if (content === '') {
    const lower = name.toLowerCase();
    const byName = forms.find(({ usualName }) => usualName?.startsWith('_') && lower.startsWith(usualName));
    const dkim = lower.includes('_domainkey')
      ? forms.find(({ usualName }) => usualName?.endsWith('_domainkey'))
      : undefined;
    const form = byName ?? dkim ?? last;
    return { form, values: form.initial };
  }
  const form = formOf(type, content) ?? last;
  return { form, values: form.parse(content) ?? form.initial };
}

interface FormInputProps {
  readonly field: FormField;
  readonly value: string;
  readonly onInput: (value: string) => void;
}

/** One field of a form for record contents. */
function FormInput({ field: { key, kind, placeholder, choices = [] }, value, onInput }: FormInputProps) {
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
