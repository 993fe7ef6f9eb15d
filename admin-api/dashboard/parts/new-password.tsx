/** A field for the password of another user, with buttons to generate and copy it. */
import type { Signal } from '@preact/signals';
import { Field } from '../../ui/parts/field.tsx';
import { generatePassword } from '../accounts.ts';
import { TEXTS } from '../texts.ts';
import { CopyButton } from './copy-button.tsx';

interface NewPasswordProps {
  readonly value: Signal<string>;
  readonly fault?: string;
}

export function NewPassword({ value, fault }: NewPasswordProps) {
  const texts = TEXTS.account;
  const generate = (): void => {
    value.value = generatePassword();
  };
  return (
    <div class="form">
      <Field
        label={texts.password}
        hint={texts.passwordHint}
        fault={fault}
        value={value}
        name="new-password"
        autocomplete="off"
        required
      />
      <div class="actions">
        <button type="button" class="button" onClick={generate}>
          {texts.generate}
        </button>
        {value.value !== '' && <CopyButton text={value.value} />}
      </div>
    </div>
  );
}
