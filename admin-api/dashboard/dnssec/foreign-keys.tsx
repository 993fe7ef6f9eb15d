/** DNSKEY records of other providers that sign the zone as well. */
import { useSignal } from '@preact/signals';
import { useEffect } from 'preact/hooks';
import { announce } from '../../ui/parts/announce.tsx';
import { TextArea } from '../../ui/parts/text-area.tsx';
import type { ForeignKeyView, Pointer } from '../api/views.ts';
import { api, settle } from '../api.ts';
import type { Failure } from '../failure.ts';
import { Confirm } from '../parts/confirm.tsx';
import { FailureNote } from '../parts/notes.tsx';
import { useForm } from '../parts/use-form.ts';
import { TEXTS } from '../texts.ts';
import { DNSSEC, type DnssecPage } from './dnssec-page.ts';

export function ForeignKeys({ page }: { readonly page: DnssecPage }) {
  const texts = TEXTS.dnssec;
  const keys = useSignal<readonly ForeignKeyView[] | null>(null);
  const readFailure = useSignal<Failure | null>(null);
  const dnskey = useSignal('');
  const deleted = useSignal<ForeignKeyView | null>(null);
  const load = async (): Promise<void> => {
    const result = await settle(api.GET(`${DNSSEC}/foreign-keys`, { params: page.params }));
    readFailure.value = result.ok ? null : result.failure;
    if (result.ok) keys.value = result.data.foreign_keys;
  };
  useEffect(() => void load(), [page]);
  const { isRunning, otherFailure, faultOf, submit } = useForm<Pointer<'addForeignKey'>>(['/dnskey'], async () => {
    const body = { dnskey: dnskey.value.trim() };
    const result = await settle(api.POST(`${DNSSEC}/foreign-keys`, { params: page.params, body }));
    if (!result.ok) return result.failure;
    dnskey.value = '';
    announce(texts.foreignAdded);
    await load();
    return null;
  });
  const remove = async ({ id }: ForeignKeyView): Promise<Failure | null> => {
    const path = { ...page.params.path, foreign_key_id: id };
    const result = await settle(api.DELETE(`${DNSSEC}/foreign-keys/{foreign_key_id}`, { params: { path } }));
    if (!result.ok) return result.failure;
    announce(texts.foreignDeleted);
    await load();
    return null;
  };
  return (
    <details class="card">
      <summary>
        <h2>{texts.foreign}</h2>
      </summary>
      <div class="form">
        <p>{texts.foreignExplanation}</p>
        {readFailure.value !== null && <FailureNote failure={readFailure.value} retry={load} />}
        {keys.value?.length === 0 && <p class="hint">{texts.foreignNone}</p>}
        <ul class="copy-list">
          {(keys.value ?? []).map((key) => (
            <li key={key.id}>
              <code>{key.dnskey}</code>
              <button
                type="button"
                class="button"
                aria-label={texts.foreignDeleteKey(key.key_tag)}
                onClick={() => {
                  deleted.value = key;
                }}
              >
                {texts.foreignDelete}
              </button>
            </li>
          ))}
        </ul>
        <form class="form" onSubmit={submit}>
          {otherFailure !== null && <FailureNote failure={otherFailure} />}
          <TextArea
            label={texts.foreignLabel}
            hint={texts.foreignHint}
            fault={faultOf('/dnskey')}
            value={dnskey}
            name="dnskey"
            isCode
            rows={3}
          />
          <div class="actions">
            <button type="submit" class="button" aria-disabled={isRunning.value}>
              {texts.foreignAdd}
            </button>
          </div>
        </form>
      </div>
      {deleted.value !== null && (
        <Confirm
          title={texts.foreignDeleteKey(deleted.value.key_tag)}
          explanation={texts.foreignDeleteExplanation}
          word={String(deleted.value.key_tag)}
          label={texts.foreignDelete}
          run={() => remove(deleted.value!)}
          onClose={() => {
            deleted.value = null;
          }}
        />
      )}
    </details>
  );
}
