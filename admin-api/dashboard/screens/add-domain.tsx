/** Adds a domain, then shows what to enter at the registrar. */
import { useSignal } from '@preact/signals';
import { addressOf } from '../addresses.ts';
import { api, settle } from '../api.ts';
import type { Failure } from '../failure.ts';
import { Field } from '../parts/field.tsx';
import { FailureNote } from '../parts/notes.tsx';
import { usePageTitle } from '../parts/title.ts';
import { openPage } from '../router.ts';
import { isReader } from '../session.ts';
import { TEXTS } from '../texts.ts';

export function AddDomain() {
  const texts = TEXTS.addDomain;
  usePageTitle(texts.title);
  const name = useSignal('');
  const isSending = useSignal(false);
  const failure = useSignal<Failure | null>(null);

  const submit = async (event: SubmitEvent): Promise<void> => {
    event.preventDefault();
    if (isSending.value) return;
    isSending.value = true;
    failure.value = null;
    const result = await settle(api.POST('/api/v1/domains', { body: { domain: name.value.trim() } }));
    isSending.value = false;
    if (result.ok) openPage('setUp', { domain_id: result.data.domain.id });
    else failure.value = result.failure;
  };

  if (isReader.value) return <p class="hint">{TEXTS.readsOnly}</p>;
  const isField = failure.value?.pointer === '/domain';
  return (
    <form class="card narrow" onSubmit={submit}>
      <h1>{texts.title}</h1>
      {failure.value !== null && !isField && <FailureNote failure={failure.value} />}
      <Field
        label={texts.name}
        hint={texts.nameHint}
        fault={isField ? failure.value?.message : undefined}
        value={name}
        name="domain"
        autocomplete="off"
        required
        isFirst
      />
      <div class="actions">
        <button type="submit" class="button button-main" aria-disabled={isSending.value}>
          {isSending.value ? texts.submitting : texts.submit}
        </button>
        <a class="button button-quiet" href={addressOf('domains')}>
          {TEXTS.cancel}
        </a>
      </div>
    </form>
  );
}
