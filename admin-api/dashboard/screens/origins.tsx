/** The pools of origins of a domain: their health, a form for one more, and the whole document. */
import { useEffect, useMemo } from 'preact/hooks';
import type { OriginsEntryBody } from '../api/views.ts';
import { JsonForm } from '../edge/json-form.tsx';
import { AddPool } from '../origins/add-pool.tsx';
import { OriginsPage } from '../origins/origins-page.ts';
import { PoolList } from '../origins/pool-list.tsx';
import { ChangeArea } from '../parts/change-area.tsx';
import { FailureNote } from '../parts/notes.tsx';
import { Skeleton } from '../parts/skeleton.tsx';
import { isChangeOf, useChanges } from '../parts/use-changes.ts';
import type { ScreenProps } from '../screen.ts';
import { TEXTS } from '../texts.ts';

export function OriginsScreen({ domainId }: ScreenProps) {
  const page = useMemo(() => new OriginsPage(domainId), [domainId]);
  useEffect(() => void page.load(), [page]);
  useChanges(isChangeOf(domainId, 'proxy'), () => page.load());
  const document = page.document.value;
  return (
    <div class="stack">
      {page.failure.value !== null && <FailureNote failure={page.failure.value} retry={() => page.load()} />}
      {document === null && page.failure.value === null && <Skeleton />}
      {document !== null && (
        <ChangeArea hasNote>
          <PoolList page={page} />
          <AddPool page={page} />
          <JsonForm<OriginsEntryBody>
            key={document.revision}
            texts={TEXTS.origins.document}
            items={document.origins}
            replace={(origins) => page.replace(origins)}
          />
        </ChangeArea>
      )}
    </div>
  );
}
