/** The form that starts signing a zone. */
import { useSignal } from '@preact/signals';
import { SelectField } from '../../ui/parts/select-field.tsx';
import { api, settle } from '../api.ts';
import { FailureNote } from '../parts/notes.tsx';
import { useForm } from '../parts/use-form.ts';
import { TEXTS } from '../texts.ts';
import { DNSSEC, type DnssecPage } from './dnssec-page.ts';

const ALGORITHMS = (['13', '15'] as const).map((value) => ({ value, label: TEXTS.dnssec.algorithms[value] }));

export function SignForm({ page }: { readonly page: DnssecPage }) {
  const texts = TEXTS.dnssec;
  const algorithm = useSignal('13');
  const { isRunning, failure, submit } = useForm([], () => {
    const body = { enabled: true, algorithm: Number(algorithm.value) };
    return page.change(settle(api.PUT(DNSSEC, { params: page.params, body })));
  });
  return (
    <form class="card" onSubmit={submit}>
      <h2>{texts.off}</h2>
      <p>{texts.offText}</p>
      {failure.value !== null && <FailureNote failure={failure.value} />}
      <SelectField label={texts.algorithm} value={algorithm} name="algorithm" choices={ALGORITHMS} />
      <div class="actions">
        <button type="submit" class="button button-main" aria-disabled={isRunning.value}>
          {texts.enable}
        </button>
      </div>
    </form>
  );
}
