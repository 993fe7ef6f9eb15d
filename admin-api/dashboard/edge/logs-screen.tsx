/** The delivery of a domain's request logs: its state on each node, and its settings. */
import { useMemo } from 'preact/hooks';
import type { ScreenProps } from '../screen.ts';
import { documentCalls } from './document-calls.ts';
import { DocumentFrame } from './document-frame.tsx';
import { LogsForm } from './logs-form.tsx';
import { LogsState } from './logs-state.tsx';
import { SiteDocument } from './site-document.ts';

export function LogsScreen({ domainId }: ScreenProps) {
  const page = useMemo(() => new SiteDocument(domainId, documentCalls('logs')), [domainId]);
  return (
    <DocumentFrame
      page={page}
      render={(stored) => (
        <>
          <LogsState domainId={domainId} isEnabled={stored.enabled} />
          <LogsForm page={page} stored={stored} />
        </>
      )}
    />
  );
}
