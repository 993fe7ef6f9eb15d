/** Uploads a dropped or chosen package. */
import { useSignal } from '@preact/signals';
import { useEffect, useRef } from 'preact/hooks';
import { visible } from '../../ui/excerpt.ts';
import { announce } from '../../ui/parts/announce.tsx';
import { Labelled } from '../../ui/parts/labelled.tsx';
import { TextArea } from '../../ui/parts/text-area.tsx';
import type { Failure } from '../failure.ts';
import { formatBytes } from '../numbers.ts';
import { FailureNote } from '../parts/notes.tsx';
import { openPage } from '../router.ts';
import { session } from '../session.ts';
import { TEXTS } from '../texts.ts';
import { type Sending, sendPackage } from './use-upload.ts';

/** The form. Viewers get a note instead. */
export function UploadForm() {
  return session.value?.user.role === 'viewer' ? <p class="hint">{TEXTS.apps.readsOnly}</p> : <Form />;
}

function Form() {
  const texts = TEXTS.apps;
  const input = useRef<HTMLInputElement>(null);
  const sending = useRef<Sending | null>(null);
  const file = useSignal<File | null>(null);
  const notes = useSignal('');
  const isOver = useSignal(false);
  /** The sent fraction, from 0 to 1. Null: no upload. */
  const progress = useSignal<number | null>(null);
  const failure = useSignal<Failure | null>(null);
  useEffect(() => () => sending.current?.cancel(), []);

  const choose = (chosen: File | null): void => {
    file.value = chosen;
    failure.value = null;
  };
  const drop = (event: DragEvent): void => {
    event.preventDefault();
    isOver.value = false;
    const files = event.dataTransfer?.files;
    if (files === undefined || files.length === 0 || progress.value !== null) return;
    if (input.current !== null) input.current.files = files;
    choose(files[0]);
  };
  const submit = async (event: SubmitEvent): Promise<void> => {
    event.preventDefault();
    if (file.value === null || progress.value !== null) return;
    failure.value = null;
    progress.value = 0;
    const current = sendPackage(file.value, notes.value.trim(), (part) => {
      progress.value = part;
    });
    sending.current = current;
    const result = await current.result;
    const isCancelled = sending.current !== current;
    sending.current = null;
    progress.value = null;
    if (isCancelled) return;
    if (!result.ok) {
      failure.value = result.failure;
      return;
    }
    announce(texts.uploaded);
    openPage('upload', { upload_id: result.data.id });
  };
  const cancel = (): void => {
    const current = sending.current;
    sending.current = null;
    current?.cancel();
  };

  return (
    <form
      class={isOver.value ? 'card drop drop-over' : 'card drop'}
      onSubmit={submit}
      onDragOver={(event) => {
        event.preventDefault();
        isOver.value = true;
      }}
      onDragLeave={() => {
        isOver.value = false;
      }}
      onDrop={drop}
    >
      <h2>{texts.upload}</h2>
      {failure.value !== null && <FailureNote failure={failure.value} />}
      <Labelled
        label={texts.file}
        hint={
          file.value === null ? texts.fileHint : texts.chosen(visible(file.value.name), formatBytes(file.value.size))
        }
        renderControl={(attributes) => (
          <input
            {...attributes}
            ref={input}
            type="file"
            name="package"
            accept=".pkg"
            onChange={(event) => choose(event.currentTarget.files?.[0] ?? null)}
          />
        )}
      />
      {file.value !== null && (
        <>
          <TextArea label={texts.notes} hint={texts.notesHint} value={notes} name="notes" rows={3} />
          <div class="actions">
            <button type="submit" class="button button-main" aria-disabled={progress.value !== null}>
              {progress.value === null ? texts.submit : texts.submitting}
            </button>
            {progress.value !== null && (
              <>
                <progress aria-label={texts.progress} value={progress.value} max={1} />
                <button type="button" class="button" onClick={cancel}>
                  {TEXTS.cancel}
                </button>
              </>
            )}
          </div>
          <p class="hint" role="status">
            {progress.value === 1 && texts.auditing}
          </p>
        </>
      )}
    </form>
  );
}
