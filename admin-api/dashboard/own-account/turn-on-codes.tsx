/** Turns on one-time codes: password, QR code and first code, recovery codes. */
import { type Signal, useSignal } from '@preact/signals';
import { encode } from 'uqr';
import { Field } from '../../ui/parts/field.tsx';
import { Modal } from '../../ui/parts/modal.tsx';
import type { Pointer } from '../api/views.ts';
import { api, settle } from '../api.ts';
import type { Failure } from '../failure.ts';
import { CopyButton } from '../parts/copy-button.tsx';
import { DialogActions } from '../parts/form-actions.tsx';
import { FailureNote } from '../parts/notes.tsx';
import { useForm } from '../parts/use-form.ts';
import { TEXTS } from '../texts.ts';
import { IdentityDialog, type Proof } from './identity-dialog.tsx';
import { RecoveryCodes } from './recovery-codes.tsx';

/** Width of the white margin in modules (ISO/IEC 18004, quiet zone). */
const BORDER = 4;

const texts = TEXTS.ownAccount.oneTimeCodes;

interface Begun {
  readonly password: string;
  readonly secret: string;
  readonly uri: string;
}

interface TurnOnCodesProps {
  readonly onClose: () => void;
  /** Called when the codes have been turned on. */
  readonly onDone: () => void;
}

export function TurnOnCodes({ onClose, onDone }: TurnOnCodesProps) {
  const begun = useSignal<Begun | null>(null);
  const codes = useSignal<readonly string[] | null>(null);

  const begin = async ({ password }: Proof): Promise<Failure | null> => {
    const result = await settle(api.POST('/api/v1/account/totp', { body: { password } }));
    if (!result.ok) return result.failure;
    begun.value = { password, secret: result.data.secret, uri: result.data.uri };
    return null;
  };

  if (codes.value !== null)
    return (
      <Modal key="codes" title={TEXTS.ownAccount.recovery.title} onClose={onClose}>
        <RecoveryCodes codes={codes.value} onDone={onClose} />
      </Modal>
    );
  if (begun.value !== null)
    return (
      <Modal key="confirm" title={texts.turnOn} onClose={onClose}>
        <FirstCode begun={begun.value} codes={codes} onClose={onClose} onDone={onDone} />
      </Modal>
    );
  return (
    <IdentityDialog
      title={texts.turnOn}
      explanation={texts.beginText}
      label={texts.begin}
      send={begin}
      onClose={onClose}
    />
  );
}

interface FirstCodeProps extends TurnOnCodesProps {
  readonly begun: Begun;
  readonly codes: Signal<readonly string[] | null>;
}

function FirstCode({ begun: { password, secret, uri }, codes, onClose, onDone }: FirstCodeProps) {
  const code = useSignal('');
  const { isRunning, otherFailure, faultOf, submit } = useForm<Pointer<'confirmTotp'>>(['/code'], async () => {
    const body = { password, code: code.value.trim() };
    const result = await settle(api.POST('/api/v1/account/totp/confirm', { body }));
    if (!result.ok) return result.failure;
    codes.value = result.data.recovery_codes;
    onDone();
    return null;
  });
  return (
    <form class="form" onSubmit={submit}>
      {otherFailure !== null && <FailureNote failure={otherFailure} />}
      <p>{texts.scan}</p>
      <QrCode text={uri} label={texts.qr} />
      <div class="secret">
        <p>{texts.secret}</p>
        <p>
          <code>{secret.replace(/.{4}(?=.)/g, '$& ')}</code>
          <CopyButton text={secret} />
        </p>
      </div>
      <Field
        label={texts.firstCode}
        fault={faultOf('/code')}
        value={code}
        name="code"
        autocomplete="one-time-code"
        inputmode="numeric"
        required
        isFirst
      />
      <DialogActions label={texts.confirm} isDisabled={isRunning.value} onCancel={onClose} />
    </form>
  );
}

/** A QR code as one SVG path. Black on white even in dark mode, as cameras expect. */
function QrCode({ text, label }: { readonly text: string; readonly label: string }) {
  const { data, size } = encode(text, { ecc: 'M', border: BORDER });
  const path = data.flatMap((row, y) => row.map((isDark, x) => (isDark ? `M${x} ${y}h1v1h-1z` : ''))).join('');
  return (
    <svg class="qr-code" viewBox={`0 0 ${size} ${size}`} role="img" aria-label={label} shape-rendering="crispEdges">
      <path d={path} />
    </svg>
  );
}
