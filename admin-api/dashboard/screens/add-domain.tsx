/** Adds a domain, then shows what to enter at the registrar. */
import { useSignal } from '@preact/signals';
import { Field } from '../../../core/browser/parts/field.tsx';
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
  const { isRunning, otherFailure, faultOf, submit } = useForm(['/domain'], async () => {
    const result = await settle(api.POST('/api/v1/domains', { body: { domain: name.value.trim() } }));
    if (!result.ok) return result.failure;
    openPage('setUp', { domain_id: result.data.domain.id });
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
      <FormActions isRunning={isRunning.value} runningLabel={texts.submitting} label={texts.submit} from="domains" />
    </form>
  );
}
