/** The pools of origins of a domain: their health, a form to add one, and the document as JSON. */
import { useMemo } from 'preact/hooks';
import type { OriginsEntryBody } from '../api/views.ts';
import { DocumentFrame } from '../edge/document-frame.tsx';
import { JsonForm } from '../edge/json-form.tsx';
import { OriginsPage } from '../origins/origins-page.ts';
import { PoolForm } from '../origins/pool-form.tsx';
import { PoolList } from '../origins/pool-list.tsx';
import type { ScreenProps } from '../screen.ts';
import { TEXTS } from '../texts.ts';

export function OriginsScreen({ domainId }: ScreenProps) {
  const page = useMemo(() => new OriginsPage(domainId), [domainId]);
  return (
    <DocumentFrame
      page={page}
      renderLatest={({ origins }) => (
        <>
          <PoolList page={page} origins={origins} />
          <PoolForm page={page} origins={origins} stored={null} />
        </>
      )}
      render={(stored) => (
        <JsonForm<OriginsEntryBody>
          texts={TEXTS.origins.document}
          items={stored.origins}
          replace={(origins) => page.replace({ origins: [...origins] })}
        />
      )}
    />
  );
}
