/** Strict-Transport-Security: how long browsers use only HTTPS. */
import { useSignal } from '@preact/signals';
import { announce } from '../../ui/parts/announce.tsx';
import { CheckField } from '../../ui/parts/check-field.tsx';
import { SelectField } from '../../ui/parts/select-field.tsx';
import type { Pointer } from '../api/views.ts';
import { api, settle } from '../api.ts';
import { FailureNote } from '../parts/notes.tsx';
import { useForm } from '../parts/use-form.ts';
import { TEXTS } from '../texts.ts';
import type { ProxyPage } from './proxy-page.ts';

const OFF = '';
const REVOKED = '0';
const DAY = 86_400;
const AGES = [300, 3600, DAY, 30 * DAY, 182 * DAY, 365 * DAY, 730 * DAY];

export function HstsForm({ page }: { readonly page: ProxyPage }) {
  const texts = TEXTS.proxy.hsts;
  const proxy = page.proxy.value!;
  const stored = proxy.hsts_max_age;
  const maxAge = useSignal(stored === null ? OFF : String(stored));
  const subdomains = useSignal(proxy.hsts_include_subdomains);
  const preload = useSignal(proxy.hsts_preload);
  const ages = stored === null || stored === 0 || AGES.includes(stored) ? AGES : [...AGES, stored];
  const choices = [
    { value: OFF, label: texts.off },
    ...ages.map((age) => ({ value: String(age), label: TEXTS.records.ttlSeconds(age) })),
    { value: REVOKED, label: texts.revoke },
  ];
  const { isRunning, otherFailure, faultOf, submit } = useForm<Pointer<'updateProxy'>>(['/hsts_max_age'], async () => {
    const body = {
      hsts_max_age: maxAge.value === OFF ? null : Number(maxAge.value),
      hsts_include_subdomains: subdomains.value,
      hsts_preload: preload.value,
    };
    const call = api.PATCH('/api/v1/domains/{domain_id}/proxy', { params: page.params, body });
    const failure = await page.change(settle(call));
    if (failure === null) announce(texts.saved);
    return failure;
  });
  return (
    <form class="card" onSubmit={submit}>
      <h2>{texts.heading}</h2>
      <p>{texts.explanation}</p>
      {otherFailure !== null && <FailureNote failure={otherFailure} />}
      <SelectField
        label={texts.maxAge}
        value={maxAge}
        name="max_age"
        choices={choices}
        fault={faultOf('/hsts_max_age')}
      />
      <CheckField label={texts.subdomains} hint={texts.subdomainsHint} value={subdomains} name="subdomains" />
      <CheckField label={texts.preload} hint={texts.preloadHint} value={preload} name="preload" />
      <div class="actions">
        <button type="submit" class="button button-main" aria-disabled={isRunning.value}>
          {texts.save}
        </button>
      </div>
    </form>
  );
}
