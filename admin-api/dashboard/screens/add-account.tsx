/** Adds an account. */
import { useSignal } from '@preact/signals';
import { useEffect } from 'preact/hooks';
import { announce } from '../../ui/parts/announce.tsx';
import { readPlans } from '../accounts.ts';
import type { Pointer } from '../api/views.ts';
import { api, settle } from '../api.ts';
import { FormActions } from '../parts/form-actions.tsx';
import { NewPassword } from '../parts/new-password.tsx';
import { FailureNote } from '../parts/notes.tsx';
import { usePageTitle } from '../parts/title.ts';
import { useForm } from '../parts/use-form.ts';
import { openPage } from '../router.ts';
import { TEXTS } from '../texts.ts';
import { ACCOUNT_POINTERS, AccountFields, toSettings, useAccountInputs } from './account-fields.tsx';

const POINTERS = [...ACCOUNT_POINTERS, '/password'] as const;
const NEW = { username: '', email: null, role: 'user', plan: 'free', api_enabled: true } as const;

export function AddAccount() {
  const texts = TEXTS.account;
  usePageTitle(texts.addTitle);
  useEffect(() => void readPlans(), []);
  const inputs = useAccountInputs(NEW);
  const password = useSignal('');
  const { isRunning, otherFailure, faultOf, submit } = useForm<Pointer<'createAccount'>>(POINTERS, async () => {
    const body = { ...toSettings(inputs), password: password.value };
    const result = await settle(api.POST('/api/v1/accounts', { body }));
    if (!result.ok) return result.failure;
    announce(texts.added(result.data.account.username));
    openPage('account', { account_id: result.data.account.id });
    return null;
  });
  return (
    <form class="card narrow" onSubmit={submit}>
      <h1>{texts.addTitle}</h1>
      {otherFailure !== null && <FailureNote failure={otherFailure} />}
      <AccountFields inputs={inputs} faultOf={faultOf} isFirst>
        <NewPassword value={password} fault={faultOf('/password')} />
      </AccountFields>
      <FormActions isRunning={isRunning.value} runningLabel={texts.adding} label={texts.add} from="accounts" />
    </form>
  );
}
