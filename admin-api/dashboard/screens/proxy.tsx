/** The proxy of a domain: switch, origin, certificate, HSTS, exposed records and purges. */
import { useEffect, useMemo } from 'preact/hooks';
import type { ProxyView } from '../api/views.ts';
import { ChangeArea } from '../parts/change-area.tsx';
import { FailureNote } from '../parts/notes.tsx';
import { Skeleton } from '../parts/skeleton.tsx';
import { isChangeOf, useChanges } from '../parts/use-changes.ts';
import { CertificateSection } from '../proxy/certificate-section.tsx';
import { ExposedList } from '../proxy/exposed-list.tsx';
import { HstsForm } from '../proxy/hsts-form.tsx';
import { OriginForm } from '../proxy/origin-form.tsx';
import { ProxyPage } from '../proxy/proxy-page.ts';
import { PurgeForm } from '../proxy/purge-form.tsx';
import { StateSection } from '../proxy/state-section.tsx';
import type { ScreenProps } from '../screen.ts';

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
