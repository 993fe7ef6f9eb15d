/** Appends the rules of a template to those of the domain. */
import { useSignal } from '@preact/signals';
import { announce } from '../../ui/parts/announce.tsx';
import { SelectField } from '../../ui/parts/select-field.tsx';
import { FailureNote } from '../parts/notes.tsx';
import { useForm } from '../parts/use-form.ts';
import { TEXTS } from '../texts.ts';
import type { RulesPage } from './rules-page.ts';

export function AddTemplate({ page }: { readonly page: RulesPage }) {
  const texts = TEXTS.rules.add;
  const templates = page.templates.value;
  const name = useSignal(templates[0]?.name ?? '');
  const chosen = templates.find((template) => template.name === name.value);
  const { isRunning, failure, submit } = useForm([], async () => {
    if (chosen === undefined) return null;
    const result = await page.changeRules([...page.rules, ...chosen.rules]);
    if (result === null) announce(texts.added(chosen.title));
    return result;
  });
  const choices = templates.map((template) => ({ value: template.name, label: template.title }));
  return (
    <form class="card" onSubmit={submit}>
      <h2>{texts.heading}</h2>
      {failure.value !== null && <FailureNote failure={failure.value} />}
      <SelectField label={texts.template} value={name} name="template" choices={choices} />
      {chosen !== undefined && <p class="hint">{chosen.description}</p>}
      <div class="actions">
        <button type="submit" class="button button-main" aria-disabled={isRunning.value}>
          {texts.submit}
        </button>
      </div>
    </form>
  );
}
