/** A dialog for a change that needs the password and, if turned on, a one-time code. */
import { useSignal } from '@preact/signals';
import type { ComponentChildren } from 'preact';
import { Field } from '../../ui/parts/field.tsx';
import { Modal } from '../../ui/parts/modal.tsx';
import type { Failure } from '../failure.ts';
import { DialogActions } from '../parts/form-actions.tsx';
import { FailureNote } from '../parts/notes.tsx';
import { type FaultOf, useForm } from '../parts/use-form.ts';
import { TEXTS } from '../texts.ts';

/** The proof of identity that the API requires. */
export interface Proof {
  readonly password: string;
  readonly code?: string;
}

interface IdentityDialogProps<Pointer extends string> {
  readonly title: string;
  readonly explanation?: string;
  /** Label of the submit button. */
  readonly label: string;
  /** Whether the change deletes or disables something. */
  readonly isBad?: boolean;
  /** Whether the change also needs a one-time code. */
  readonly needsCode?: boolean;
  /** Null on success. */
  readonly send: (proof: Proof) => Promise<Failure | null>;
  /** Called when the user cancels. */
  readonly onClose: () => void;
  /** Renders further fields above the password. */
  readonly renderFields?: (faultOf: FaultOf<Pointer>) => ComponentChildren;
  /** JSON pointers of these fields. */
  readonly pointers?: readonly Pointer[];
}

const texts = TEXTS.ownAccount;

export function IdentityDialog<Pointer extends string = never>(props: IdentityDialogProps<Pointer>) {
  const { title, explanation, label, isBad = false, send, onClose, renderFields, pointers = [] } = props;
  const password = useSignal('');
  const code = useSignal('');
  const needsCode = useSignal(props.needsCode ?? false);
  const form = useForm<Pointer | '/password' | '/code'>(['/password', '/code', ...pointers], async () => {
    const proof = { password: password.value, ...(needsCode.value && { code: code.value.trim() }) };
    const failure = await send(proof);
    // One-time codes were turned on in another window.
    if (failure?.code === 'code_required') needsCode.value = true;
    return failure;
  });
  const { isRunning, otherFailure, faultOf, submit } = form;
  return (
    <Modal title={title} onClose={onClose}>
      <form class="form" onSubmit={submit}>
        {explanation !== undefined && <p>{explanation}</p>}
        {otherFailure !== null && <FailureNote failure={otherFailure} />}
        {renderFields?.(faultOf)}
        <Field
          label={texts.password}
          fault={faultOf('/password')}
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
            fault={faultOf('/code')}
            value={code}
            name="code"
            autocomplete="one-time-code"
            required
          />
        )}
        <DialogActions label={label} isBad={isBad} isDisabled={isRunning.value} onCancel={onClose} />
      </form>
    </Modal>
  );
}
