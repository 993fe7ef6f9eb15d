/** Instructions for the registrar of a domain, and the state of the delegation. */
import { addressOf } from '../addresses.ts';
import { domainOf } from '../domain.ts';
import { DelegationCheck } from '../domains/delegation-check.tsx';
import { DeleteDomain } from '../domains/delete-domain.tsx';
import { CopyButton } from '../parts/copy-button.tsx';
import { Skeleton } from '../parts/skeleton.tsx';
import type { ScreenProps } from '../screen.ts';
import { isReader } from '../session.ts';
import { TEXTS } from '../texts.ts';

export function SetUp({ domainId }: ScreenProps) {
  const texts = TEXTS.setUp;
  const { domain } = domainOf(domainId);
  if (domain.value === null) return <Skeleton />;
  const { nameservers } = domain.value;
  return (
    <div class="stack">
      <DelegationCheck domainId={domainId} />
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
      {!isReader.value && <DeleteDomain domain={domain.value} />}
    </div>
  );
}
