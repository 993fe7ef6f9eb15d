/** Sign-in with a password and a second factor, if the account has one, or with a passkey. */
import { type Signal, useSignal } from '@preact/signals';
import { useEffect } from 'preact/hooks';
import { Field } from '../../ui/parts/field.tsx';
import { Mark } from '../../ui/parts/mark.tsx';
import { Modal } from '../../ui/parts/modal.tsx';
import type { Failure } from '../failure.ts';
import { FailureNote } from '../parts/notes.tsx';
import { usePageTitle } from '../parts/title.ts';
import { useForm } from '../parts/use-form.ts';
import { signIn } from '../session.ts';
import { TEXTS } from '../texts.ts';
import { canOfferPasskeys, canUsePasskeys } from '../webauthn.ts';

/** Code of the failure when a required second factor is missing. */
const CODE_REQUIRED = 'code_required';
/** Milliseconds after which the challenge is replaced. It expires after ten minutes. */
const CHALLENGE_REFRESH_MS = 480_000;

const texts = TEXTS.signIn;

/** Step of the form. */
type Step = 'password' | 'code' | 'recovery';

export function SignIn() {
  usePageTitle(texts.title);
  return (
    <main class="sign-in">
      <p class="brand">
        <Mark />
        {TEXTS.title}
      </p>
      <SignInForm />
    </main>
  );
}

/** Above the page of a session that has ended. The page and its edits stay. */
export function SignInAgain() {
  const isShown = useSignal(true);
  if (!isShown.value) return null;
  return (
    <Modal
      title={texts.again}
      onClose={() => {
        isShown.value = false;
      }}
    >
      <p>{texts.ended}</p>
      <SignInForm isAgain />
    </Modal>
  );
}

function SignInForm({ isAgain = false }: { readonly isAgain?: boolean }) {
  const login = useSignal('');
  const password = useSignal('');
  const code = useSignal('');
  const step = useSignal<Step>('password');
  const { isRunning, failure, submit } = useForm([], async () => {
    const result = await signIn(login.value.trim(), password.value, code.value.trim());
    if (result?.code !== CODE_REQUIRED) return result;
    goTo('code');
    return null;
  });

  const goTo = (next: Step): void => {
    step.value = next;
    code.value = '';
    failure.value = null;
  };

  const isFirstStep = step.value === 'password';
  return (
    <form class={isAgain ? 'form' : 'card'} onSubmit={submit}>
      {!isAgain && <h1>{isFirstStep ? texts.title : texts.secondStep}</h1>}
      {failure.value !== null && <FailureNote failure={failure.value} />}
      {isFirstStep ? (
        <>
          <Field
            label={texts.login}
            value={login}
            name="username"
            autocomplete={canUsePasskeys() ? 'username webauthn' : 'username'}
            required
            isFirst
          />
          <Field
            label={texts.password}
            value={password}
            name="password"
            type="password"
            autocomplete="current-password"
            required
          />
        </>
      ) : (
        <SecondFactor key={step.value} step={step.value} code={code} />
      )}
      <button type="submit" class="button button-main" aria-disabled={isRunning.value}>
        {isRunning.value ? texts.submitting : texts.submit}
      </button>
      {isFirstStep ? (
        <>
          {canUsePasskeys() && <Passkey failure={failure} />}
          {!isAgain && <p class="hint">{texts.help}</p>}
        </>
      ) : (
        <>
          <button type="button" class="button" onClick={() => goTo(step.value === 'code' ? 'recovery' : 'code')}>
            {step.value === 'code' ? texts.useRecovery : texts.useApp}
          </button>
          <button type="button" class="button button-quiet" onClick={() => goTo('password')}>
            {texts.back}
          </button>
        </>
      )}
    </form>
  );
}

function SecondFactor({ step, code }: { readonly step: Step; readonly code: Signal<string> }) {
  return step === 'code' ? (
    <Field
      label={texts.code}
      hint={texts.codeHint}
      value={code}
      name="code"
      autocomplete="one-time-code"
      inputmode="numeric"
      required
      isFirst
    />
  ) : (
    <Field
      label={texts.recoveryCode}
      hint={texts.recoveryHint}
      value={code}
      name="recovery-code"
      autocomplete="off"
      required
      isFirst
    />
  );
}

/** A sign-in button. The browser also offers passkeys in the autofill list of the first input. */
function Passkey({ failure }: { readonly failure: Signal<Failure | null> }) {
  const isWaiting = useSignal(false);
  const isCancelled = useSignal(false);

  const offer = async (): Promise<void> => {
    if (!(await canOfferPasskeys())) return;
    const { enterWithPasskey } = await import('../passkeys.ts');
    const result = await enterWithPasskey(true);
    // If the service does not support passkeys, the button reports it when pressed.
    if (result !== null && result !== 'cancelled' && result.status === 401) failure.value = result;
  };
  useEffect(() => {
    void offer();
    const timer = setInterval(offer, CHALLENGE_REFRESH_MS);
    return () => {
      clearInterval(timer);
      void import('../passkeys.ts').then(({ cancelPasskey }) => cancelPasskey());
    };
  }, []);

  const enter = async (): Promise<void> => {
    if (isWaiting.value) return;
    isWaiting.value = true;
    isCancelled.value = false;
    failure.value = null;
    const { enterWithPasskey } = await import('../passkeys.ts');
    const result = await enterWithPasskey(false);
    isWaiting.value = false;
    isCancelled.value = result === 'cancelled';
    failure.value = result === 'cancelled' ? null : result;
    if (result !== null) void offer();
  };
  return (
    <>
      <button type="button" class="button" aria-disabled={isWaiting.value} onClick={enter}>
        {isWaiting.value ? texts.passkeyWaiting : texts.passkey}
      </button>
      {isCancelled.value && (
        <p class="fault" role="alert">
          {texts.passkeyCancelled}
        </p>
      )}
    </>
  );
}
