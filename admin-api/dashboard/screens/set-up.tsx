/** What to enter at the registrar of a domain. */
import { useSignal } from '@preact/signals';
import { useEffect } from 'preact/hooks';
import { addressOf } from '../addresses.ts';
import type { Domain } from '../api/views.ts';
import { api, settle } from '../api.ts';
import type { Failure } from '../failure.ts';
import { toUnicode } from '../names.ts';
import { CopyButton } from '../parts/copy-button.tsx';
import { FailureNote } from '../parts/notes.tsx';
import { Skeleton } from '../parts/skeleton.tsx';
import { usePageTitle } from '../parts/title.ts';
import { TEXTS } from '../texts.ts';

export function SetUp({ domainId }: { readonly domainId: number }) {
  const texts = TEXTS.setUp;
  const domain = useSignal<Domain | null>(null);
  const failure = useSignal<Failure | null>(null);
  const load = async (): Promise<void> => {
    const params = { path: { domain_id: domainId } };
    const result = await settle(api.GET('/api/v1/domains/{domain_id}', { params }));
    failure.value = result.ok ? null : result.failure;
    if (result.ok) domain.value = result.data.domain;
  };
  useEffect(() => void load(), [domainId]);
  const title = texts.title(domain.value === null ? '…' : toUnicode(domain.value.domain));
  usePageTitle(title);

  if (failure.value !== null) return <FailureNote failure={failure.value} retry={load} />;
  if (domain.value === null) return <Skeleton />;
  const { nameservers } = domain.value;
  return (
    <section class="card narrow">
      <h1>{title}</h1>
      <h2>{texts.heading}</h2>
      <p>{texts.explanation}</p>
      <ul class="copy-list">
        {nameservers.map((nameserver) => (
          <li key={nameserver}>
            <code>{nameserver}</code>
            <CopyButton text={nameserver} description={`${TEXTS.copy} ${nameserver}`} />
          </li>
        ))}
      </ul>
      <div class="actions">
        <CopyButton text={nameservers.join('\n')} label={texts.copyAll} />
      </div>
      <p>{texts.next}</p>
      <div class="actions">
        <a class="button button-main" href={addressOf('records', { domain_id: domainId })}>
          {texts.toRecords}
        </a>
      </div>
    </section>
  );
}
