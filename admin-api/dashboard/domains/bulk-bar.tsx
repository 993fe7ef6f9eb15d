/** The actions for the selected domains. */
import { useSignal } from '@preact/signals';
import type { ListedDomain } from '../api/views.ts';
import { toUnicode } from '../names.ts';
import { Confirm } from '../parts/confirm.tsx';
import { isReader } from '../session.ts';
import { TEXTS } from '../texts.ts';
import { deleteDomain, enableDnssec, setProxy, ZoneExport } from './actions.ts';
import { BulkDialog, type BulkTask } from './bulk-dialog.tsx';

interface BulkBarProps {
  readonly selected: readonly ListedDomain[];
  readonly onSelect: (domains: readonly ListedDomain[]) => void;
  /** Called after an action. */
  readonly onDone: () => void;
}

export function BulkBar({ selected, onSelect, onDone }: BulkBarProps) {
  const texts = TEXTS.bulk;
  const task = useSignal<BulkTask | null>(null);
  const isConfirming = useSignal(false);
  const start = (title: string, run: BulkTask['run'], finish?: () => void): void => {
    task.value = { title, domains: selected, run, finish };
  };
  const exportZones = (): void => {
    const zones = new ZoneExport();
    start(texts.exporting, zones.read, () => zones.save());
  };
  const close = (failed: readonly ListedDomain[]): void => {
    task.value = null;
    onSelect(failed);
    onDone();
  };
  return (
    <section class="save-bar bulk-bar" aria-label={texts.label}>
      <p>{texts.selected(selected.length)}</p>
      {!isReader.value && (
        <>
          <button type="button" class="button" onClick={() => start(texts.proxyOn, setProxy(true))}>
            {texts.proxyOn}
          </button>
          <button type="button" class="button" onClick={() => start(texts.proxyOff, setProxy(false))}>
            {texts.proxyOff}
          </button>
          <button type="button" class="button" onClick={() => start(texts.dnssecOn, enableDnssec)}>
            {texts.dnssecOn}
          </button>
        </>
      )}
      <button type="button" class="button" onClick={exportZones}>
        {texts.export}
      </button>
      {!isReader.value && (
        <button
          type="button"
          class="button button-bad"
          onClick={() => {
            isConfirming.value = true;
          }}
        >
          {texts.delete}
        </button>
      )}
      <button type="button" class="button button-quiet" onClick={() => onSelect([])}>
        {texts.clear}
      </button>
      {isConfirming.value && (
        <Confirm
          title={texts.deleteTitle(selected.length)}
          explanation={texts.deleteText}
          word={selected.length === 1 ? toUnicode(selected[0].domain) : texts.deleteWord(selected.length)}
          label={texts.deleteSubmit(selected.length)}
          run={async () => {
            start(texts.deleting, deleteDomain);
            return null;
          }}
          onClose={() => {
            isConfirming.value = false;
          }}
        />
      )}
      {task.value !== null && <BulkDialog task={task.value} onClose={close} />}
    </section>
  );
}
