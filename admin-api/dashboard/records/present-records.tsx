/** Takes over the records that a new domain has at its current nameservers, as edits to review. */
import { useSignal } from '@preact/signals';
import { useEffect } from 'preact/hooks';
import { announce } from '../../ui/parts/announce.tsx';
import type { PresentRecordsView } from '../api/views.ts';
import { api, settle } from '../api.ts';
import { FailureNote } from '../parts/notes.tsx';
import { useAction } from '../parts/use-action.ts';
import { openPage } from '../router.ts';
import { TEXTS } from '../texts.ts';
import { editorOf } from './zone-editor.ts';

interface PresentRecordsProps {
  readonly domainId: number;
  /** Starts at once: the domain was just added. */
  readonly isNew: boolean;
}

export function PresentRecords({ domainId, isNew }: PresentRecordsProps) {
  const texts = TEXTS.presentRecords;
  const { isRunning, failure, run } = useAction();
  const found = useSignal<Awaited<ReturnType<typeof scan>> | null>(null);
  const left = useSignal<ReadonlySet<number>>(new Set());
  const start = () =>
    run(async () => {
      const result = await scan(domainId);
      if (!result.ok) return result.failure;
      found.value = result;
      left.value = new Set();
      return null;
    });
  useEffect(() => {
    if (isNew) void start();
  }, []);
  const data = found.value?.ok === true ? found.value.data : null;
  const records = data?.records ?? [];
  const chosen = records.filter((_, i) => !left.value.has(i));
  const add = (): void => {
    editorOf(domainId).addAll(chosen);
    announce(texts.added(chosen.length));
    openPage('records', { domain_id: domainId });
  };
  return (
    <section class="card narrow" aria-labelledby="present-records">
      <h2 id="present-records">{texts.title}</h2>
      <p>{texts.explanation}</p>
      {failure.value !== null && <FailureNote failure={failure.value} />}
      <p role="status" class={isRunning.value || data !== null ? undefined : 'hidden'}>
        {isRunning.value ? texts.running : data === null ? '' : resultText(data)}
      </p>
      {records.length > 0 && (
        // biome-ignore lint/a11y/noNoninteractiveTabindex: it scrolls by keyboard
        <section class="scroller" tabIndex={0} aria-label={texts.title}>
          <ul class="present-records">
            {records.map((record, i) => (
              <li key={`${record.name} ${record.type} ${record.content}`}>
                <label class="check">
                  <input
                    type="checkbox"
                    checked={!left.value.has(i)}
                    onChange={() => {
                      const next = new Set(left.value);
                      if (!next.delete(i)) next.add(i);
                      left.value = next;
                    }}
                  />
                  <span>
                    {record.name} <b>{record.type}</b> <code>{record.content}</code>
                  </span>
                </label>
              </li>
            ))}
          </ul>
        </section>
      )}
      <div class="actions">
        {records.length > 0 && (
          <button type="button" class="button button-main" aria-disabled={chosen.length === 0} onClick={add}>
            {texts.add(chosen.length)}
          </button>
        )}
        <button type="button" class="button" aria-disabled={isRunning.value} onClick={start}>
          {data === null ? texts.start : texts.again}
        </button>
      </div>
    </section>
  );
}

const scan = (domainId: number) =>
  settle(api.GET('/api/v1/domains/{domain_id}/present-records', { params: { path: { domain_id: domainId } } }));

function resultText({ error, is_own: isOwn, is_partial: isPartial, records, nameservers }: PresentRecordsView): string {
  const texts = TEXTS.presentRecords;
  if (error !== null) return texts.failed(error);
  if (isOwn) return texts.own;
  const found = texts.found(records.length, nameservers);
  return isPartial ? `${found} ${texts.partial}` : found;
}
