/** Sign-in with a password and, where the account has one, a second factor. */
import { useSignal } from '@preact/signals';
import type { Failure } from '../failure.ts';
import { Field } from '../parts/field.tsx';
import { FailureNote } from '../parts/notes.tsx';
import { usePageTitle } from '../parts/title.ts';
import { signIn } from '../session.ts';
import { TEXTS } from '../texts.ts';

/** The account has a second factor, and the request had none. */
const CODE_REQUIRED = 'code_required';

export function SignIn() {
  const texts = TEXTS.signIn;
  usePageTitle(texts.title);
  const login = useSignal('');
  const password = useSignal('');
  const code = useSignal('');
  const needsCode = useSignal(false);
  const isSending = useSignal(false);
  const failure = useSignal<Failure | null>(null);

  const submit = async (event: SubmitEvent): Promise<void> => {
    event.preventDefault();
    if (isSending.value) return;
    isSending.value = true;
    failure.value = null;
    const result = await signIn(login.value.trim(), password.value, code.value.trim());
    isSending.value = false;
    if (result?.code === CODE_REQUIRED) needsCode.value = true;
    else failure.value = result;
  };

  return (
    <main class="sign-in">
      <form class="card" onSubmit={submit}>
        <p class="brand">{TEXTS.title}</p>
        <h1>{texts.title}</h1>
        {failure.value !== null && <FailureNote failure={failure.value} />}
        <Field label={texts.login} value={login} name="username" autocomplete="username" required isFirst />
        <Field
          label={texts.password}
          value={password}
          name="password"
          type="password"
          autocomplete="current-password"
          required
        />
        {needsCode.value && (
          <Field
            label={texts.code}
            hint={texts.codeHint}
            value={code}
            name="code"
            autocomplete="one-time-code"
            required
            isFirst
          />
        )}
        <button type="submit" class="button button-main" aria-disabled={isSending.value}>
          {isSending.value ? texts.submitting : texts.submit}
        </button>
        <p class="hint">{texts.help}</p>
      </form>
    </main>
  );
}
