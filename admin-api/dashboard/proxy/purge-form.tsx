/** Purges the cache of the domain: everything, or the entered URLs, prefixes or tags. */
import { useSignal } from '@preact/signals';
import { CheckField } from '../../ui/parts/check-field.tsx';
import { SelectField } from '../../ui/parts/select-field.tsx';
import { TextArea } from '../../ui/parts/text-area.tsx';
import { api, settle } from '../api.ts';
import { FailureNote } from '../parts/notes.tsx';
import { useForm } from '../parts/use-form.ts';
import { TEXTS } from '../texts.ts';
import type { ProxyPage } from './proxy-page.ts';

type Scope = keyof typeof TEXTS.proxy.purge.scopes;

const SCOPES = (Object.keys(TEXTS.proxy.purge.scopes) as Scope[]).map((value) => ({
  value,
  label: TEXTS.proxy.purge.scopes[value],
}));

export function PurgeForm({ page }: { readonly page: ProxyPage }) {
  const texts = TEXTS.proxy.purge;
  const scope = useSignal<string>('urls');
  const lines = useSignal('');
  const isPrefetched = useSignal(false);
  const isEmpty = useSignal(false);
  const done = useSignal('');
  const chosen = scope.value as Scope;
  const { isRunning, failure, submit } = useForm([], async () => {
    done.value = '';
    const entries = lines.value.split('\n').flatMap((line) => (line.trim() === '' ? [] : [line.trim()]));
    // An empty list would purge everything.
    isEmpty.value = chosen !== 'all' && entries.length === 0;
    if (isEmpty.value) return null;
    const body = { ...(chosen === 'all' ? {} : { [chosen]: entries }), prefetch: isPrefetched.value };
    const result = await settle(api.POST('/api/v1/domains/{domain_id}/proxy/purge', { params: page.params, body }));
    if (!result.ok) return result.failure;
    const { everything, urls, prefixes, tags, prefetch } = result.data.purge;
    const counted = texts.counted(urls.length, prefixes.length, tags.length);
    done.value = texts.done(everything ? texts.everything : counted) + (prefetch ? ` ${texts.prefetched}` : '');
    lines.value = '';
    return null;
  });
  return (
    <form class="card" onSubmit={submit}>
      <h2>{texts.heading}</h2>
      <p>{texts.explanation}</p>
      {failure.value !== null && <FailureNote failure={failure.value} />}
      <SelectField label={texts.scope} value={scope} name="scope" choices={SCOPES} />
      {chosen !== 'all' && (
        <TextArea
          label={texts.entries[chosen]}
          hint={texts.hints[chosen](page.domain.value)}
          fault={isEmpty.value ? texts.nothing : undefined}
          value={lines}
          name="entries"
          isCode
        />
      )}
      <CheckField label={texts.prefetch} hint={texts.prefetchHint} value={isPrefetched} name="prefetch" />
      <div class="actions">
        <button type="submit" class="button button-main" aria-disabled={isRunning.value}>
          {chosen === 'all' ? texts.submitAll : texts.submit}
        </button>
      </div>
      <div role="status">{done.value !== '' && <p class="note note-good">{done.value}</p>}</div>
    </form>
  );
}
