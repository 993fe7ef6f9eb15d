/** The whole list of a document as JSON, for settings that other forms lack. */
import { useSignal } from '@preact/signals';
import { announce } from '../../ui/parts/announce.tsx';
import { TextArea } from '../../ui/parts/text-area.tsx';
import type { Failure } from '../failure.ts';
import { FailureNote } from '../parts/notes.tsx';
import { useForm } from '../parts/use-form.ts';

interface JsonFormProps<Item> {
  readonly texts: {
    readonly heading: string;
    readonly explanation: string;
    readonly label: string;
    readonly save: string;
    readonly saved: string;
    readonly noJson: (reason: string) => string;
  };
  readonly items: readonly unknown[];
  /** Null on success. */
  readonly replace: (items: readonly Item[]) => Promise<Failure | null>;
}

export function JsonForm<Item>({ texts, items, replace }: JsonFormProps<Item>) {
  const json = useSignal(JSON.stringify(items, null, 2));
  const fault = useSignal<string | undefined>(undefined);
  const { isRunning, failure, submit } = useForm([], async () => {
    fault.value = undefined;
    let value: unknown;
    try {
      value = JSON.parse(json.value);
    } catch (error) {
      fault.value = texts.noJson((error as Error).message);
      return null;
    }
    // The API reports the faults of values that are not a list.
    const result = await replace((Array.isArray(value) ? value : [value]) as Item[]);
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
