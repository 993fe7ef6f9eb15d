/** A labelled input. */
import type { Signal } from '@preact/signals';
import { useLayoutEffect, useRef } from 'preact/hooks';
import { Labelled, type Labels } from './labelled.tsx';

interface FieldProps extends Labels {
  readonly value: Signal<string>;
  readonly name: string;
  readonly placeholder?: string;
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
  const input = useRef<HTMLInputElement>(null);
  // Before the next key or click: what is typed then belongs to the field that it is meant for.
  useLayoutEffect(() => {
    if (!isFirst || input.current === null) return;
    // A dialog that opens later puts the focus there.
    input.current.autofocus = true;
    input.current.focus();
  }, []);
  return (
    <Labelled
      label={label}
      hint={hint}
      fault={fault}
      renderControl={(attributes) => (
        <input
          {...rest}
          {...attributes}
          // The types of inputs have roles of their own, which this one does not set.
          type={type as 'text'}
          ref={input}
          value={value.value}
          onInput={(event) => {
            value.value = event.currentTarget.value;
          }}
          spellcheck={false}
          autocapitalize="none"
        />
      )}
    />
  );
}

/** The name of an object, as the first field of a form. */
export const NameField = (props: Labels & Pick<FieldProps, 'value'>) => (
  <Field {...props} name="name" autocomplete="off" required isFirst />
);
