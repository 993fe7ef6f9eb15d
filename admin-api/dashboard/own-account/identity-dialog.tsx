/** A dialog for a change that needs the password, and a code if the account has one-time codes. */
import { useSignal } from '@preact/signals';
import type { ComponentChildren } from 'preact';
import { type Failure, faultsOf } from '../failure.ts';
import { Field } from '../parts/field.tsx';
import { Modal } from '../parts/modal.tsx';
import { FailureNote } from '../parts/notes.tsx';
import { TEXTS } from '../texts.ts';

/** What proves that the user is at the keyboard. */
export interface Proof {
  readonly password: string;
  readonly code?: string;
}

interface IdentityDialogProps {
  readonly title: string;
  readonly explanation?: string;
  /** Of the button. */
  readonly label: string;
  /** The change takes something away. */
  readonly isBad?: boolean;
  /** The change needs a code as well. */
  readonly needsCode?: boolean;
  /** Null: done. */
  readonly send: (proof: Proof) => Promise<Failure | null>;
  /** Called when the user cancels. */
  readonly onClose: () => void;
  /** Further fields, which are above the password. `faults`: messages by pointer. */
  readonly renderFields?: (faults: ReadonlyMap<string, string>) => ComponentChildren;
  /** The pointers of these fields. */
  readonly pointers?: readonly string[];
}

const texts = TEXTS.ownAccount;

export function IdentityDialog(props: IdentityDialogProps) {
  const { title, explanation, label, isBad = false, send, onClose, renderFields, pointers = [] } = props;
  const password = useSignal('');
  const code = useSignal('');
  const needsCode = useSignal(props.needsCode ?? false);
  const isSending = useSignal(false);
  const failure = useSignal<Failure | null>(null);

  const submit = async (event: SubmitEvent): Promise<void> => {
    event.preventDefault();
    if (isSending.value) return;
    isSending.value = true;
    const proof = { password: password.value, ...(needsCode.value && { code: code.value.trim() }) };
    failure.value = await send(proof);
    isSending.value = false;
    // One-time codes were turned on in another window.
    if (failure.value?.code === 'code_required') needsCode.value = true;
  };

  const faults = faultsOf(failure.value);
  const isShown = ['/password', '/code', ...pointers].some((pointer) => faults.has(pointer));
  return (
    <Modal title={title} onClose={onClose}>
      <form class="form" onSubmit={submit}>
        {explanation !== undefined && <p>{explanation}</p>}
        {failure.value !== null && !isShown && <FailureNote failure={failure.value} />}
        {renderFields?.(faults)}
        <Field
          label={texts.password}
          fault={faults.get('/password')}
          value={password}
          name="password"
          type="password"
          autocomplete="current-password"
          required
          isFirst={renderFields === undefined}
        />
        {needsCode.value && (
          <Field
            label={texts.code}
            hint={texts.codeHint}
            fault={faults.get('/code')}
            value={code}
            name="code"
            autocomplete="one-time-code"
            required
          />
        )}
        <div class="actions">
          <button
            type="submit"
            class={isBad ? 'button button-bad' : 'button button-main'}
            aria-disabled={isSending.value}
          >
            {label}
          </button>
          <button type="button" class="button" onClick={onClose}>
            {TEXTS.cancel}
          </button>
        </div>
      </form>
    </Modal>
  );
}
