/** The number of edits, and the dialog that shows and saves them. */
import { useSignal } from '@preact/signals';
import { useEffect, useRef } from 'preact/hooks';
import { announce } from '../../ui/parts/announce.tsx';
import { Modal } from '../../ui/parts/modal.tsx';
import { DiffEntry } from '../parts/diff-entry.tsx';
import { FailureNote } from '../parts/notes.tsx';
import { hasCommand, useShortcut } from '../parts/shortcuts.ts';
import { TEXTS } from '../texts.ts';
import { BulkPreview } from './bulk-preview.tsx';
import { type Edits, type Fields, type FullContents, fullContent, hasConflicts, NO_EDITS } from './edits.ts';
import type { ZoneEditor } from './zone-editor.ts';
import { diffLines } from './zone-line.ts';

export function SaveBar({ editor }: { readonly editor: ZoneEditor }) {
  const texts = TEXTS.saving;
  const isReviewing = useSignal(false);
  const isDiscarding = useSignal(false);
  const count = editor.count.value;
  const save = async (): Promise<void> => {
    const isUndo = editor.isUndoing.peek();
    if (!(await editor.save())) return;
    isReviewing.value = false;
    if (isUndo) announce(texts.undone);
    focusRecord(editor.saved.peek()?.ids ?? []);
  };
  const undo = async (): Promise<void> => {
    const ids = editor.saved.peek()?.ids ?? [];
    if (await editor.undo()) {
      announce(texts.undone);
      focusRecord(ids);
    } else if (editor.count.peek() > 0) isReviewing.value = true;
  };
  useShortcut(
    's',
    TEXTS.help.save,
    () => {
      if (editor.count.peek() > 0) isReviewing.value = true;
    },
    { isCommand: true },
  );
  const saved = editor.saved.value;
  // The message is closed by the next edit, which sets `saved` to null.
  useEffect(() => {
    if (saved === null) return;
    return announce(texts.saved(saved.count), { label: texts.undo, run: undo, close: texts.closeMessage });
  }, [saved]);
  const changed = editor.changed.value;
  // Closed by the next edit as well, so that an undo never takes back a later edit.
  useEffect(() => {
    if (changed === null) return;
    const undoMany = async (): Promise<void> => {
      await editor.undoMany();
      announce(texts.undone);
    };
    return announce(changed.text, { label: texts.undo, run: undoMany, close: texts.closeMessage });
  }, [changed]);
  useEffect(
    () => () => {
      editor.saved.value = null;
      editor.changed.value = null;
    },
    [editor],
  );
  return (
    <>
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
          <button
            type="button"
            class="button"
            onClick={() => {
              isDiscarding.value = true;
            }}
          >
            {texts.discardAll}
          </button>
        </section>
      )}
      {isDiscarding.value && (
        <BulkPreview
          editor={editor}
          change={{
            title: texts.discardTitle,
            edits: NO_EDITS,
            label: texts.discardSubmit,
            done: texts.discarded,
            isBad: true,
          }}
          explanation={texts.discardText}
          onClose={() => {
            isDiscarding.value = false;
          }}
        />
      )}
      {isReviewing.value && count > 0 && (
        <Modal
          title={texts.title}
          onClose={() => {
            isReviewing.value = false;
          }}
        >
          <SaveShortcut save={save} />
          <p>{texts.explanation}</p>
          {hasConflicts(editor.edits.value) && (
            <p class="note note-bad" role="alert">
              {editor.isUndoing.value ? texts.undoConflict : texts.conflict}
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
            {editor.isUndoing.value && (
              <button
                type="button"
                class="button"
                onClick={() => {
                  isReviewing.value = false;
                  editor.discard();
                }}
              >
                {texts.discard}
              </button>
            )}
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

/** In the dialog, the same keys that have opened it save. */
function SaveShortcut({ save }: { readonly save: () => Promise<void> }) {
  const sign = useRef<HTMLSpanElement>(null);
  useEffect(() => {
    const dialog = sign.current?.closest('dialog');
    const listen = (event: KeyboardEvent): void => {
      if (!hasCommand(event, 's')) return;
      event.preventDefault();
      if (!event.repeat) void save();
    };
    dialog?.addEventListener('keydown', listen);
    return () => dialog?.removeEventListener('keydown', listen);
  });
  return <span ref={sign} hidden />;
}

/** After a save, the keyboard continues at one of the records, or else at the search. */
function focusRecord(ids: readonly number[]): void {
  requestAnimationFrame(() => {
    const buttons = ids.map((id) => document.querySelector<HTMLElement>(`tr[data-record="${id}"] .button-edit`));
    const target = buttons.find((button) => button !== null) ?? document.querySelector<HTMLElement>('.tools input');
    target?.focus();
  });
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
  const lines = diffLines(before, after);
  return (
    <DiffEntry before={lines.before} after={lines.after}>
      {hasConflict && <span class="badge badge-conflict">{TEXTS.records.states.conflict}</span>}
    </DiffEntry>
  );
}
