/** Instructions for the registrar of a domain, the state of the delegation, and deletion. */

import { addressOf } from '../addresses.ts';
import type { Domain } from '../api/views.ts';
import { api, settle } from '../api.ts';
import { domainOf } from '../domain.ts';
import { announceDeleted, lastDay } from '../domains/bin.ts';
import { DelegationCheck } from '../domains/delegation-check.tsx';
import { DistributionForm } from '../domains/distribution-form.tsx';
import { toUnicode } from '../names.ts';
import { ConfirmAction } from '../parts/confirm.tsx';
import { CopyButton } from '../parts/copy-button.tsx';
import { Skeleton } from '../parts/skeleton.tsx';
import { PresentRecords } from '../records/present-records.tsx';
import { currentQuery, openPage } from '../router.ts';
import type { ScreenProps } from '../screen.ts';
import { isReader } from '../session.ts';
import { TEXTS } from '../texts.ts';

export function SetUp({ domainId }: ScreenProps) {
  const texts = TEXTS.setUp;
  const { domain, refresh } = domainOf(domainId);
  if (domain.value === null) return <Skeleton />;
  const { nameservers, kind, record_count: count } = domain.value;
  return (
    <div class="stack">
      <DelegationCheck domainId={domainId} />
      {count === 0 && kind === 'primary' && !isReader.value && (
        <PresentRecords domainId={domainId} isNew={currentQuery.value.has('new')} />
      )}
      <section class="card narrow">
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
      <DistributionForm domain={domain.value} reload={() => void refresh()} />
      {!isReader.value && <DeleteDomain domain={domain.value} />}
    </div>
  );
}

/** Deletes the domain of the page. */
function DeleteDomain({ domain }: { readonly domain: Domain }) {
  const texts = TEXTS.deleteDomain;
  const name = toUnicode(domain.domain);
  const remove = async () => {
    const params = { path: { domain_id: domain.id } };
    const result = await settle(api.DELETE('/api/v1/domains/{domain_id}', { params }));
    if (!result.ok) {
      const { failure } = result;
      if (failure.code !== 'dnssec_ds_present') return failure;
      return { ...failure, message: `${failure.message} ${texts.dsPresent}` };
    }
    announceDeleted([domain]);
    openPage('domains');
    return null;
  };
  return (
    <section class="card narrow">
      <h2>{texts.title}</h2>
      <p>
        {texts.explanation(domain.record_count)} {texts.bin(lastDay())}
      </p>
      <ConfirmAction
        open={texts.open}
        title={texts.confirmTitle(name)}
        explanation={`${texts.explanation(domain.record_count)} ${texts.bin(lastDay())}`}
        word={name}
        label={texts.submit}
        run={remove}
      >
        <a class="button button-quiet" href={addressOf('deletedDomains')}>
          {texts.toBin}
        </a>
      </ConfirmAction>
    </section>
  );
}
