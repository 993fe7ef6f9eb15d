/** Adds a domain, then shows what to enter at the registrar. */
import { useSignal } from '@preact/signals';
import { useEffect } from 'preact/hooks';
import { CheckField } from '../../ui/parts/check-field.tsx';
import { Field } from '../../ui/parts/field.tsx';
import { type Choice, SelectField } from '../../ui/parts/select-field.tsx';
import type { Pointer } from '../api/views.ts';
import { api, settle } from '../api.ts';
import { FormActions } from '../parts/form-actions.tsx';
import { FailureNote } from '../parts/notes.tsx';
import { usePageTitle } from '../parts/title.ts';
import { useForm } from '../parts/use-form.ts';
import { openPage } from '../router.ts';
import { isReader } from '../session.ts';
import { TEXTS } from '../texts.ts';

export function AddDomain() {
  const texts = TEXTS.addDomain;
  usePageTitle(texts.title);
  const name = useSignal('');
  const isSecondary = useSignal(false);
  const primaries = useSignal('');
  const tsigKey = useSignal('');
  const keys = useSignal<readonly Choice[]>([]);
  useEffect(() => {
    if (isSecondary.value)
      void readKeys().then((choices) => {
        keys.value = choices;
      });
  }, [isSecondary.value]);
  const pointers = ['/domain', '/primaries', '/primaries/0/address', '/primaries/0/tsig_key_id'] as const;
  const { isRunning, otherFailure, faultOf, submit } = useForm<Pointer<'createDomain'>>(pointers, async () => {
    const tsig_key_id = tsigKey.value === '' ? null : Number(tsigKey.value);
    const addresses = primaries.value.split(',').map((address) => address.trim());
    const body = {
      domain: name.value.trim(),
      ...(isSecondary.value && {
        kind: 'secondary' as const,
        primaries: addresses.filter((address) => address !== '').map((address) => ({ address, tsig_key_id })),
      }),
    };
    const result = await settle(api.POST('/api/v1/domains', { body }));
    if (!result.ok) return result.failure;
    openPage(isSecondary.value ? 'records' : 'setUp', { domain_id: result.data.domain.id });
    return null;
  });

  if (isReader.value) return <p class="hint">{TEXTS.readsOnly}</p>;
  return (
    <form class="card narrow" onSubmit={submit}>
      <h1>{texts.title}</h1>
      {otherFailure !== null && <FailureNote failure={otherFailure} />}
      <Field
        label={texts.name}
        hint={texts.nameHint}
        fault={faultOf('/domain')}
        value={name}
        name="domain"
        autocomplete="off"
        required
        isFirst
      />
      <CheckField label={texts.isSecondary} hint={texts.isSecondaryHint} value={isSecondary} name="secondary" />
      {isSecondary.value && (
        <>
          <Field
            label={texts.primaries}
            hint={texts.primariesHint}
            fault={faultOf('/primaries') ?? faultOf('/primaries/0/address')}
            value={primaries}
            name="primaries"
            autocomplete="off"
            required
          />
          <SelectField
            label={texts.tsigKey}
            hint={texts.tsigKeyHint}
            fault={faultOf('/primaries/0/tsig_key_id')}
            value={tsigKey}
            name="tsig-key"
            choices={[{ value: '', label: texts.noTsigKey }, ...keys.value]}
          />
        </>
      )}
      <FormActions isRunning={isRunning.value} runningLabel={texts.submitting} label={texts.submit} from="domains" />
    </form>
  );
}

/** The TSIG keys of the account by name. Empty: there are none, or they cannot be read. */
async function readKeys(): Promise<Choice[]> {
  const result = await settle(api.GET('/api/v1/tsig-keys', { params: { query: { sort: 'name' } } }));
  if (!result.ok) return [];
  const { tsig_keys } = result.data;
  const hasNamesake = (name: string): boolean => tsig_keys.filter((key) => key.name === name).length > 1;
  return tsig_keys.map(({ id, name, algorithm }) => ({
    value: String(id),
    label: hasNamesake(name) ? `${name} (${algorithm}, ${id})` : name,
  }));
}
