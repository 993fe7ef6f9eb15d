/** An account, for administrators: settings, acting for it, password, second factors, deletion. */
import { type Signal, useSignal } from '@preact/signals';
import { useEffect } from 'preact/hooks';
import { announce } from '../../ui/parts/announce.tsx';
import { CheckField } from '../../ui/parts/check-field.tsx';
import { readPlans } from '../accounts.ts';
import { actFor } from '../acting.ts';
import { addressOf } from '../addresses.ts';
import type { Account, Pointer } from '../api/views.ts';
import { api, type Result, settle } from '../api.ts';
import type { Failure } from '../failure.ts';
import { ConfirmAction } from '../parts/confirm.tsx';
import { NewPassword } from '../parts/new-password.tsx';
import { FailureNote } from '../parts/notes.tsx';
import { Skeleton } from '../parts/skeleton.tsx';
import { usePageTitle } from '../parts/title.ts';
import { useForm } from '../parts/use-form.ts';
import { useResource } from '../parts/use-resource.ts';
import { openPage } from '../router.ts';
import type { ScreenProps } from '../screen.ts';
import { session } from '../session.ts';
import { TEXTS } from '../texts.ts';
import { ACCOUNT_POINTERS, AccountFields, toSettings, useAccountInputs } from './account-fields.tsx';

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

function Settings({ account }: { readonly account: Signal<Account> }) {
  const { id } = account.value;
  const inputs = useAccountInputs(account.value);
  const { isRunning, otherFailure, faultOf, submit } = useForm<Pointer<'updateAccount'>>(ACCOUNT_POINTERS, async () => {
    const edited = toSettings(inputs);
    // Sends only edited fields, to keep changes of other clients.
    const shown = account.value;
    const isEdited = ([name, value]: [string, unknown]): boolean => shown[name as keyof typeof edited] !== value;
    const result = await change(id, Object.fromEntries(Object.entries(edited).filter(isEdited)));
    if (!result.ok) return result.failure;
    account.value = result.data;
    announce(texts.saved);
    return null;
  });
  return (
    <form class="card" onSubmit={submit}>
      <h2>{texts.settings}</h2>
      {otherFailure !== null && <FailureNote failure={otherFailure} />}
      <AccountFields inputs={inputs} faultOf={faultOf} />
      <div class="actions">
        <button type="submit" class="button button-main" aria-disabled={isRunning.value}>
          {isRunning.value ? texts.saving : texts.save}
        </button>
      </div>
    </form>
  );
}

function NewPasswordForm({ id }: { readonly id: number }) {
  const password = useSignal('');
  const revokes = useSignal(false);
  const { isRunning, otherFailure, faultOf, submit } = useForm<Pointer<'updateAccount'>>(['/password'], async () => {
    const result = await change(id, { password: password.value, ...(revokes.value && { revoke_tokens: true }) });
    if (!result.ok) return result.failure;
    password.value = '';
    revokes.value = false;
    announce(texts.passwordSet);
    return null;
  });
  return (
    <form class="card" onSubmit={submit}>
      <h2>{texts.reset}</h2>
      <p>{texts.resetText}</p>
      {otherFailure !== null && <FailureNote failure={otherFailure} />}
      <NewPassword value={password} fault={faultOf('/password')} />
      <CheckField label={texts.revoke} value={revokes} name="revoke" />
      <div class="actions">
        <button type="submit" class="button" aria-disabled={isRunning.value}>
          {texts.resetSubmit}
        </button>
      </div>
    </form>
  );
}

function Removal({ account: { id, username } }: { readonly account: Account }) {
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
      <ConfirmAction
        open={texts.removeSubmit}
        title={texts.removeTitle(username)}
        explanation={texts.removeText}
        word={username}
        label={texts.remove}
        run={remove}
      />
    </section>
  );
}

/** The second factors of an account, for administrators. */
function SecondFactors({ account: { id, username } }: { readonly account: Account }) {
  const options = { params: { path: { account_id: id } } };
  const { value, failure, load } = useResource(() =>
    settle(api.GET('/api/v1/accounts/{account_id}/second-factors', options)),
  );
  const remove = async (): Promise<Failure | null> => {
    const result = await settle(api.DELETE('/api/v1/accounts/{account_id}/second-factors', options));
    if (!result.ok) return result.failure;
    announce(texts.factorsRemoved);
    await load();
    return null;
  };
  const factors = value.value;
  const hasSome = factors !== null && (factors.totp_enabled || factors.passkey_count > 0);
  return (
    <section class="card">
      <h2>{texts.factors}</h2>
      {failure.value !== null && <FailureNote failure={failure.value} retry={load} />}
      {factors !== null && <p>{texts.factorsText(factors.totp_enabled, factors.passkey_count)}</p>}
      {hasSome && (
        <ConfirmAction
          open={texts.removeFactors}
          title={texts.removeFactors}
          explanation={texts.removeFactorsText}
          word={username}
          label={texts.removeFactors}
          run={remove}
        />
      )}
    </section>
  );
}
