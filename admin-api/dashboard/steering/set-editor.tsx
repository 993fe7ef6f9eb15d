/** The steering of one record set: its form, the health of its answers, and a test. */
import { useSignal } from '@preact/signals';
import { useMemo } from 'preact/hooks';
import { announce } from '../../ui/parts/announce.tsx';
import type { SteeringBody, SteeringDocument } from '../api/views.ts';
import { api, settle } from '../api.ts';
import { DocumentFrame } from '../edge/document-frame.tsx';
import { SiteDocument } from '../edge/site-document.ts';
import { ConfirmAction } from '../parts/confirm.tsx';
import { Time } from '../parts/time.tsx';
import { TEXTS } from '../texts.ts';
import { ClientTest } from './client-test.tsx';
import { toDraft } from './draft.ts';
import { type RecordSet, steeringCalls } from './steering-calls.ts';
import { SteeringForm } from './steering-form.tsx';

interface SetEditorProps {
  readonly domainId: number;
  readonly set: RecordSet;
  readonly onDeleted: () => void;
}

export function SetEditor({ domainId, set, onDeleted }: SetEditorProps) {
  const page = useMemo(() => new SiteDocument(domainId, steeringCalls(set)), [domainId, set]);
  return (
    <DocumentFrame
      page={page}
      kind="steering"
      render={(stored) => <DocumentEditor page={page} stored={stored} set={set} onDeleted={onDeleted} />}
    />
  );
}

interface DocumentEditorProps extends Omit<SetEditorProps, 'domainId'> {
  readonly page: SiteDocument<SteeringDocument, SteeringBody>;
  readonly stored: SteeringDocument;
}

function DocumentEditor({ page, stored, set, onDeleted }: DocumentEditorProps) {
  const draft = useSignal(toDraft(stored));
  const { domainId } = page;
  return (
    <>
      <SteeringForm page={page} set={set} draft={draft} />
      <ClientTest domainId={domainId} set={set} draft={draft} />
      {stored.health.length > 0 && <HealthList health={stored.health} />}
      {stored.revision > 0 && <Deletion domainId={domainId} set={set} onDeleted={onDeleted} />}
    </>
  );
}

function HealthList({ health }: Pick<SteeringDocument, 'health'>) {
  const texts = TEXTS.steering.health;
  return (
    <section class="card">
      <h2>{texts.heading}</h2>
      <p>{texts.explanation}</p>
      <ul class="exposed">
        {health.map(({ pool, content, is_up, since, reason }) => (
          <li key={`${pool} ${content}`}>
            <p>
              {content} <span class="badge">{is_up === null ? texts.unknown : is_up ? texts.up : texts.down}</span>{' '}
              <span class="hint">
                {pool} {since !== null && <Time value={since} />} {reason}
              </span>
            </p>
          </li>
        ))}
      </ul>
    </section>
  );
}

function Deletion({ domainId, set, onDeleted }: Pick<SetEditorProps, 'domainId' | 'set' | 'onDeleted'>) {
  const texts = TEXTS.steering.deletion;
  const remove = async () => {
    const params = { path: { domain_id: domainId, ...set } };
    const result = await settle(api.DELETE('/api/v1/domains/{domain_id}/steering/{name}/{type}', { params }));
    if (!result.ok) return result.failure;
    announce(texts.deleted(set.name, set.type));
    onDeleted();
    return null;
  };
  return (
    <section class="card">
      <h2>{texts.heading}</h2>
      <p>{texts.explanation}</p>
      <ConfirmAction
        open={texts.open}
        title={texts.title(set.name, set.type)}
        explanation={texts.explanation}
        word={set.name}
        label={texts.now}
        run={remove}
      />
    </section>
  );
}
