/** Shows whether signing in needs a one-time code, and the number of unused recovery codes. */
import { useSignal } from '@preact/signals';
import { announce } from '../../ui/parts/announce.tsx';
import { Modal } from '../../ui/parts/modal.tsx';
import type { Totp } from '../api/views.ts';
import { api, settle } from '../api.ts';
import type { Failure } from '../failure.ts';
import { Time } from '../parts/time.tsx';
import { TEXTS } from '../texts.ts';
import { IdentityDialog, type Proof } from './identity-dialog.tsx';
import { RecoveryCodes } from './recovery-codes.tsx';
import { TurnOnCodes } from './turn-on-codes.tsx';

const texts = TEXTS.ownAccount.oneTimeCodes;
/** With this number of recovery codes or fewer, a hint suggests new codes. */
const FEW = 3;

interface OneTimeCodesProps {
  readonly totp: Totp;
  readonly onChange: () => void;
}

export function OneTimeCodes({ totp, onChange }: OneTimeCodesProps) {
  const dialog = useSignal<'on' | 'off' | 'renew' | null>(null);
  const codes = useSignal<readonly string[] | null>(null);
  const open = (which: 'on' | 'off' | 'renew') => (): void => {
    dialog.value = which;
  };
  const close = (): void => {
    dialog.value = null;
    codes.value = null;
  };

  const turnOff = async (body: Proof): Promise<Failure | null> => {
    const result = await settle(api.DELETE('/api/v1/account/totp', { body }));
    if (!result.ok) return result.failure;
    close();
    announce(texts.turnedOff);
    onChange();
    return null;
  };
  const renew = async (body: Proof): Promise<Failure | null> => {
    const result = await settle(api.POST('/api/v1/account/totp/recovery-codes', { body }));
    if (!result.ok) return result.failure;
    dialog.value = null;
    codes.value = result.data.recovery_codes;
    onChange();
    return null;
  };

  return (
    <section class="card">
      <h2>{texts.heading}</h2>
      {totp.enabled ? <State totp={totp} /> : <p>{texts.off}</p>}
      <div class="actions">
        {totp.enabled ? (
          <>
            <button type="button" class="button" onClick={open('renew')}>
              {texts.renew}
            </button>
            <button type="button" class="button" onClick={open('off')}>
              {texts.turnOff}
            </button>
          </>
        ) : (
          <button type="button" class="button button-main" onClick={open('on')}>
            {texts.turnOn}
          </button>
        )}
      </div>
      {dialog.value === 'on' && (
        <TurnOnCodes
          onClose={close}
          onDone={() => {
            announce(texts.turnedOn);
            onChange();
          }}
        />
      )}
      {dialog.value === 'off' && (
        <IdentityDialog
          title={texts.turnOff}
          explanation={texts.turnOffText}
          label={texts.turnOff}
          isBad
          needsCode
          send={turnOff}
          onClose={close}
        />
      )}
      {dialog.value === 'renew' && (
        <IdentityDialog
          title={texts.renew}
          explanation={texts.renewText}
          label={texts.renewSubmit}
          needsCode
          send={renew}
          onClose={close}
        />
      )}
      {codes.value !== null && (
        <Modal title={TEXTS.ownAccount.recovery.title} onClose={close}>
          <RecoveryCodes codes={codes.value} onDone={close} />
        </Modal>
      )}
    </section>
  );
}

function State({ totp }: { readonly totp: Totp }) {
  const left = totp.recovery_codes_left;
  return (
    <>
      <p>
        <span class="badge badge-good">{texts.on}</span>{' '}
        {totp.confirmed_at !== null && (
          <>
            {texts.since} <Time value={totp.confirmed_at} />,{' '}
          </>
        )}
        {texts.recoveryLeft(left)}
      </p>
      {left <= FEW && <p class="note note-warning">{texts.recoveryLow}</p>}
    </>
  );
}
