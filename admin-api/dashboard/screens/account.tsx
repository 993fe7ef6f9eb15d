/** An account, for administrators: settings, acting for it, a new password, deletion. */
import { type Signal, useSignal } from '@preact/signals';
import { useEffect } from 'preact/hooks';
import { plans, ROLES, readPlans, withPlan } from '../accounts.ts';
import { actFor } from '../acting.ts';
import { addressOf } from '../addresses.ts';
import type { Account } from '../api/views.ts';
import { api, type Result, settle } from '../api.ts';
import { type Failure, faultsOf } from '../failure.ts';
import { announce } from '../parts/announce.tsx';
import { CheckField } from '../parts/check-field.tsx';
import { Confirm } from '../parts/confirm.tsx';
import { Field } from '../parts/field.tsx';
import { NewPassword } from '../parts/new-password.tsx';
import { FailureNote } from '../parts/notes.tsx';
import { SelectField } from '../parts/select-field.tsx';
import { Skeleton } from '../parts/skeleton.tsx';
import { usePageTitle } from '../parts/title.ts';
import { openPage } from '../router.ts';
import type { ScreenProps } from '../screen.ts';
import { session } from '../session.ts';
import { TEXTS } from '../texts.ts';
import { SecondFactors } from './account-factors.tsx';

const texts = TEXTS.account;

const pathOf = (account_id: number) => ({ params: { path: { account_id } } });

type Changes = Partial<Pick<Account, 'username' | 'email' | 'role' | 'plan' | 'api_enabled'>> & {
  readonly password?: string;
  readonly revoke_tokens?: boolean;
};

async function change(id: number, body: Changes): Promise<Result<Account>> {
  const result = await settle(api.PATCH('/api/v1/accounts/{account_id}', { ...pathOf(id), body }));
  return result.ok ? { ...result, data: result.data.account } : result;
}

export function AccountPage({ params }: ScreenProps) {
  const id = Number(params.account_id);
  const account = useSignal<Account | null>(null);
  const failure = useSignal<Failure | null>(null);
  const load = async (): Promise<void> => {
    const result = await settle(api.GET('/api/v1/accounts/{account_id}', pathOf(id)));
    failure.value = result.ok ? null : result.failure;
    if (result.ok) account.value = result.data.account;
  };
  useEffect(() => {
    void load();
    void readPlans();
  }, [id]);
  usePageTitle(texts.title(account.value?.username ?? ''));
  if (failure.value !== null) return <FailureNote failure={failure.value} retry={load} />;
  if (account.value === null) return <Skeleton />;
  const isOwn = id === session.value?.user.id;
  return (
    <div class="stack narrow">
      <p>
        <a href={addressOf('accounts')}>{TEXTS.accounts.title}</a>
      </p>
      <h1>{texts.title(account.value.username)}</h1>
      {isOwn ? <Own /> : <Acting account={account.value} />}
      <Settings account={account as Signal<Account>} />
      {!isOwn && <NewPasswordForm id={id} />}
      {!isOwn && <SecondFactors account={account.value} />}
      {!isOwn && <Removal account={account.value} />}
    </div>
  );
}

function Own() {
  return (
    <p class="note note-good">
      {texts.own} <a href={addressOf('ownAccount')}>{texts.ownLink}</a>
    </p>
  );
}

function Acting({ account: { id, username } }: { readonly account: Account }) {
  return (
    <section class="card">
      <h2>{texts.acting}</h2>
      <p>{texts.actingText}</p>
      <div class="actions">
        <button type="button" class="button button-main" onClick={() => actFor(id)}>
          {texts.act(username)}
        </button>
      </div>
    </section>
  );
}

const SETTINGS = ['/username', '/email', '/role', '/plan'];

function Settings({ account }: { readonly account: Signal<Account> }) {
  const { id } = account.value;
  const username = useSignal(account.value.username);
  const email = useSignal(account.value.email ?? '');
  const role = useSignal<string>(account.value.role);
  const plan = useSignal(account.value.plan);
  const hasAccess = useSignal(account.value.api_enabled);
  const isSending = useSignal(false);
  const failure = useSignal<Failure | null>(null);

  const submit = async (event: SubmitEvent): Promise<void> => {
    event.preventDefault();
    if (isSending.value) return;
    isSending.value = true;
    const edited = {
      username: username.value.trim(),
      email: email.value.trim() === '' ? null : email.value.trim(),
      role: role.value as Account['role'],
      plan: plan.value,
      api_enabled: hasAccess.value,
    };
    // Fields that the user has not edited keep what others have stored meanwhile.
    const shown = account.value;
    const isEdited = ([name, value]: [string, unknown]): boolean => shown[name as keyof typeof edited] !== value;
    const result = await change(id, Object.fromEntries(Object.entries(edited).filter(isEdited)));
    isSending.value = false;
    failure.value = result.ok ? null : result.failure;
    if (!result.ok) return;
    account.value = result.data;
    announce(texts.saved);
  };

  const faults = faultsOf(failure.value);
  const isOther = failure.value !== null && !SETTINGS.some((pointer) => faults.has(pointer));
  return (
    <form class="card" onSubmit={submit}>
      <h2>{texts.settings}</h2>
      {failure.value !== null && isOther && <FailureNote failure={failure.value} />}
      <Field
        label={texts.username}
        hint={texts.usernameHint}
        fault={faults.get('/username')}
        value={username}
        name="username"
        autocomplete="off"
        required
      />
      <Field
        label={texts.email}
        hint={texts.emailHint}
        fault={faults.get('/email')}
        value={email}
        name="email"
        autocomplete="off"
      />
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
          {isSending.value ? texts.saving : texts.save}
        </button>
      </div>
    </form>
  );
}

function NewPasswordForm({ id }: { readonly id: number }) {
  const password = useSignal('');
  const revokes = useSignal(false);
  const isSending = useSignal(false);
  const failure = useSignal<Failure | null>(null);
  const submit = async (event: SubmitEvent): Promise<void> => {
    event.preventDefault();
    if (isSending.value) return;
    isSending.value = true;
    const result = await change(id, { password: password.value, ...(revokes.value && { revoke_tokens: true }) });
    isSending.value = false;
    failure.value = result.ok ? null : result.failure;
    if (!result.ok) return;
    password.value = '';
    revokes.value = false;
    announce(texts.passwordSet);
  };
  const fault = faultsOf(failure.value).get('/password');
  return (
    <form class="card" onSubmit={submit}>
      <h2>{texts.reset}</h2>
      <p>{texts.resetText}</p>
      {failure.value !== null && fault === undefined && <FailureNote failure={failure.value} />}
      <NewPassword value={password} fault={fault} />
      <CheckField label={texts.revoke} value={revokes} name="revoke" />
      <div class="actions">
        <button type="submit" class="button" aria-disabled={isSending.value}>
          {texts.resetSubmit}
        </button>
      </div>
    </form>
  );
}

function Removal({ account: { id, username } }: { readonly account: Account }) {
  const isAsking = useSignal(false);
  const remove = async (): Promise<Failure | null> => {
    const result = await settle(api.DELETE('/api/v1/accounts/{account_id}', pathOf(id)));
    if (!result.ok) return result.failure;
    announce(texts.removed(username));
    openPage('accounts');
    return null;
  };
  return (
    <section class="card">
      <h2>{texts.remove}</h2>
      <p>{texts.removeText}</p>
      <div class="actions">
        <button
          type="button"
          class="button button-bad"
          onClick={() => {
            isAsking.value = true;
          }}
        >
          {texts.removeSubmit}
        </button>
      </div>
      {isAsking.value && (
        <Confirm
          title={texts.removeTitle(username)}
          explanation={texts.removeText}
          word={username}
          label={texts.remove}
          run={remove}
          onClose={() => {
            isAsking.value = false;
          }}
        />
      )}
    </section>
  );
}
