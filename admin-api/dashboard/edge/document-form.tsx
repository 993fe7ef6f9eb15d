/** The form of a document, with a single save button. Its JSON takes the place of the fields. */
import { useSignal } from '@preact/signals';
import type { ComponentChildren } from 'preact';
import { announce } from '../../ui/parts/announce.tsx';
import { TextArea } from '../../ui/parts/text-area.tsx';
import type { Failure } from '../failure.ts';
import { FailureNote } from '../parts/notes.tsx';
import { type FaultOf, useForm } from '../parts/use-form.ts';
import { TEXTS } from '../texts.ts';

interface DocumentFormProps<Pointer extends string, Body> {
  /** JSON pointers of the fields that show faults next to them. */
  readonly pointers: readonly Pointer[];
  /** The document as the fields have it. */
  readonly read: () => Body;
  /** Null on success. */
  readonly replace: (body: Body) => Promise<Failure | null>;
  readonly render: (faultOf: FaultOf<Pointer>) => ComponentChildren;
}

export function DocumentForm<Pointer extends string, Body>({
  pointers,
  read,
  replace,
  render,
}: DocumentFormProps<Pointer, Body>) {
  const texts = TEXTS.siteDocuments;
  /** Null: the fields are shown. */
  const json = useSignal<string | null>(null);
  const text = useSignal('');
  const fault = useSignal<string | undefined>(undefined);
  const { isRunning, failure, otherFailure, faultOf, submit } = useForm(pointers, async () => {
    fault.value = undefined;
    let body: Body;
    try {
      body = json.value === null ? read() : JSON.parse(text.value);
    } catch (error) {
      fault.value = texts.noJson((error as Error).message);
      return null;
    }
    const result = await replace(body);
    if (result === null) announce(texts.saved);
    return result;
  });
  const isJson = json.value !== null;
  const shown = isJson ? failure.value : otherFailure;
  const toggle = (): void => {
    failure.value = null;
    fault.value = undefined;
    json.value = isJson ? null : JSON.stringify(read(), null, 2);
    text.value = json.value ?? '';
  };
  return (
    <form class="stack" noValidate={isJson} onSubmit={submit}>
      {/* The fields stay, so that they have their values when they are shown again. */}
      <div class={isJson ? undefined : 'stack'} hidden={isJson}>
        {render(faultOf)}
      </div>
      {isJson && (
        <section class="card">
          <TextArea
            label={texts.json}
            hint={texts.jsonHint}
            fault={fault.value}
            value={text}
            name="document"
            rows={24}
            isCode
          />
        </section>
      )}
      {shown !== null && <FailureNote failure={shown} />}
      <div class="actions">
        <button type="submit" class="button button-main" aria-disabled={isRunning.value}>
          {texts.save}
        </button>
        {/* What was edited as JSON is saved or undone first, since the fields do not have it. */}
        <button type="button" class="button button-quiet" onClick={toggle}>
          {!isJson ? texts.asJson : text.value === json.value ? texts.asForm : texts.undoJson}
        </button>
      </div>
    </form>
  );
}
