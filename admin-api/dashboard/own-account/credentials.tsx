/** E-mail address and password of the user. */
import { useSignal } from '@preact/signals';
import { api, settle } from '../api.ts';
import type { Failure } from '../failure.ts';
import { announce } from '../parts/announce.tsx';
import { CheckField } from '../parts/check-field.tsx';
import { Field } from '../parts/field.tsx';
import { TEXTS } from '../texts.ts';
import { IdentityDialog, type Proof } from './identity-dialog.tsx';

interface EmailProps {
  readonly email: string | null;
  readonly onChange: () => void;
}

export function Email({ email, onChange }: EmailProps) {
  const texts = TEXTS.ownAccount.email;
  const isOpen = useSignal(false);
  const address = useSignal('');
  const send = async ({ password }: Proof): Promise<Failure | null> => {
    const wanted = address.value.trim();
    const body = { password, email: wanted === '' ? null : wanted };
    const result = await settle(api.PATCH('/api/v1/account', { body }));
    if (!result.ok) return result.failure;
    isOpen.value = false;
    announce(texts.changed);
    onChange();
    return null;
  };
  return (
    <section class="card">
      <h2>{texts.heading}</h2>
      <p class="long">{email ?? texts.none}</p>
      <div class="actions">
        <button
          type="button"
          class="button"
          onClick={() => {
            address.value = email ?? '';
            isOpen.value = true;
          }}
        >
          {texts.change}
        </button>
      </div>
      {isOpen.value && (
        <IdentityDialog
          title={texts.change}
          label={texts.submit}
          send={send}
          onClose={() => {
            isOpen.value = false;
          }}
          pointers={['/email']}
          renderFields={(faultOf) => (
            <Field
              label={texts.address}
              hint={texts.addressHint}
              fault={faultOf('/email')}
              value={address}
              name="email"
              autocomplete="email"
              inputmode="email"
              isFirst
            />
          )}
        />
      )}
    </section>
  );
}

export function Password({ onChange }: { readonly onChange: () => void }) {
  const texts = TEXTS.ownAccount.newPassword;
  const isOpen = useSignal(false);
  const chosen = useSignal('');
  const revokes = useSignal(false);
  const send = async ({ password }: Proof): Promise<Failure | null> => {
    const body = { password, new_password: chosen.value, revoke_tokens: revokes.value };
    const result = await settle(api.PUT('/api/v1/account/password', { body }));
    if (!result.ok) return result.failure;
    isOpen.value = false;
    announce(texts.changed(result.data.sessions_ended));
    onChange();
    return null;
  };
  return (
    <section class="card">
      <h2>{texts.heading}</h2>
      <p>{texts.text}</p>
      <div class="actions">
        <button
          type="button"
          class="button"
          onClick={() => {
            chosen.value = '';
            revokes.value = false;
            isOpen.value = true;
          }}
        >
          {texts.change}
        </button>
      </div>
      {isOpen.value && (
        <IdentityDialog
          title={texts.change}
          label={texts.submit}
          send={send}
          onClose={() => {
            isOpen.value = false;
          }}
          pointers={['/new_password']}
          renderFields={(faultOf) => (
            <>
              <Field
                label={texts.password}
                hint={texts.passwordHint}
                fault={faultOf('/new_password')}
                value={chosen}
                name="new-password"
                type="password"
                autocomplete="new-password"
                required
                isFirst
              />
              <CheckField label={texts.revoke} value={revokes} name="revoke" />
            </>
          )}
        />
      )}
    </section>
  );
}
