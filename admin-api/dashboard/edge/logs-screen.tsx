/** The delivery of a domain's request logs: its state on each node, and its settings. */
import { useMemo } from 'preact/hooks';
import type { LogsBody, LogsDocument } from '../api/views.ts';
import { api, settle } from '../api.ts';
import type { ScreenProps } from '../screen.ts';
import { DocumentFrame } from './document-frame.tsx';
import { LogsForm } from './logs-form.tsx';
import { LogsState } from './logs-state.tsx';
import { type DocumentCalls, SiteDocument } from './site-document.ts';

const PATH = '/api/v1/domains/{domain_id}/proxy/logs';

const CALLS: DocumentCalls<LogsDocument, LogsBody> = {
  read: (params) => settle(api.GET(PATH, { params })),
  write: (params, body) => settle(api.PUT(PATH, { params, body })),
};

export function LogsScreen({ domainId }: ScreenProps) {
  const page = useMemo(() => new SiteDocument(domainId, CALLS), [domainId]);
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
