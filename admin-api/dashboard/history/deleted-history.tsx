/** The last changes of a deleted domain, in a dialog. */
import { useSignal } from '@preact/signals';
import { useEffect } from 'preact/hooks';
import { Modal } from '../../ui/parts/modal.tsx';
import type { DeletedDomain, DomainChange } from '../api/views.ts';
import { api, settle } from '../api.ts';
import type { Failure } from '../failure.ts';
import { toUnicode } from '../names.ts';
import { FailureNote } from '../parts/notes.tsx';
import { Skeleton } from '../parts/skeleton.tsx';
import { TEXTS } from '../texts.ts';
import { ChangeItem } from './change-item.tsx';

/** Changes that are shown. After a restore, all are on the page of the domain. */
const SHOWN = 25;

interface DeletedHistoryProps {
  readonly domain: DeletedDomain;
  readonly onClose: () => void;
}

export function DeletedHistory({ domain: { id, domain }, onClose }: DeletedHistoryProps) {
  const texts = TEXTS.deletedDomains;
  const changes = useSignal<readonly DomainChange[] | null>(null);
  const failure = useSignal<Failure | null>(null);
  const hasMore = useSignal(false);
  const load = async (): Promise<void> => {
    const params = { path: { domain_id: id }, query: { limit: SHOWN } };
    const result = await settle(api.GET('/api/v1/domains/{domain_id}/history', { params }));
    failure.value = result.ok ? null : result.failure;
    if (!result.ok) return;
    changes.value = result.data.changes;
    hasMore.value = result.data.next_cursor !== null;
  };
  useEffect(() => void load(), []);
  return (
    <Modal title={texts.historyOf(toUnicode(domain))} onClose={onClose}>
      {failure.value !== null && <FailureNote failure={failure.value} retry={load} />}
      {failure.value === null && changes.value === null && <Skeleton />}
      {changes.value !== null && (
        // biome-ignore lint/a11y/noNoninteractiveTabindex: scrolled by keyboard
        <ol class="changes changes-scroll" tabIndex={0} aria-label={texts.history}>
          {changes.value.map((change) => (
            <ChangeItem key={change.seq} change={change} isLatest={false} onRestore={null} />
          ))}
        </ol>
      )}
      {hasMore.value && <p class="hint">{texts.historyEnds(SHOWN)}</p>}
      <div class="actions">
        <button type="button" class="button" onClick={onClose}>
          {TEXTS.close}
        </button>
      </div>
    </Modal>
  );
}
