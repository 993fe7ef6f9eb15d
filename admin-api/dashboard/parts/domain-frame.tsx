/** The frame around the pages of a domain: its name, and a tab for each page. */
import type { ComponentChildren } from 'preact';
import { useEffect, useRef } from 'preact/hooks';
import { markOwner } from '../acting.ts';
import { addressOf } from '../addresses.ts';
import { domainOf } from '../domain.ts';
import { toUnicode } from '../names.ts';
import { DOMAIN_TABS, type DomainPage, isProxyPage, PROXY_TABS } from '../navigation.ts';
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
  const tabs = useRef<HTMLElement>(null);
  const isRead = domain.value !== null;
  const proxyTabs = useRef<HTMLElement>(null);
  useEffect(() => {
    showCurrentTab(tabs.current);
    showCurrentTab(proxyTabs.current);
  }, [page, isRead]);
  const ascii = domain.value?.domain ?? '';
  const unicode = toUnicode(ascii);
  usePageTitle(TEXTS.tabs.title(TEXTS.tabs[page], unicode));
  if (failure.value !== null) return <FailureNote failure={failure.value} retry={load} />;
  return (
    <>
      <div class="domain-head">
        <h1>{unicode === '' ? '…' : unicode}</h1>
        {unicode !== ascii && <span class="hint">{ascii}</span>}
      </div>
      <nav class="tabs" ref={tabs} aria-label={TEXTS.tabs.label}>
        {DOMAIN_TABS.map((tab) => (
          <a key={tab} href={addressOf(tab, { domain_id: domainId })} aria-current={currentOf(tab, page)}>
            {TEXTS.tabs[tab]}
          </a>
        ))}
      </nav>
      {isProxyPage(page) && (
        <nav class="tabs" ref={proxyTabs} aria-label={TEXTS.tabs.proxyLabel}>
          {PROXY_TABS.map((tab) => (
            <a
              key={tab}
              href={addressOf(tab, { domain_id: domainId })}
              aria-current={tab === page ? 'page' : undefined}
            >
              {tab === 'proxy' ? TEXTS.tabs.proxySettings : TEXTS.tabs[tab]}
            </a>
          ))}
        </nav>
      )}
      {children}
    </>
  );
}

/** The proxy tab is active on all pages of the proxy. */
function currentOf(tab: DomainPage, page: DomainPage): 'page' | 'true' | undefined {
  if (tab === 'proxy' && isProxyPage(page)) return 'true';
  return tab === page ? 'page' : undefined;
}

/** Scrolls the active tab into view in narrow windows. */
function showCurrentTab(tabs: HTMLElement | null): void {
  const tab = tabs?.querySelector<HTMLElement>('[aria-current]');
  if (tabs === null || tab == null) return;
  tabs.scrollLeft = tab.offsetLeft - tabs.offsetLeft - (tabs.clientWidth - tab.clientWidth) / 2;
}
