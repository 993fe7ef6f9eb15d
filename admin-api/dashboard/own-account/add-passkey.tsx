/** Adds a passkey: asks for the password, creates the passkey, and sends it to the API. */
import { useSignal } from '@preact/signals';
import { announce } from '../../ui/parts/announce.tsx';
import { Field } from '../../ui/parts/field.tsx';
import type { Pointer } from '../api/views.ts';
import { api, settle } from '../api.ts';
import type { Failure } from '../failure.ts';
import { TEXTS } from '../texts.ts';
import { describeBrowser } from '../user-agent.ts';
import { IdentityDialog, type Proof } from './identity-dialog.tsx';

const texts = TEXTS.ownAccount.passkeys;

interface AddPasskeyProps {
  readonly needsCode: boolean;
  readonly onClose: () => void;
  readonly onDone: () => void;
}

export function AddPasskey({ needsCode, onClose, onDone }: AddPasskeyProps) {
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
        <Field
          label={texts.name}
          hint={texts.nameHint}
          fault={faultOf('/name')}
          value={name}
          name="name"
          autocomplete="off"
          required
          isFirst
        />
      )}
    />
  );
}
