/** The passkeys of the user: add, rename, remove. */
import { useSignal } from '@preact/signals';
import { announce } from '../../ui/parts/announce.tsx';
import { NameField } from '../../ui/parts/field.tsx';
import { Modal } from '../../ui/parts/modal.tsx';
import type { Passkey, Pointer } from '../api/views.ts';
import { api, settle } from '../api.ts';
import type { Failure } from '../failure.ts';
import { DialogActions } from '../parts/form-actions.tsx';
import { FailureNote } from '../parts/notes.tsx';
import { Skeleton } from '../parts/skeleton.tsx';
import { Time } from '../parts/time.tsx';
import { useForm } from '../parts/use-form.ts';
import { useResource } from '../parts/use-resource.ts';
import { TEXTS } from '../texts.ts';
import { describeBrowser } from '../user-agent.ts';
import { canUsePasskeys } from '../webauthn.ts';
import { IdentityDialog, type Proof } from './identity-dialog.tsx';

const texts = TEXTS.ownAccount.passkeys;

async function readPasskeys() {
  const result = await settle(api.GET('/api/v1/account/passkeys'));
  return result.ok ? { ...result, data: result.data.passkeys } : result;
}

export function PasskeyList({ needsCode }: { readonly needsCode: boolean }) {
  const { value, failure, load } = useResource(readPasskeys);
  const isAdding = useSignal(false);
  return (
    <section class="card">
      <h2>{texts.heading}</h2>
      <p>{texts.text}</p>
      {failure.value !== null && <FailureNote failure={failure.value} retry={load} />}
      {value.value === null && failure.value === null && <Skeleton />}
      {value.value?.length === 0 && <p class="hint">{texts.empty}</p>}
      {value.value !== null && value.value.length > 0 && (
        <ul class="items">
          {value.value.map((passkey) => (
            <PasskeyItem key={passkey.id} passkey={passkey} needsCode={needsCode} onChange={load} />
          ))}
        </ul>
      )}
      {canUsePasskeys() ? (
        <div class="actions">
          <button
            type="button"
            class="button"
            onClick={() => {
              isAdding.value = true;
            }}
          >
            {texts.add}
          </button>
        </div>
      ) : (
        <Unavailable />
      )}
      {isAdding.value && (
        <AddPasskey
          needsCode={needsCode}
          onDone={load}
          onClose={() => {
            isAdding.value = false;
          }}
        />
      )}
    </section>
  );
}

/** Shown if passkeys are unavailable at this address. Links to the same page at localhost. */
function Unavailable() {
  if (!('PublicKeyCredential' in window)) return <p class="note note-warning">{texts.unavailableElsewhere}</p>;
  const { protocol, port, pathname } = window.location;
  const address = `${protocol}//localhost${port === '' ? '' : `:${port}`}${pathname}`;
  return (
    <p class="note note-warning">
      {texts.unavailable} <a href={address}>{address}</a>
    </p>
  );
}

interface PasskeyItemProps {
  readonly passkey: Passkey;
  readonly needsCode: boolean;
  readonly onChange: () => void;
}

function PasskeyItem({ passkey, needsCode, onChange }: PasskeyItemProps) {
  const { id, name, host, synced, created_at, last_used_at } = passkey;
  const dialog = useSignal<'rename' | 'remove' | null>(null);
  const close = (): void => {
    dialog.value = null;
  };
  const remove = async (body: Proof): Promise<Failure | null> => {
    const params = { path: { passkey_id: id } };
    const result = await settle(api.DELETE('/api/v1/account/passkeys/{passkey_id}', { params, body }));
    if (!result.ok) return result.failure;
    close();
    announce(texts.removed(name));
    onChange();
    return null;
  };
  return (
    <li>
      <div>
        <p class="long">
          <strong>{name}</strong> {synced && <span class="badge">{texts.synced}</span>}
        </p>
        <p class="hint">
          {texts.host(host)} · {texts.created} <Time value={created_at} /> ·{' '}
          {last_used_at === null ? (
            texts.never
          ) : (
            <>
              {texts.used} <Time value={last_used_at} format="relative" />
            </>
          )}
        </p>
      </div>
      <div class="actions">
        <button
          type="button"
          class="button button-quiet"
          aria-label={texts.renameOf(name)}
          onClick={() => {
            dialog.value = 'rename';
          }}
        >
          {texts.rename}
        </button>
        <button
          type="button"
          class="button button-quiet"
          aria-label={texts.removeOf(name)}
          onClick={() => {
            dialog.value = 'remove';
          }}
        >
          {texts.remove}
        </button>
      </div>
      {dialog.value === 'rename' && <RenamePasskey passkey={passkey} onClose={close} onDone={onChange} />}
      {dialog.value === 'remove' && (
        <IdentityDialog
          title={texts.removeTitle(name)}
          explanation={texts.removeText}
          label={texts.remove}
          isBad
          needsCode={needsCode}
          send={remove}
          onClose={close}
        />
      )}
    </li>
  );
}

interface AddPasskeyProps {
  readonly needsCode: boolean;
  readonly onClose: () => void;
  readonly onDone: () => void;
}

/** Adds a passkey: asks for the password, creates the passkey, and sends it to the API. */
function AddPasskey({ needsCode, onClose, onDone }: AddPasskeyProps) {
  const name = useSignal(describeBrowser(navigator.userAgent));
  const add = async (proof: Proof): Promise<Failure | null> => {
    const begun = await settle(api.POST('/api/v1/account/passkeys/options', { body: proof }));
    if (!begun.ok) return begun.failure;
    const { createPasskey } = await import('../passkeys.ts');
    const created = await createPasskey(begun.data.options);
    if (!created.ok) return created.failure;
    const body = { name: name.value.trim(), ...created.fields };
    const result = await settle(api.POST('/api/v1/account/passkeys', { body }));
    if (!result.ok) return result.failure;
    announce(texts.added(body.name));
    onDone();
    onClose();
    return null;
  };
  return (
    <IdentityDialog
      title={texts.add}
      explanation={texts.addText}
      label={texts.submit}
      needsCode={needsCode}
      send={add}
      onClose={onClose}
      pointers={['/name' satisfies Pointer<'createPasskey'>]}
      renderFields={(faultOf) => (
        <NameField label={texts.name} hint={texts.nameHint} fault={faultOf('/name')} value={name} />
      )}
    />
  );
}

interface RenamePasskeyProps {
  readonly passkey: Passkey;
  readonly onClose: () => void;
  readonly onDone: () => void;
}

/** A dialog to rename a passkey. Renaming needs no password. */
function RenamePasskey({ passkey, onClose, onDone }: RenamePasskeyProps) {
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
        <NameField label={texts.name} fault={faultOf('/name')} value={name} />
        <DialogActions label={texts.save} isDisabled={isRunning.value} onCancel={onClose} />
      </form>
    </Modal>
  );
}
