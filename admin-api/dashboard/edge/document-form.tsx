/** The form of a document, with a single save button. */
import type { ComponentChildren } from 'preact';
import { announce } from '../../ui/parts/announce.tsx';
import type { Failure } from '../failure.ts';
import { FailureNote } from '../parts/notes.tsx';
import { type FaultOf, useForm } from '../parts/use-form.ts';
import { TEXTS } from '../texts.ts';

interface DocumentFormProps<Pointer extends string> {
  /** JSON pointers of the fields that show faults next to them. */
  readonly pointers: readonly Pointer[];
  /** Null on success. */
  readonly save: () => Promise<Failure | null>;
  readonly render: (faultOf: FaultOf<Pointer>) => ComponentChildren;
}

export function DocumentForm<Pointer extends string>({ pointers, save, render }: DocumentFormProps<Pointer>) {
  const { isRunning, otherFailure, faultOf, submit } = useForm(pointers, async () => {
    const failure = await save();
    if (failure === null) announce(TEXTS.siteDocuments.saved);
    return failure;
  });
  return (
    <form class="stack" onSubmit={submit}>
      {render(faultOf)}
      {otherFailure !== null && <FailureNote failure={otherFailure} />}
      <div class="actions">
        <button type="submit" class="button button-main" aria-disabled={isRunning.value}>
          {TEXTS.siteDocuments.save}
        </button>
      </div>
    </form>
  );
}
