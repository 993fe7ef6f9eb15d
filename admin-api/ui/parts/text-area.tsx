/** A labelled field of several lines. */
import type { Signal } from '@preact/signals';
import { Labelled, type Labels } from './labelled.tsx';

interface TextAreaProps extends Labels {
  readonly value: Signal<string>;
  readonly name: string;
  readonly placeholder?: string;
  readonly rows?: number;
  /** Not prose, such as URLs and keys: nothing is corrected. */
  readonly isCode?: boolean;
}

export function TextArea({ value, name, placeholder, rows = 4, isCode = false, ...labels }: TextAreaProps) {
  return (
    <Labelled
      {...labels}
      renderControl={(attributes) => (
        <textarea
          {...attributes}
          name={name}
          rows={rows}
          placeholder={placeholder}
          value={value.value}
          onInput={(event) => {
            value.value = event.currentTarget.value;
          }}
          spellcheck={!isCode}
          autocapitalize={isCode ? 'none' : 'sentences'}
          autocomplete={isCode ? 'off' : undefined}
        />
      )}
    />
  );
}
