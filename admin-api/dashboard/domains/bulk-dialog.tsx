/** Shows the progress and the failures of a bulk action. */
import { useSignal } from '@preact/signals';
import { useEffect } from 'preact/hooks';
import { Modal } from '../../ui/parts/modal.tsx';
import type { ListedDomain } from '../api/views.ts';
import type { Failure } from '../failure.ts';
import { toUnicode } from '../names.ts';
import { TEXTS } from '../texts.ts';
import { type BulkState, runBulk } from './bulk.ts';

export interface BulkTask {
  readonly title: string;
  readonly domains: readonly ListedDomain[];
  readonly run: (domain: ListedDomain) => Promise<Failure | null>;
  /** Called after the last domain. */
  readonly finish?: () => void;
  /** Called when the dialog is closed, with the domains that the action was done for. */
  readonly offerUndo?: (done: readonly ListedDomain[]) => void;
}

interface BulkDialogProps {
  readonly task: BulkTask;
  /** `failed`: domains to keep selected. */
  readonly onClose: (failed: readonly ListedDomain[]) => void;
}

export function BulkDialog({ task, onClose }: BulkDialogProps) {
  const texts = TEXTS.bulk;
  const { title, domains, run, finish, offerUndo } = task;
  const succeeded = useSignal<readonly ListedDomain[]>([]);
  const state = useSignal<BulkState<ListedDomain>>({
    done: 0,
    total: domains.length,
    failures: [],
    isWaiting: false,
  });
  const isRunning = useSignal(true);
  const stop = useSignal(new AbortController());
  useEffect(() => {
    const { signal } = stop.peek();
    const onChange = (next: BulkState<ListedDomain>): void => {
      state.value = next;
    };
    const noteDone: BulkTask['run'] = async (domain) => {
      const failure = await run(domain);
      if (failure === null) succeeded.value = [...succeeded.peek(), domain];
      return failure;
    };
    void runBulk({ items: domains, run: noteDone, onChange, signal }).then(() => {
      isRunning.value = false;
      finish?.();
    });
    return () => stop.peek().abort();
  }, []);
  const { done, total, failures, isWaiting } = state.value;
  const close = (): void => {
    onClose(failures.map(({ item }) => item));
    if (succeeded.value.length > 0) offerUndo?.(succeeded.value);
  };
  return (
    <Modal title={title} onClose={close}>
      <progress aria-label={title} max={total} value={done} />
      <p role="status">
        {isRunning.value && isWaiting
          ? texts.waiting
          : isRunning.value
            ? texts.running(done, total)
            : texts.finished(done - failures.length, total)}
      </p>
      {failures.length > 0 && <Failures failures={failures} />}
      <div class="actions">
        {isRunning.value ? (
          <button type="button" class="button" onClick={() => stop.peek().abort()}>
            {texts.stop}
          </button>
        ) : (
          <button type="button" class="button button-main" onClick={close}>
            {TEXTS.close}
          </button>
        )}
      </div>
    </Modal>
  );
}

function Failures({ failures }: { readonly failures: BulkState<ListedDomain>['failures'] }) {
  const texts = TEXTS.bulk;
  const hasDs = failures.some(({ failure }) => failure.code === 'dnssec_ds_present');
  return (
    <section class="note note-bad">
      <h3>{texts.failed(failures.length)}</h3>
      <ul class="failures">
        {failures.map(({ item, failure }) => (
          <li key={item.id}>
            <strong>{toUnicode(item.domain)}</strong>: {failure.message}
          </li>
        ))}
      </ul>
      {hasDs && <p>{TEXTS.deleteDomain.dsPresent}</p>}
    </section>
  );
}
