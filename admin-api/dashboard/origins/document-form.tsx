/** The whole document as JSON, for the settings that the form does not have. */
import { useSignal } from '@preact/signals';
import { announce } from '../../../core/browser/parts/announce.tsx';
import { TextArea } from '../../../core/browser/parts/text-area.tsx';
import type { OriginsEntryBody } from '../api/views.ts';
import { FailureNote } from '../parts/notes.tsx';
import { useForm } from '../parts/use-form.ts';
import { TEXTS } from '../texts.ts';
import type { OriginsPage } from './origins-page.ts';

export function DocumentForm({ page }: { readonly page: OriginsPage }) {
  const texts = TEXTS.origins.document;
  const json = useSignal(JSON.stringify(page.document.value?.origins ?? [], null, 2));
  const fault = useSignal<string | undefined>(undefined);
  const { isRunning, failure, submit } = useForm([], async () => {
    fault.value = undefined;
    let origins: unknown;
    try {
      origins = JSON.parse(json.value);
    } catch (error) {
      fault.value = texts.noJson((error as Error).message);
      return null;
    }
    // The API names what is wrong with other values.
    const result = await page.replace(
      Array.isArray(origins) ? (origins as OriginsEntryBody[]) : [origins as OriginsEntryBody],
    );
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
