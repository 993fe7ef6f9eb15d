/** The frame around the pages of a domain: the way to it, and its name. */
import type { ComponentChildren } from 'preact';
import { useEffect } from 'preact/hooks';
import { markOwner } from '../acting.ts';
import { addressOf } from '../addresses.ts';
import { domainOf } from '../domain.ts';
import { toUnicode } from '../names.ts';
import type { DomainPage } from '../navigation.ts';
import { TEXTS } from '../texts.ts';
import { FailureNote } from './notes.tsx';
import { usePageTitle } from './title.ts';
import { isChangeOf, useChanges } from './use-changes.ts';

interface DomainFrameProps {
  readonly domainId: number;
  readonly page: DomainPage;
  readonly children: ComponentChildren;
}

export function DomainFrame({ domainId, page, children }: DomainFrameProps) {
  const { domain, failure, load, refresh } = domainOf(domainId);
  useEffect(() => void load(), [domainId]);
  useChanges(isChangeOf(domainId, 'domain', 'records'), refresh);
  const owner = domain.value?.account_id;
  useEffect(() => {
    if (owner !== undefined) markOwner(owner);
  }, [owner]);
  const ascii = domain.value?.domain ?? '';
  const unicode = toUnicode(ascii);
  usePageTitle(TEXTS.tabs.title(TEXTS.tabs[page], unicode));
  if (failure.value !== null) return <FailureNote failure={failure.value} retry={load} />;
  return (
    <>
      <nav class="path" aria-label={TEXTS.breadcrumb}>
        <ol>
          <li>
            <a href={addressOf('domains')}>{TEXTS.navigation.domains}</a>
          </li>
          <li>
            <a href={addressOf('records', { domain_id: domainId })}>{unicode === '' ? '…' : unicode}</a>
          </li>
          <li aria-current="page">{TEXTS.tabs[page]}</li>
        </ol>
      </nav>
      <div class="domain-head">
        <h1>{unicode === '' ? '…' : unicode}</h1>
        {unicode !== ascii && <span class="hint">{ascii}</span>}
      </div>
      {children}
    </>
  );
}
