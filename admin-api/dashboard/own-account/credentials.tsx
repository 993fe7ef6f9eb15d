/** E-mail address and password of the user. */
import { useSignal } from '@preact/signals';
import type { ComponentChildren } from 'preact';
import { announce } from '../../ui/parts/announce.tsx';
import { CheckField } from '../../ui/parts/check-field.tsx';
import { Field } from '../../ui/parts/field.tsx';
import type { Pointer } from '../api/views.ts';
import { api, settle } from '../api.ts';
import type { Failure } from '../failure.ts';
import type { FaultOf } from '../parts/use-form.ts';
import { TEXTS } from '../texts.ts';
import { IdentityDialog, type Proof } from './identity-dialog.tsx';

interface ChangeSectionProps<At extends string> {
  readonly heading: string;
  /** The current value. */
  readonly children: ComponentChildren;
  readonly labels: { readonly change: string; readonly submit: string };
  /** JSON pointer of the changed field. */
  readonly pointer: At;
  readonly renderFields: (faultOf: FaultOf<At>) => ComponentChildren;
  readonly needsCode: boolean;
  /** Called before the dialog opens, to set the fields. */
  readonly onOpen: () => void;
  /** Null on success. */
  readonly send: (proof: Proof) => Promise<Failure | null>;
  readonly onChange: () => void;
}

/** A section whose button opens a dialog with the fields of a change. */
function ChangeSection<At extends string>(props: ChangeSectionProps<At>) {
  const { heading, children, labels, pointer, renderFields, needsCode, onOpen, send, onChange } = props;
  const isOpen = useSignal(false);
  const close = (): void => {
    isOpen.value = false;
  };
  const change = async (proof: Proof): Promise<Failure | null> => {
    const failure = await send(proof);
    if (failure !== null) return failure;
    close();
    onChange();
    return null;
  };
  return (
    <section class="card">
      <h2>{heading}</h2>
      {children}
      <div class="actions">
        <button
          type="button"
          class="button"
          onClick={() => {
            onOpen();
            isOpen.value = true;
          }}
        >
          {labels.change}
        </button>
      </div>
      {isOpen.value && (
        <IdentityDialog
          title={labels.change}
          label={labels.submit}
          needsCode={needsCode}
          send={change}
          onClose={close}
          pointers={[pointer]}
          renderFields={renderFields}
        />
      )}
    </section>
  );
}

interface EmailProps {
  readonly email: string | null;
  readonly needsCode: boolean;
  readonly onChange: () => void;
}

export function Email({ email, needsCode, onChange }: EmailProps) {
  const texts = TEXTS.ownAccount.email;
  const address = useSignal('');
  const open = (): void => {
    address.value = email ?? '';
  };
  const send = async (proof: Proof): Promise<Failure | null> => {
    const wanted = address.value.trim();
    const body = { email: wanted === '' ? null : wanted, ...proof };
    const result = await settle(api.PATCH('/api/v1/account', { body }));
    if (!result.ok) return result.failure;
    announce(texts.changed);
    return null;
  };
  return (
    <ChangeSection
      heading={texts.heading}
      labels={texts}
      pointer={'/email' satisfies Pointer<'updateOwnAccount'>}
      needsCode={needsCode}
      onOpen={open}
      send={send}
      onChange={onChange}
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
    >
      <p class="long">{email ?? texts.none}</p>
    </ChangeSection>
  );
}

export function Password({ needsCode, onChange }: Pick<EmailProps, 'needsCode' | 'onChange'>) {
  const texts = TEXTS.ownAccount.newPassword;
  const chosen = useSignal('');
  const revokes = useSignal(false);
  const open = (): void => {
    chosen.value = '';
    revokes.value = false;
  };
  const send = async (proof: Proof): Promise<Failure | null> => {
    const body = { new_password: chosen.value, revoke_tokens: revokes.value, ...proof };
    const result = await settle(api.PUT('/api/v1/account/password', { body }));
    if (!result.ok) return result.failure;
    announce(texts.changed(result.data.sessions_ended));
    return null;
  };
  return (
    <ChangeSection
      heading={texts.heading}
      labels={texts}
      pointer={'/new_password' satisfies Pointer<'changeOwnPassword'>}
      needsCode={needsCode}
      onOpen={open}
      send={send}
      onChange={onChange}
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
    >
      <p>{texts.text}</p>
    </ChangeSection>
  );
}
