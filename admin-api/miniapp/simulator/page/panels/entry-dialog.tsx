/** Adds a key to the app's storage, or changes its value. */
import { useSignal } from '@preact/signals';
import { visible } from '../../../../ui/excerpt.ts';
import { Field } from '../../../../ui/parts/field.tsx';
import { Modal } from '../../../../ui/parts/modal.tsx';
import { TextArea } from '../../../../ui/parts/text-area.tsx';
import { useCommand } from '../parts/use-command.ts';
import { command } from '../server.ts';
import { TEXTS } from '../texts.ts';

interface EntryDialogProps {
  /** The key; null: a new one. */
  readonly name: string | null;
  readonly initial: string;
  readonly onClose: () => void;
}

export function EntryDialog({ name, initial, onClose }: EntryDialogProps) {
  const texts = TEXTS.storage;
  const key = useSignal(name ?? '');
  const value = useSignal(initial);
  const { run, failure, isRunning } = useCommand();
  const save = async (event: Event): Promise<void> => {
    event.preventDefault();
    if (await run(() => command('writeStorage', { key: key.value, value: value.value }))) onClose();
  };
  return (
    <Modal title={name === null ? texts.addTitle : texts.editTitle} onClose={onClose}>
      <form class="form" onSubmit={save}>
        {name === null ? (
          <Field label={texts.key} name="key" value={key} autocomplete="off" isFirst />
        ) : (
          <p>
            <code class="entry-key">{visible(name)}</code>
          </p>
        )}
        <TextArea
          label={texts.value}
          name="value"
          value={value}
          rows={8}
          isCode
          hint={texts.keep}
          fault={failure.value === '' ? undefined : failure.value}
        />
        <div class="actions">
          <button type="submit" class="button button-main" aria-disabled={isRunning.value}>
            {TEXTS.save}
          </button>
          <button type="button" class="button" onClick={onClose}>
            {TEXTS.cancel}
          </button>
        </div>
      </form>
    </Modal>
  );
}
