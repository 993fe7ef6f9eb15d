/** The storage of the app: its keys, their sizes, and changes by the user. */
import { useSignal } from '@preact/signals';
import { visible } from '../../../../ui/excerpt.ts';
import { Field } from '../../../../ui/parts/field.tsx';
import { Modal } from '../../../../ui/parts/modal.tsx';
import { TextArea } from '../../../../ui/parts/text-area.tsx';
import { LIMITS } from '../../../bridge/operations.ts';
import type { StorageEntry } from '../../protocol.ts';
import { Empty, PanelBar, SmallButton } from '../parts/panel.tsx';
import { useCommand } from '../parts/use-command.ts';
import { command, readStoredValue } from '../server.ts';
import { topics } from '../state.ts';
import { TEXTS } from '../texts.ts';

interface Edited {
  /** The key; null: a new one. */
  readonly name: string | null;
  readonly initial: string;
}

export function StoragePanel() {
  const texts = TEXTS.storage;
  const view = topics.storage.value;
  const edited = useSignal<Edited | null>(null);
  const isClearing = useSignal(false);
  const { run, failure } = useCommand();
  const edit = (key: string): Promise<boolean> =>
    run(async () => {
      const result = await readStoredValue(key);
      if (!result.ok) return result.message;
      edited.value = { name: key, initial: result.value ?? '' };
      return null;
    });
  if (view === null) return <Empty text={texts.empty} />;
  const { entries, keys, bytes, omitted } = view;
  return (
    <>
      <PanelBar>
        <div class="quota">
          <p>{texts.usage(bytes, LIMITS.storageTotal, keys)}</p>
          <progress aria-label={texts.quota} max={LIMITS.storageTotal} value={bytes} />
        </div>
        <SmallButton
          label={texts.add}
          onClick={() => {
            edited.value = { name: null, initial: '' };
          }}
        />
        {keys > 0 && (
          <SmallButton
            label={texts.clear}
            onClick={() => {
              isClearing.value = true;
            }}
          />
        )}
      </PanelBar>
      {failure.value !== '' && <p class="note note-bad">{failure.value}</p>}
      {entries.length === 0 && <Empty text={texts.empty} />}
      <ul class="entries">
        {entries.map((entry) => (
          <Entry
            key={entry.key}
            entry={entry}
            onEdit={() => edit(entry.key)}
            onDelete={() => run(() => command('deleteStorage', { key: entry.key }))}
          />
        ))}
      </ul>
      {omitted > 0 && <p class="hint">{texts.omitted(omitted)}</p>}
      {edited.value !== null && (
        <EntryDialog
          {...edited.value}
          onClose={() => {
            edited.value = null;
          }}
        />
      )}
      {isClearing.value && (
        <ClearDialog
          onClose={() => {
            isClearing.value = false;
          }}
        />
      )}
    </>
  );
}

interface EntryProps {
  readonly entry: StorageEntry;
  readonly onEdit: () => unknown;
  readonly onDelete: () => unknown;
}

function Entry({ entry: { key, preview, bytes }, onEdit, onDelete }: EntryProps) {
  const texts = TEXTS.storage;
  const name = visible(key);
  return (
    <li class="entry">
      <div class="entry-text">
        <p>
          <code class="entry-key">{name}</code> <span class="hint">{TEXTS.bytes(bytes)}</span>
        </p>
        <code class="entry-value">{visible(preview)}</code>
      </div>
      <div class="entry-actions">
        <SmallButton label={texts.editLabel} description={texts.edit(name)} onClick={onEdit} />
        <SmallButton label={texts.removeLabel} description={texts.remove(name)} onClick={onDelete} />
      </div>
    </li>
  );
}

function ClearDialog({ onClose }: { readonly onClose: () => void }) {
  const texts = TEXTS.storage;
  const { run, failure, isRunning } = useCommand();
  const clear = async (): Promise<void> => {
    if (await run(() => command('clearStorage', {}))) onClose();
  };
  return (
    <Modal title={texts.clearTitle} onClose={onClose}>
      <p>{texts.clearText}</p>
      {failure.value !== '' && <p class="fault">{failure.value}</p>}
      <div class="actions">
        <button type="button" class="button button-bad" aria-disabled={isRunning.value} onClick={() => void clear()}>
          {texts.clear}
        </button>
        <button type="button" class="button" onClick={onClose}>
          {TEXTS.cancel}
        </button>
      </div>
    </Modal>
  );
}

interface EntryDialogProps {
  /** The key; null: a new one. */
  readonly name: string | null;
  readonly initial: string;
  readonly onClose: () => void;
}

/** Adds a key to the app's storage, or changes its value. */
function EntryDialog({ name, initial, onClose }: EntryDialogProps) {
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
