/** The number of edits, and the dialog that shows and saves them. */
import { useSignal } from '@preact/signals';
import { Modal } from '../../ui/parts/modal.tsx';
import { DiffEntry } from '../parts/diff-entry.tsx';
import { FailureNote } from '../parts/notes.tsx';
import { TEXTS } from '../texts.ts';
import { type Edits, type Fields, type FullContents, fullContent, hasConflicts } from './edits.ts';
import type { ZoneEditor } from './zone-editor.ts';
import { zoneLine } from './zone-line.ts';

export function SaveBar({ editor }: { readonly editor: ZoneEditor }) {
  const texts = TEXTS.saving;
  const isReviewing = useSignal(false);
  const count = editor.count.value;
  const save = async (): Promise<void> => {
    if (await editor.save()) isReviewing.value = false;
  };
  return (
    <>
      {editor.saved.value !== null && <SavedNote editor={editor} />}
      {count > 0 && (
        <section class="save-bar" aria-label={texts.title}>
          <div>
            <p role="status">{texts.pending(count)}</p>
            {!isReviewing.value && hasConflicts(editor.edits.value) && (
              <p class="fault" role="alert">
                {texts.conflictPending}
              </p>
            )}
          </div>
          <button
            type="button"
            class="button button-main"
            onClick={() => {
              isReviewing.value = true;
            }}
          >
            {texts.review}
          </button>
          <button type="button" class="button" onClick={() => editor.discard()}>
            {texts.discard}
          </button>
        </section>
      )}
      {isReviewing.value && count > 0 && (
        <Modal
          title={texts.title}
          onClose={() => {
            isReviewing.value = false;
          }}
        >
          <p>{texts.explanation}</p>
          {hasConflicts(editor.edits.value) && (
            <p class="note note-bad" role="alert">
              {texts.conflict}
            </p>
          )}
          {editor.saveFailure.value !== null && !hasConflicts(editor.edits.value) && (
            <FailureNote failure={editor.saveFailure.value} />
          )}
          <Diff edits={editor.edits.value} contents={editor.fullContents.value} />
          <div class="actions">
            <button type="button" class="button button-main" aria-disabled={editor.isSaving.value} onClick={save}>
              {editor.isSaving.value ? texts.saving : texts.save(count)}
            </button>
            <button
              type="button"
              class="button"
              onClick={() => {
                isReviewing.value = false;
              }}
            >
              {TEXTS.close}
            </button>
          </div>
        </Modal>
      )}
    </>
  );
}

function SavedNote({ editor }: { readonly editor: ZoneEditor }) {
  const { count, inverse } = editor.saved.value!;
  return (
    <div class="note note-good" role="status">
      <p>{TEXTS.saving.saved(count)}</p>
      {inverse !== null && (
        <button type="button" class="button" aria-disabled={editor.isSaving.value} onClick={() => editor.undo()}>
          {TEXTS.saving.undo}
        </button>
      )}
    </div>
  );
}

/** Like a diff of the zone file. */
function Diff({ edits, contents }: { readonly edits: Edits; readonly contents: FullContents }) {
  const whole = (fields: Fields | null): Fields | null =>
    fields && { ...fields, content: fullContent(contents, fields) };
  return (
    // biome-ignore lint/a11y/noNoninteractiveTabindex: a list that scrolls is reached by keyboard
    <ul class="diff" tabIndex={0} aria-label={TEXTS.saving.diff}>
      {[...edits.changes.values()].map(({ before, after, hasConflict }) => (
        <EditEntry key={before.id} before={before} after={whole(after)} hasConflict={hasConflict} />
      ))}
      {edits.additions.map(({ key, fields, hasConflict }) => (
        <EditEntry key={`added ${key}`} before={null} after={whole(fields)} hasConflict={hasConflict} />
      ))}
    </ul>
  );
}

interface EditEntryProps {
  readonly before: Fields | null;
  readonly after: Fields | null;
  readonly hasConflict: boolean;
}

function EditEntry({ before, after, hasConflict }: EditEntryProps) {
  return (
    <DiffEntry before={before && zoneLine(before)} after={after && zoneLine(after)}>
      {hasConflict && <span class="badge badge-conflict">{TEXTS.records.states.conflict}</span>}
    </DiffEntry>
  );
}
