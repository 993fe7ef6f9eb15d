/** Input for a zone file: typed, pasted, dropped or chosen. */
import { useSignal } from '@preact/signals';
import { useId, useRef } from 'preact/hooks';
import { TEXTS } from '../texts.ts';

/** Maximum size of a file that is shown as text. */
const MAX_SHOWN_BYTES = 256 * 1024;

export interface Source {
  /** Null: too large to be shown. */
  readonly text: string | null;
  readonly body: string | Blob;
  readonly name: string;
}

export const NOTHING: Source = { text: '', body: '', name: '' };

interface FileSourceProps {
  readonly source: Source;
  readonly onChange: (source: Source) => void;
}

export function FileSource({ source, onChange }: FileSourceProps) {
  const texts = TEXTS.zoneFile;
  const id = useId();
  const isDragging = useSignal(false);
  const fileInput = useRef<HTMLInputElement>(null);
  const open = async (file: File): Promise<void> => {
    const text = file.size > MAX_SHOWN_BYTES ? null : await file.text();
    onChange({ text, body: text ?? file, name: file.name });
  };
  return (
    <fieldset
      aria-label={texts.file}
      class={`zone-drop ${isDragging.value ? 'zone-drop-active' : ''}`}
      onDragOver={(event) => {
        event.preventDefault();
        isDragging.value = true;
      }}
      onDragLeave={() => {
        isDragging.value = false;
      }}
      onDrop={(event) => {
        event.preventDefault();
        isDragging.value = false;
        const file = event.dataTransfer?.files[0];
        if (file !== undefined) void open(file);
      }}
    >
      {source.text === null ? (
        <p>
          {texts.large(source.name)}{' '}
          <button
            type="button"
            class="button"
            onClick={() => {
              onChange(NOTHING);
            }}
          >
            {texts.discard}
          </button>
        </p>
      ) : (
        <div class="field">
          <label for={id}>{texts.file}</label>
          <textarea
            id={id}
            class="zone-text"
            rows={10}
            spellcheck={false}
            placeholder={texts.placeholder}
            value={source.text}
            onInput={({ currentTarget: { value } }) => {
              onChange({ text: value, body: value, name: '' });
            }}
          />
        </div>
      )}
      <p class="zone-drop-hint">
        <button type="button" class="button" onClick={() => fileInput.current?.click()}>
          {texts.choose}
        </button>
        <span class="hint">{texts.drop}</span>
      </p>
      <input
        ref={fileInput}
        type="file"
        class="hidden"
        tabIndex={-1}
        aria-label={texts.choose}
        onChange={({ currentTarget }) => {
          const file = currentTarget.files?.[0];
          if (file !== undefined) void open(file);
          currentTarget.value = '';
        }}
      />
    </fieldset>
  );
}
