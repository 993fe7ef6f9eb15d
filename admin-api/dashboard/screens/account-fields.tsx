/** The fields for the settings of an account, shared by the forms that add and change accounts. */
import { type Signal, useSignal } from '@preact/signals';
import type { ComponentChildren } from 'preact';
import { CheckField } from '../../ui/parts/check-field.tsx';
import { Field } from '../../ui/parts/field.tsx';
import { SelectField } from '../../ui/parts/select-field.tsx';
import { plans, ROLES, withPlan } from '../accounts.ts';
import type { Account } from '../api/views.ts';
import type { FaultOf } from '../parts/use-form.ts';
import { TEXTS } from '../texts.ts';

type Settings = Pick<Account, 'username' | 'email' | 'role' | 'plan' | 'api_enabled'>;

interface AccountInputs {
  readonly username: Signal<string>;
  readonly email: Signal<string>;
  readonly role: Signal<string>;
  readonly plan: Signal<string>;
  readonly hasAccess: Signal<boolean>;
}

export const ACCOUNT_POINTERS = ['/username', '/email', '/role', '/plan'] as const;

export function useAccountInputs({ username, email, role, plan, api_enabled }: Settings): AccountInputs {
  return {
    username: useSignal(username),
    email: useSignal(email ?? ''),
    role: useSignal<string>(role),
    plan: useSignal(plan),
    hasAccess: useSignal(api_enabled),
  };
}

/** Returns the request body. */
export function toSettings({ username, email, role, plan, hasAccess }: AccountInputs): Settings {
  return {
    username: username.value.trim(),
    email: email.value.trim() === '' ? null : email.value.trim(),
    role: role.value as Account['role'],
    plan: plan.value,
    api_enabled: hasAccess.value,
  };
}

interface AccountFieldsProps {
  readonly inputs: AccountInputs;
  readonly faultOf: FaultOf<(typeof ACCOUNT_POINTERS)[number]>;
  /** Whether to focus the first field initially. */
  readonly isFirst?: boolean;
  /** Further fields after the e-mail address. */
  readonly children?: ComponentChildren;
}

export function AccountFields({ inputs, faultOf, isFirst, children }: AccountFieldsProps) {
  const texts = TEXTS.account;
  const { username, email, role, plan, hasAccess } = inputs;
  return (
    <>
      <Field
        label={texts.username}
        hint={texts.usernameHint}
        fault={faultOf('/username')}
        value={username}
        name="username"
        autocomplete="off"
        required
        isFirst={isFirst}
      />
      <Field
        label={texts.email}
        hint={texts.emailHint}
        fault={faultOf('/email')}
        value={email}
        name="email"
        autocomplete="off"
      />
      {children}
      <SelectField
        label={texts.role}
        hint={texts.roleHint}
        fault={faultOf('/role')}
        value={role}
        name="role"
        choices={ROLES}
      />
      <SelectField
        label={texts.plan}
        fault={faultOf('/plan')}
        value={plan}
        name="plan"
        choices={withPlan(plans.value, plan.value)}
      />
      <CheckField label={texts.access} hint={texts.accessHint} value={hasAccess} name="access" />
    </>
  );
}
