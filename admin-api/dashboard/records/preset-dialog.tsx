/** The dialog that adds the records of a provider. They become edits, which the user reviews. */
import { useSignal } from '@preact/signals';
import { useId } from 'preact/hooks';
import { announce } from '../../ui/parts/announce.tsx';
import { Modal } from '../../ui/parts/modal.tsx';
import { TEXTS } from '../texts.ts';
import { applyPreset, PRESETS, type Preset } from './presets.ts';
import type { ZoneEditor } from './zone-editor.ts';

interface PresetDialogProps {
  readonly editor: ZoneEditor;
  readonly onClose: () => void;
}

export function PresetDialog({ editor, onClose }: PresetDialogProps) {
  const texts = TEXTS.presets;
  const id = useId();
  const chosen = useSignal<Preset>(PRESETS[0]);
  const values = useSignal<Readonly<Record<string, string>>>({});
  const preset = chosen.value;
  const wanted = preset.records(values.value, editor.domain.value?.domain ?? '');
  const { edits, added, deleted, mergesSpf } = applyPreset(editor.edits.value, editor.records.value, wanted);
  const isEmpty = added.length === 0 && deleted.length === 0 && !mergesSpf;
  const apply = (): void => {
    editor.edit(edits);
    editor.addAll(added);
    announce(texts.done(preset.title));
    onClose();
  };
  return (
    <Modal title={texts.title} onClose={onClose}>
      <form
        class="form"
        onSubmit={(event) => {
          event.preventDefault();
          if (!isEmpty) apply();
        }}
      >
        <div class="field">
          <label for={id}>{texts.service}</label>
          <select
            id={id}
            value={preset.id}
            onChange={({ currentTarget }) => {
              chosen.value = PRESETS.find((other) => other.id === currentTarget.value) ?? PRESETS[0];
              values.value = {};
            }}
          >
            {(['mail', 'verification'] as const).map((kind) => (
              <optgroup key={kind} label={texts.kinds[kind]}>
                {PRESETS.filter((other) => other.kind === kind).map((other) => (
                  <option key={other.id} value={other.id}>
                    {other.title}
                  </option>
                ))}
              </optgroup>
            ))}
          </select>
        </div>
        {preset.inputs.map(({ key, placeholder, isOptional }) => (
          <div key={`${preset.id} ${key}`} class="field">
            <label for={`${id}-${key}`}>
              {texts.inputs[key]} {isOptional === true && <span class="hint">{texts.optional}</span>}
            </label>
            <input
              id={`${id}-${key}`}
              value={values.value[key] ?? ''}
              placeholder={placeholder}
              spellcheck={false}
              autocapitalize="none"
              onInput={({ currentTarget }) => {
                values.value = { ...values.value, [key]: currentTarget.value };
              }}
            />
          </div>
        ))}
        <div>
          <h3>{texts.preview}</h3>
          <ul class="preset-records">
            {added.map(({ name, type, content }) => (
              <li key={`${name} ${type} ${content}`}>
                <span>{name}</span> <b>{type}</b> <code>{content}</code>
              </li>
            ))}
          </ul>
          {isEmpty && (
            <p class="hint">{preset.inputs.some((input) => input.isOptional !== true) ? texts.fill : texts.present}</p>
          )}
        </div>
        {deleted.length > 0 && (
          <p class="note note-warning">
            {texts.replaces(deleted.map(({ content }) => content.replace(/\.$/, '')).join(', '))}
          </p>
        )}
        {mergesSpf && <p class="note note-good">{texts.mergesSpf}</p>}
        <div class="actions">
          <button type="submit" class="button button-main" aria-disabled={isEmpty}>
            {texts.add(added.length)}
          </button>
          <button type="button" class="button" onClick={onClose}>
            {TEXTS.cancel}
          </button>
        </div>
      </form>
    </Modal>
  );
}
