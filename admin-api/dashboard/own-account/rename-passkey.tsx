/** A dialog to rename a passkey, which needs no password. */
import { useSignal } from '@preact/signals';
import type { Passkey } from '../api/views.ts';
import { api, settle } from '../api.ts';
import { type Failure, faultsOf } from '../failure.ts';
import { announce } from '../parts/announce.tsx';
import { Field } from '../parts/field.tsx';
import { Modal } from '../parts/modal.tsx';
import { FailureNote } from '../parts/notes.tsx';
import { TEXTS } from '../texts.ts';

const texts = TEXTS.ownAccount.passkeys;

interface RenamePasskeyProps {
  readonly passkey: Passkey;
  readonly onClose: () => void;
  readonly onDone: () => void;
}

export function RenamePasskey({ passkey, onClose, onDone }: RenamePasskeyProps) {
  const name = useSignal(passkey.name);
  const isSending = useSignal(false);
  const failure = useSignal<Failure | null>(null);
  const submit = async (event: SubmitEvent): Promise<void> => {
    event.preventDefault();
    if (isSending.value) return;
    isSending.value = true;
    const options = { params: { path: { passkey_id: passkey.id } }, body: { name: name.value.trim() } };
    const result = await settle(api.PATCH('/api/v1/account/passkeys/{passkey_id}', options));
    isSending.value = false;
    failure.value = result.ok ? null : result.failure;
    if (!result.ok) return;
    announce(texts.renamed);
    onDone();
    onClose();
  };
  const fault = faultsOf(failure.value).get('/name');
  return (
    <Modal title={texts.renameOf(passkey.name)} onClose={onClose}>
      <form class="form" onSubmit={submit}>
        {failure.value !== null && fault === undefined && <FailureNote failure={failure.value} />}
        <Field label={texts.name} fault={fault} value={name} name="name" autocomplete="off" required isFirst />
        <div class="actions">
          <button type="submit" class="button button-main" aria-disabled={isSending.value}>
            {texts.save}
          </button>
          <button type="button" class="button" onClick={onClose}>
            {TEXTS.cancel}
          </button>
        </div>
      </form>
    </Modal>
  );
}
