/** The form that signs a zone with the key that signs it at another provider. */
import { useSignal } from '@preact/signals';
import { SelectField } from '../../ui/parts/select-field.tsx';
import { TextArea } from '../../ui/parts/text-area.tsx';
import type { Pointer } from '../api/views.ts';
import { api, settle } from '../api.ts';
import { FailureNote } from '../parts/notes.tsx';
import { useForm } from '../parts/use-form.ts';
import { TEXTS } from '../texts.ts';
import { DNSSEC, type DnssecPage } from './dnssec-page.ts';

/** Empty: the file of the key has it. */
const ALGORITHMS = (['', '8', '10'] as const).map((value) => ({ value, label: TEXTS.dnssec.rsaAlgorithms[value] }));

export function TakeOverForm({ page }: { readonly page: DnssecPage }) {
  const texts = TEXTS.dnssec;
  const privateKey = useSignal('');
  const dnskeys = useSignal('');
  const algorithm = useSignal('');
  const { isRunning, otherFailure, faultOf, submit } = useForm<Pointer<'setDnssec'>>(
    ['/private_key', '/algorithm'],
    async () => {
      const lines = dnskeys.value.split('\n').filter((line) => line.trim() !== '');
      const body = {
        enabled: true,
        private_key: privateKey.value,
        ...(lines.length > 0 && { foreign_keys: lines }),
        ...(algorithm.value !== '' && { algorithm: Number(algorithm.value) }),
      };
      const failure = await page.change(settle(api.PUT(DNSSEC, { params: page.params, body })));
      if (failure === null) privateKey.value = '';
      return failure;
    },
  );
  return (
    <details class="card">
      <summary>
        <h2>{texts.takeOver}</h2>
      </summary>
      <form class="form" onSubmit={submit}>
        <p>{texts.takeOverText}</p>
        {otherFailure !== null && <FailureNote failure={otherFailure} />}
        <TextArea
          label={texts.privateKey}
          hint={texts.privateKeyHint}
          fault={faultOf('/private_key')}
          value={privateKey}
          name="private_key"
          isCode
          rows={5}
        />
        <TextArea
          label={texts.otherKeys}
          hint={texts.otherKeysHint}
          value={dnskeys}
          name="foreign_keys"
          isCode
          rows={3}
        />
        <SelectField
          label={texts.rsaAlgorithm}
          hint={texts.rsaAlgorithmHint}
          fault={faultOf('/algorithm')}
          value={algorithm}
          name="rsa_algorithm"
          choices={ALGORITHMS}
        />
        <div class="actions">
          <button type="submit" class="button" aria-disabled={isRunning.value}>
            {texts.takeOverSign}
          </button>
        </div>
      </form>
    </details>
  );
}
