/** The actions for the selected domains: each runs one by one, and reports what failed. */
import { useSignal } from '@preact/signals';
import { announce } from '../../ui/parts/announce.tsx';
import type { ListedDomain } from '../api/views.ts';
import { api, settle } from '../api.ts';
import type { Failure } from '../failure.ts';
import { toUnicode } from '../names.ts';
import { Confirm } from '../parts/confirm.tsx';
import { isReader } from '../session.ts';
import { TEXTS } from '../texts.ts';
import { announceDeleted, lastDay } from './bin.ts';
import { runBulk } from './bulk.ts';
import { BulkDialog, type BulkTask } from './bulk-dialog.tsx';
import { ProxyPreview } from './proxy-preview.tsx';
import { type ArchivedFile, createTar } from './tar.ts';

/** The header with the revision of a write. */
const REVISION = 'X-Waypost-Revision';
/** Such a request is sent again. */
const TOO_MANY = 429;

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
  /** The state of the proxy that is previewed. Null: none. */
  const previewed = useSignal<boolean | null>(null);
  const start = (title: string, run: BulkTask['run'], more: Pick<BulkTask, 'finish' | 'offerUndo'> = {}): void => {
    task.value = { title, domains: selected, run, ...more };
  };
  const exportZones = (): void => {
    const zones = new ZoneExport();
    start(texts.exporting, zones.read, { finish: () => zones.save() });
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
          {[true, false].map((enable) => (
            <button
              key={String(enable)}
              type="button"
              class="button"
              onClick={() => {
                previewed.value = enable;
              }}
            >
              {enable ? texts.proxyOn : texts.proxyOff}
            </button>
          ))}
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
          explanation={texts.deleteText(lastDay())}
          word={selected.length === 1 ? toUnicode(selected[0].domain) : texts.deleteWord(selected.length)}
          label={texts.deleteSubmit(selected.length)}
          run={async () => {
            start(texts.deleting, deleteDomain, { offerUndo: announceDeleted });
            return null;
          }}
          onClose={() => {
            isConfirming.value = false;
          }}
        />
      )}
      {previewed.value !== null && (
        <ProxyPreview
          enable={previewed.value}
          selected={selected}
          run={(domains) => {
            const change = new ProxyChange(previewed.value!);
            const title = change.enable ? texts.proxyOn : texts.proxyOff;
            previewed.value = null;
            task.value = { title, domains, run: change.run, offerUndo: change.offerUndo };
          }}
          onClose={() => {
            previewed.value = null;
          }}
        />
      )}
      {task.value !== null && <BulkDialog task={task.value} onClose={close} />}
    </section>
  );
}

/** A bulk action for a single domain. Null on success. */
type Action = (domain: ListedDomain) => Promise<Failure | null>;

const path = ({ id }: ListedDomain) => ({ params: { path: { domain_id: id } } });

const failureIn = async (call: Parameters<typeof settle>[0]): Promise<Failure | null> => {
  const result = await settle(call);
  return result.ok ? null : result.failure;
};

/** Turns the proxies of domains on or off. An undo leaves domains that were changed since. */
class ProxyChange {
  /** By domain: its ETag after the change. */
  readonly #etags = new Map<number, string>();

  constructor(readonly enable: boolean) {}

  readonly run: Action = async (domain) => {
    const body = { enable: this.enable };
    const result = await settle(api.POST('/api/v1/domains/{domain_id}/proxy/toggle', { ...path(domain), body }));
    if (!result.ok) return result.failure;
    this.#etags.set(domain.id, `"${result.response.headers.get(REVISION)}"`);
    return null;
  };

  readonly offerUndo = (done: readonly ListedDomain[]): void => {
    const texts = TEXTS.bulk;
    announce(this.enable ? texts.proxyIsOn(done.length) : texts.proxyIsOff(done.length), {
      label: TEXTS.saving.undo,
      run: () => this.#undo(done),
      close: TEXTS.saving.closeMessage,
    });
  };

  async #undo(done: readonly ListedDomain[]): Promise<void> {
    const kept = new Set<number>();
    await runBulk({
      items: done,
      run: async ({ id }) => {
        const params = { path: { domain_id: id }, header: { 'If-Match': this.#etags.get(id)! } };
        const body = { enable: !this.enable };
        const failure = await failureIn(api.POST('/api/v1/domains/{domain_id}/proxy/toggle', { params, body }));
        if (failure !== null && failure.status !== TOO_MANY) kept.add(id);
        return failure;
      },
      onChange: () => {},
      signal: new AbortController().signal,
    });
    announce(kept.size === 0 ? TEXTS.saving.undone : TEXTS.bulk.notUndone(kept.size));
  }
}

const enableDnssec: Action = (domain) =>
  failureIn(api.PUT('/api/v1/domains/{domain_id}/dnssec', { ...path(domain), body: { enabled: true } }));

const deleteDomain: Action = (domain) => failureIn(api.DELETE('/api/v1/domains/{domain_id}', path(domain)));

/** Reads zone files. `save` then downloads them as one file. */
class ZoneExport {
  readonly #files: ArchivedFile[] = [];

  readonly read: Action = async (domain) => {
    const result = await settle(api.GET('/api/v1/domains/{domain_id}/zonefile', { ...path(domain), parseAs: 'text' }));
    if (!result.ok) return result.failure;
    // The name of a part of a reverse zone has a slash (RFC 2317).
    const name = `${domain.domain.replace(/[^\w.-]/g, '_')}.zone`;
    this.#files.push({ name, content: new TextEncoder().encode(result.data) });
    return null;
  };

  save(): void {
    if (this.#files.length === 0) return;
    const [first] = this.#files;
    if (this.#files.length === 1) saveFile(first.name, 'text/dns', [first.content]);
    else saveFile('zones.tar', 'application/x-tar', createTar(this.#files, Math.floor(Date.now() / 1000)));
  }
}

function saveFile(name: string, type: string, parts: readonly Uint8Array[]): void {
  const link = document.createElement('a');
  link.href = URL.createObjectURL(new Blob([...parts] as BlobPart[], { type }));
  link.download = name;
  link.click();
  setTimeout(() => URL.revokeObjectURL(link.href), 0);
}
