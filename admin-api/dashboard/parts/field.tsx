/** A labelled input. Its hint and its fault are read with it. */
import type { Signal } from '@preact/signals';
import { useEffect, useId, useRef } from 'preact/hooks';

interface FieldProps {
  readonly label: string;
  readonly value: Signal<string>;
  readonly name: string;
  readonly placeholder?: string;
  readonly hint?: string;
  readonly fault?: string;
  readonly type?: 'text' | 'password' | 'search' | 'date';
  readonly autocomplete?:
    | 'username'
    | 'username webauthn'
    | 'current-password'
    | 'new-password'
    | 'one-time-code'
    | 'email'
    | 'off';
  /** The keyboard of a phone. */
  readonly inputmode?: 'numeric' | 'email';
  readonly required?: boolean;
  /** Has the focus when it appears. */
  readonly isFirst?: boolean;
}

export function Field({ label, value, hint, fault, type = 'text', isFirst = false, ...rest }: FieldProps) {
  const id = useId();
  const input = useRef<HTMLInputElement>(null);
  useEffect(() => {
    if (isFirst) input.current?.focus();
  }, []);
  const notes = [hint !== undefined && `${id}-hint`, fault !== undefined && `${id}-fault`].filter(Boolean).join(' ');
  return (
    <div class="field">
      <label for={id}>{label}</label>
      <input
        {...rest}
        id={id}
        // The types of inputs have roles of their own, which this one does not set.
        type={type as 'text'}
        ref={input}
        value={value.value}
        onInput={(event) => {
          value.value = event.currentTarget.value;
        }}
        aria-invalid={fault !== undefined}
        aria-describedby={notes === '' ? undefined : notes}
        spellcheck={false}
        autocapitalize="none"
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
