/** Adds an account. */
import { useSignal } from '@preact/signals';
import { useEffect } from 'preact/hooks';
import { plans, ROLES, readPlans, withPlan } from '../accounts.ts';
import { addressOf } from '../addresses.ts';
import { api, settle } from '../api.ts';
import { type Failure, faultsOf } from '../failure.ts';
import { announce } from '../parts/announce.tsx';
import { CheckField } from '../parts/check-field.tsx';
import { Field } from '../parts/field.tsx';
import { NewPassword } from '../parts/new-password.tsx';
import { FailureNote } from '../parts/notes.tsx';
import { SelectField } from '../parts/select-field.tsx';
import { usePageTitle } from '../parts/title.ts';
import { openPage } from '../router.ts';
import { TEXTS } from '../texts.ts';

const FIELDS = ['/username', '/email', '/password', '/role', '/plan'];

export function AddAccount() {
  const texts = TEXTS.account;
  usePageTitle(texts.addTitle);
  useEffect(() => void readPlans(), []);
  const username = useSignal('');
  const email = useSignal('');
  const password = useSignal('');
  const role = useSignal('user');
  const plan = useSignal('free');
  const hasAccess = useSignal(true);
  const isSending = useSignal(false);
  const failure = useSignal<Failure | null>(null);

  const submit = async (event: SubmitEvent): Promise<void> => {
    event.preventDefault();
    if (isSending.value) return;
    isSending.value = true;
    failure.value = null;
    const body = {
      username: username.value.trim(),
      email: email.value.trim() === '' ? null : email.value.trim(),
      password: password.value,
      role: role.value as 'user',
      plan: plan.value,
      api_enabled: hasAccess.value,
    };
    const result = await settle(api.POST('/api/v1/accounts', { body }));
    isSending.value = false;
    if (result.ok) {
      announce(texts.added(result.data.account.username));
      openPage('account', { account_id: result.data.account.id });
    } else failure.value = result.failure;
  };

  const faults = faultsOf(failure.value);
  const isOther = failure.value !== null && !FIELDS.some((pointer) => faults.has(pointer));
  return (
    <form class="card narrow" onSubmit={submit}>
      <h1>{texts.addTitle}</h1>
      {failure.value !== null && isOther && <FailureNote failure={failure.value} />}
      <Field
        label={texts.username}
        hint={texts.usernameHint}
        fault={faults.get('/username')}
        value={username}
        name="username"
        autocomplete="off"
        required
        isFirst
      />
      <Field
        label={texts.email}
        hint={texts.emailHint}
        fault={faults.get('/email')}
        value={email}
        name="email"
        autocomplete="off"
      />
      <NewPassword value={password} fault={faults.get('/password')} />
      <SelectField
        label={texts.role}
        hint={texts.roleHint}
        fault={faults.get('/role')}
        value={role}
        name="role"
        choices={ROLES}
      />
      <SelectField
        label={texts.plan}
        fault={faults.get('/plan')}
        value={plan}
        name="plan"
        choices={withPlan(plans.value, plan.value)}
      />
      <CheckField label={texts.access} hint={texts.accessHint} value={hasAccess} name="access" />
      <div class="actions">
        <button type="submit" class="button button-main" aria-disabled={isSending.value}>
          {isSending.value ? texts.adding : texts.add}
        </button>
        <a class="button button-quiet" href={addressOf('accounts')}>
          {TEXTS.cancel}
        </a>
      </div>
    </form>
  );
}
