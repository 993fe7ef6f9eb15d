/** DNSSEC of a domain: switch, DS record, parent zone, keys and their replacement. */
import { useEffect, useMemo } from 'preact/hooks';
import { DnssecPage } from '../dnssec/dnssec-page.ts';
import { DsSection } from '../dnssec/ds-section.tsx';
import { ForeignKeys } from '../dnssec/foreign-keys.tsx';
import { KeysSection } from '../dnssec/keys-section.tsx';
import { ParentSection } from '../dnssec/parent-section.tsx';
import { SignForm } from '../dnssec/sign-form.tsx';
import { StatusSection } from '../dnssec/status-section.tsx';
import { ChangeArea } from '../parts/change-area.tsx';
import { FailureNote } from '../parts/notes.tsx';
import { Skeleton } from '../parts/skeleton.tsx';
import { isChangeOf, useChanges } from '../parts/use-changes.ts';
import type { ScreenProps } from '../screen.ts';

export function Dnssec({ domainId }: ScreenProps) {
  const page = useMemo(() => new DnssecPage(domainId), [domainId]);
  useEffect(() => void page.load(), [page]);
  const zone = page.zone.value;
  useChanges(isChangeOf(domainId, 'dnssec'), () => page.load());
  return (
    <div class="stack">
      {page.failure.value !== null && <FailureNote failure={page.failure.value} retry={() => page.load()} />}
      {zone === null && page.failure.value === null && <Skeleton />}
      {zone?.status === 'off' && (
        <ChangeArea hasNote>
          <SignForm page={page} />
        </ChangeArea>
      )}
      {zone !== null && zone.status !== 'off' && (
        <>
          <ChangeArea hasNote>
            <StatusSection page={page} />
          </ChangeArea>
          <DsSection zone={zone} />
          <ChangeArea>
            <ParentSection page={page} />
            <KeysSection page={page} />
            <ForeignKeys page={page} />
          </ChangeArea>
        </>
      )}
    </div>
  );
}
