/** A labelled field of several lines. Its hint and its fault are read with it. */
import type { Signal } from '@preact/signals';
import { useId } from 'preact/hooks';

interface TextAreaProps {
  readonly label: string;
  readonly value: Signal<string>;
  readonly name: string;
  readonly placeholder?: string;
  readonly hint?: string;
  readonly fault?: string;
  readonly rows?: number;
  /** Not prose, such as URLs and keys: nothing is corrected. */
  readonly isCode?: boolean;
}

export function TextArea({ label, value, name, placeholder, hint, fault, rows = 4, isCode = false }: TextAreaProps) {
  const id = useId();
  const notes = [hint !== undefined && `${id}-hint`, fault !== undefined && `${id}-fault`].filter(Boolean).join(' ');
  return (
    <div class="field">
      <label for={id}>{label}</label>
      <textarea
        id={id}
        name={name}
        rows={rows}
        placeholder={placeholder}
        value={value.value}
        onInput={(event) => {
          value.value = event.currentTarget.value;
        }}
        aria-invalid={fault !== undefined}
        aria-describedby={notes === '' ? undefined : notes}
        spellcheck={!isCode}
        autocapitalize={isCode ? 'none' : 'sentences'}
        autocomplete={isCode ? 'off' : undefined}
      />
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
