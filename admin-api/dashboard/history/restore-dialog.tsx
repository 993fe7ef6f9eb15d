/** Previews a restore and runs it. */
import { useSignal } from '@preact/signals';
import { useEffect } from 'preact/hooks';
import { announce } from '../../ui/parts/announce.tsx';
import { Modal } from '../../ui/parts/modal.tsx';
import type { CommentChange, DomainChange, RecordChange } from '../api/views.ts';
import { api, settle } from '../api.ts';
import type { Failure } from '../failure.ts';
import { DiffEntry } from '../parts/diff-entry.tsx';
import { FailureNote } from '../parts/notes.tsx';
import { Skeleton } from '../parts/skeleton.tsx';
import { Time } from '../parts/time.tsx';
import { TEXTS } from '../texts.ts';
import { commentLine, recordLine } from './change-lines.ts';

/** The domain has changed since the preview (RFC 9110 15.5.13). */
const PRECONDITION_FAILED = 412;

interface Preview {
  readonly records: readonly RecordChange[];
  readonly comments: readonly CommentChange[];
  /** Number of changed records. */
  readonly count: number;
  /** ETag of the domain state that the preview compares with. */
  readonly etag: string;
}

interface RestoreDialogProps {
  readonly domainId: number;
  readonly change: DomainChange;
  readonly onClose: () => void;
  readonly onRestored: () => void;
}

export function RestoreDialog({ domainId, change: { seq, at }, onClose, onRestored }: RestoreDialogProps) {
  const texts = TEXTS.history;
  const preview = useSignal<Preview | null>(null);
  const failure = useSignal<Failure | null>(null);
  const hasChanged = useSignal(false);
  const isRunning = useSignal(false);
  const send = (body: { dry_run: boolean }, etag?: string) =>
    settle(
      api.POST('/api/v1/domains/{domain_id}/history/{seq}/restore', {
        params: {
          path: { domain_id: domainId, seq },
          header: etag === undefined ? {} : { 'If-Match': etag },
        },
        body,
      }),
    );
  const load = async (): Promise<void> => {
    const result = await send({ dry_run: true });
    failure.value = result.ok ? null : result.failure;
    if (!result.ok) return;
    const { records, comments, record_count: count } = result.data;
    preview.value = { records, comments, count, etag: result.response.headers.get('etag') ?? '' };
  };
  useEffect(() => void load(), [seq]);
  const restore = async (): Promise<void> => {
    const shown = preview.peek();
    if (shown === null || shown.count + shown.comments.length === 0 || isRunning.peek()) return;
    isRunning.value = true;
    hasChanged.value = false;
    const result = await send({ dry_run: false }, shown.etag);
    isRunning.value = false;
    if (result.ok) {
      announce(texts.restored(result.data.record_count, result.data.comments.length));
      onRestored();
      onClose();
    } else if (result.failure.status === PRECONDITION_FAILED) {
      await load();
      hasChanged.value = true;
    } else failure.value = result.failure;
  };
  const { count, comments } = preview.value ?? { count: 0, comments: [] };
  const isEmpty = count + comments.length === 0;
  const records = preview.value?.records ?? [];
  const unlisted = count - records.length;
  return (
    <Modal title={texts.restoreTitle} onClose={onClose}>
      <p>
        {texts.restoreTime} <Time value={at} />
      </p>
      {failure.value !== null && <FailureNote failure={failure.value} />}
      {hasChanged.value && (
        <p class="note note-warning" role="alert">
          {texts.hasChanged}
        </p>
      )}
      {preview.value === null && failure.value === null && <Skeleton />}
      {preview.value !== null && <p>{isEmpty ? texts.nothing : texts.restoreExplanation}</p>}
      {!isEmpty && (
        <ul class="diff">
          {[...records.map(recordLine), ...comments.map(commentLine)].map((line, i) => (
            <DiffEntry key={i} {...line} />
          ))}
        </ul>
      )}
      {unlisted > 0 && <p class="hint">{texts.notListed(unlisted)}</p>}
      <div class="actions">
        {!isEmpty && (
          <button type="button" class="button button-main" aria-disabled={isRunning.value} onClick={restore}>
            {isRunning.value ? texts.restoring : texts.restoreSubmit(count, comments.length)}
          </button>
        )}
        <button type="button" class="button" onClick={onClose}>
          {isEmpty ? TEXTS.close : TEXTS.cancel}
        </button>
      </div>
    </Modal>
  );
}
