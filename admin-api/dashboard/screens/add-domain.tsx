/** Adds a domain, then shows what to enter at the registrar. */
import { useSignal } from '@preact/signals';
import { CheckField } from '../../ui/parts/check-field.tsx';
import { Field } from '../../ui/parts/field.tsx';
import { addressOf } from '../addresses.ts';
import { api, settle } from '../api.ts';
import {
  PRIMARIES_POINTERS,
  PrimariesFields,
  type PrimariesPointer,
  readPrimaries,
  usePrimaries,
} from '../domains/primaries-fields.tsx';
import { toUnicode } from '../names.ts';
import { FormActions } from '../parts/form-actions.tsx';
import { FailureNote } from '../parts/notes.tsx';
import { usePageTitle } from '../parts/title.ts';
import { useForm } from '../parts/use-form.ts';
import { openAddress } from '../router.ts';
import { isReader } from '../session.ts';
import { TEXTS } from '../texts.ts';

/** Error code: the name, or one above or below it, is taken. */
const EXISTS = 'zone_exists';

export function AddDomain() {
  const texts = TEXTS.addDomain;
  usePageTitle(texts.title);
  const name = useSignal('');
  const isSecondary = useSignal(false);
  const primaries = usePrimaries();
  /** The domain that is in the way; `id` null: of another account. */
  const taken = useSignal<{ readonly id: number | null } | null>(null);
  const pointers = ['/domain', ...PRIMARIES_POINTERS] as const;
  const { isRunning, otherFailure, faultOf, submit } = useForm<'/domain' | PrimariesPointer>(pointers, async () => {
    const read = isSecondary.value ? await readPrimaries(primaries) : null;
    if (read !== null && !read.ok) return read.failure;
    const body = {
      domain: name.value.trim(),
      ...(read !== null && { kind: 'secondary' as const, primaries: read.data }),
    };
    taken.value = null;
    const result = await settle(api.POST('/api/v1/domains', { body }));
    if (!result.ok) {
      if (result.failure.code === EXISTS) taken.value = { id: await findOwn(body.domain) };
      return result.failure;
    }
    const params = { domain_id: result.data.domain.id };
    openAddress(isSecondary.value ? addressOf('records', params) : addressOf('setUp', params, { new: 'yes' }));
    return null;
  });

  if (isReader.value) return <p class="hint">{TEXTS.readsOnly}</p>;
  return (
    <form class="card narrow" onSubmit={submit}>
      <h1>{texts.title}</h1>
      {otherFailure !== null && <FailureNote failure={otherFailure} />}
      {taken.value !== null && (
        <div class="note">
          {taken.value.id === null ? (
            <p>{texts.takenElsewhere}</p>
          ) : (
            <p>
              {texts.takenHere} <a href={addressOf('records', { domain_id: taken.value.id })}>{texts.openTaken}</a>
            </p>
          )}
        </div>
      )}
      <Field
        label={texts.name}
        hint={texts.nameHint}
        fault={faultOf('/domain')}
        value={name}
        name="domain"
        autocomplete="off"
        required
        isFirst
      />
      <CheckField label={texts.isSecondary} hint={texts.isSecondaryHint} value={isSecondary} name="secondary" />
      {isSecondary.value && <PrimariesFields draft={primaries} faultOf={faultOf} />}
      <FormActions isRunning={isRunning.value} runningLabel={texts.submitting} label={texts.submit} from="domains" />
    </form>
  );
}

/** The domain of this account with the name. Null: there is none. */
async function findOwn(name: string): Promise<number | null> {
  const q = name.replace(/\.$/, '').toLowerCase();
  const result = await settle(api.GET('/api/v1/domains', { params: { query: { q } } }));
  if (!result.ok) return null;
  return result.data.domains.find(({ domain }) => domain === q || toUnicode(domain) === q)?.id ?? null;
}
