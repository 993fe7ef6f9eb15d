/** All rules as JSON, to write new ones and to change those that are there. */
import { useSignal } from '@preact/signals';
import { announce } from '../../../core/browser/parts/announce.tsx';
import { TextArea } from '../../../core/browser/parts/text-area.tsx';
import type { RuleBody } from '../api/views.ts';
import { FailureNote } from '../parts/notes.tsx';
import { useForm } from '../parts/use-form.ts';
import { TEXTS } from '../texts.ts';
import type { RulesPage } from './rules-page.ts';

export function RulesForm({ page }: { readonly page: RulesPage }) {
  const texts = TEXTS.rules.document;
  const json = useSignal(JSON.stringify(page.rules, null, 2));
  const fault = useSignal<string | undefined>(undefined);
  const { isRunning, failure, submit } = useForm([], async () => {
    fault.value = undefined;
    let rules: unknown;
    try {
      rules = JSON.parse(json.value);
    } catch (error) {
      fault.value = texts.noJson((error as Error).message);
      return null;
    }
    // The API names what is wrong with other values.
    const result = await page.replace(Array.isArray(rules) ? (rules as RuleBody[]) : [rules as RuleBody]);
    if (result === null) announce(texts.saved);
    return result;
  });
  return (
    <form class="card" onSubmit={submit}>
      <details>
        <summary>{texts.heading}</summary>
        <div class="form">
          <p>{texts.explanation}</p>
          {failure.value !== null && <FailureNote failure={failure.value} />}
          <TextArea label={texts.label} fault={fault.value} value={json} name="document" rows={16} isCode />
          <div class="actions">
            <button type="submit" class="button button-main" aria-disabled={isRunning.value}>
              {texts.save}
            </button>
          </div>
        </div>
      </details>
    </form>
  );
}
