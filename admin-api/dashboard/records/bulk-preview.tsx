/** Shows what an action changes before it is done for many records. */
import { Modal } from '../../ui/parts/modal.tsx';
import { DiffEntry } from '../parts/diff-entry.tsx';
import { DialogActions } from '../parts/form-actions.tsx';
import { TEXTS } from '../texts.ts';
import { differences, type Edits } from './edits.ts';
import type { ZoneEditor } from './zone-editor.ts';
import { diffLines } from './zone-line.ts';

/** Changes that are listed. */
const LISTED = 200;

export interface BulkChange {
  readonly title: string;
  /** The edits after the action. */
  readonly edits: Edits;
  /** Label of the button. `count`: changed records. */
  readonly label: (count: number) => string;
  /** The message afterwards. */
  readonly done: (count: number) => string;
  readonly isBad?: boolean;
}

interface BulkPreviewProps {
  readonly editor: ZoneEditor;
  readonly change: BulkChange;
  readonly explanation: string;
  readonly onClose: () => void;
}

export function BulkPreview({ editor, change, explanation, onClose }: BulkPreviewProps) {
  const texts = TEXTS.records.preview;
  const { title, edits, label, done, isBad } = change;
  const changed = differences(editor.edits.value, edits);
  const count = changed.length;
  const submit = (event: Event): void => {
    event.preventDefault();
    if (count === 0) return;
    editor.editMany(edits, done(count));
    onClose();
  };
  return (
    <Modal title={title} onClose={onClose}>
      <form class="form" onSubmit={submit}>
        <p>{count === 0 ? texts.nothing : explanation}</p>
        {count > 0 && (
          // biome-ignore lint/a11y/noNoninteractiveTabindex: scrolled by keyboard
          <ul class="diff" tabIndex={0} aria-label={TEXTS.saving.diff}>
            {changed.slice(0, LISTED).map(({ key, before, after }) => {
              const lines = diffLines(before, after);
              return <DiffEntry key={key} before={lines.before} after={lines.after} />;
            })}
          </ul>
        )}
        {count > LISTED && <p class="hint">{texts.more(count - LISTED)}</p>}
        <DialogActions label={label(count)} isBad={isBad} isDisabled={count === 0} onCancel={onClose} />
      </form>
    </Modal>
  );
}
