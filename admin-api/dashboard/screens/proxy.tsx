/** The proxy of a domain: switch, origin, certificate, HSTS, exposed records and purges. */
import { useEffect, useMemo } from 'preact/hooks';
import { addressOf } from '../addresses.ts';
import type { ProxyView } from '../api/views.ts';
import { api, settle } from '../api.ts';
import { domainOf } from '../domain.ts';
import { ChangeArea } from '../parts/change-area.tsx';
import { FailureNote } from '../parts/notes.tsx';
import { Skeleton } from '../parts/skeleton.tsx';
import { useAction } from '../parts/use-action.ts';
import { isChangeOf, useChanges } from '../parts/use-changes.ts';
import { CertificateSection } from '../proxy/certificate-section.tsx';
import { ExposedList } from '../proxy/exposed-list.tsx';
import { HstsForm } from '../proxy/hsts-form.tsx';
import { OriginForm } from '../proxy/origin-form.tsx';
import { ProxyPage } from '../proxy/proxy-page.ts';
import { PurgeForm } from '../proxy/purge-form.tsx';
import type { ScreenProps } from '../screen.ts';
import { TEXTS } from '../texts.ts';

/** Forms are created anew when the stored values have changed. */
const originKey = ({ origin_host, origin_port, origin_protocol }: ProxyView): string =>
  `origin ${origin_host} ${origin_port} ${origin_protocol}`;
const hstsKey = ({ hsts_max_age, hsts_include_subdomains, hsts_preload }: ProxyView): string =>
  `hsts ${hsts_max_age} ${hsts_include_subdomains} ${hsts_preload}`;

export function ProxyScreen({ domainId }: ScreenProps) {
  const page = useMemo(() => new ProxyPage(domainId), [domainId]);
  useEffect(() => void page.load(), [page]);
  const proxy = page.proxy.value;
  useChanges(isChangeOf(domainId, 'proxy', 'certificate', 'records'), () => page.load());
  return (
    <div class="stack">
      {page.failure.value !== null && <FailureNote failure={page.failure.value} retry={() => page.load()} />}
      {proxy === null && page.failure.value === null && <Skeleton />}
      {proxy !== null && (
        <ChangeArea hasNote>
          <StateSection page={page} />
          <OriginForm key={originKey(proxy)} page={page} />
          <CertificateSection page={page} />
          <ExposedList page={page} />
          <HstsForm key={hstsKey(proxy)} page={page} />
          <PurgeForm page={page} />
        </ChangeArea>
      )}
    </div>
  );
}

/** The state of the proxy, its switch, and warnings. */
function StateSection({ page }: { readonly page: ProxyPage }) {
  const texts = TEXTS.proxy;
  const { isRunning, failure, run } = useAction();
  const proxy = page.proxy.value!;
  const isOn = proxy.is_enabled === 1;
  const toggle = async (): Promise<void> => {
    const call = () =>
      settle(api.POST('/api/v1/domains/{domain_id}/proxy/toggle', { params: page.params, body: { enable: !isOn } }));
    if (await run(() => page.change(call()))) await domainOf(page.domainId).load();
  };
  return (
    <section class="card">
      <div class="card-head">
        <h2>
          {isOn ? texts.isOn : texts.isOff} <span class={isOn ? 'dot dot-good' : 'dot'} aria-hidden="true" />
        </h2>
        <button
          type="button"
          class={isOn ? 'button' : 'button button-main'}
          aria-disabled={isRunning.value}
          onClick={toggle}
        >
          {isOn ? texts.turnOff : texts.turnOn}
        </button>
      </div>
      <p>{isOn ? texts.onText : texts.offText}</p>
      {failure.value !== null && <FailureNote failure={failure.value} />}
      {proxy.warnings.length > 0 && (
        <div class="note note-warning">
          <p class="strong">{texts.warnings}</p>
          <ul>
            {proxy.warnings.map((warning) => (
              <li key={warning}>{warning}</li>
            ))}
          </ul>
        </div>
      )}
      {isOn && (
        <p>
          <a href={addressOf('requests', { domain_id: page.domainId })}>{texts.toRequests}</a>
        </p>
      )}
    </section>
  );
}
