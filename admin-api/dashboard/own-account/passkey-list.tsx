/** The passkeys of the user: add, rename, remove. */
import { useSignal } from '@preact/signals';
import { announce } from '../../ui/parts/announce.tsx';
import type { Passkey } from '../api/views.ts';
import { api, settle } from '../api.ts';
import type { Failure } from '../failure.ts';
import { FailureNote } from '../parts/notes.tsx';
import { Skeleton } from '../parts/skeleton.tsx';
import { Time } from '../parts/time.tsx';
import { useResource } from '../parts/use-resource.ts';
import { TEXTS } from '../texts.ts';
import { canUsePasskeys } from '../webauthn.ts';
import { AddPasskey } from './add-passkey.tsx';
import { IdentityDialog, type Proof } from './identity-dialog.tsx';
import { RenamePasskey } from './rename-passkey.tsx';

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
              {texts.used} <Time value={last_used_at} />
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
