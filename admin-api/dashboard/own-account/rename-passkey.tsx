/** A dialog to rename a passkey. Renaming needs no password. */
import { useSignal } from '@preact/signals';
import { announce } from '../../ui/parts/announce.tsx';
import { Field } from '../../ui/parts/field.tsx';
import { Modal } from '../../ui/parts/modal.tsx';
import type { Passkey, Pointer } from '../api/views.ts';
import { api, settle } from '../api.ts';
import { DialogActions } from '../parts/dialog-actions.tsx';
import { FailureNote } from '../parts/notes.tsx';
import { useForm } from '../parts/use-form.ts';
import { TEXTS } from '../texts.ts';

const texts = TEXTS.ownAccount.passkeys;

interface RenamePasskeyProps {
  readonly passkey: Passkey;
  readonly onClose: () => void;
  readonly onDone: () => void;
}

export function RenamePasskey({ passkey, onClose, onDone }: RenamePasskeyProps) {
  const name = useSignal(passkey.name);
  const { isRunning, otherFailure, faultOf, submit } = useForm<Pointer<'renamePasskey'>>(['/name'], async () => {
    const options = { params: { path: { passkey_id: passkey.id } }, body: { name: name.value.trim() } };
    const result = await settle(api.PATCH('/api/v1/account/passkeys/{passkey_id}', options));
    if (!result.ok) return result.failure;
    announce(texts.renamed);
    onDone();
    onClose();
    return null;
  });
  return (
    <Modal title={texts.renameOf(passkey.name)} onClose={onClose}>
      <form class="form" onSubmit={submit}>
        {otherFailure !== null && <FailureNote failure={otherFailure} />}
        <Field
          label={texts.name}
          fault={faultOf('/name')}
          value={name}
          name="name"
          autocomplete="off"
          required
          isFirst
        />
        <DialogActions label={texts.save} isDisabled={isRunning.value} onCancel={onClose} />
      </form>
    </Modal>
  );
}
