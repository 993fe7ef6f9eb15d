/** The zone file of a domain: import with a preview, and export. */
import { useSignal } from '@preact/signals';
import { useEffect, useId, useRef } from 'preact/hooks';
import { announce } from '../../ui/parts/announce.tsx';
import { addressOf } from '../addresses.ts';
import { api, settle } from '../api.ts';
import { domainOf } from '../domain.ts';
import type { Failure } from '../failure.ts';
import { toUnicode } from '../names.ts';
import { Confirm } from '../parts/confirm.tsx';
import { FailureNote } from '../parts/notes.tsx';
import { FileSource, NOTHING, type Source } from '../records/file-source.tsx';
import { ImportProgress } from '../records/import-progress.tsx';
import { ImportReport, type Previewed } from '../records/import-report.tsx';
import { editorOf } from '../records/zone-editor.ts';
import { fieldsOf, importZone, MAX_ADDED, previewImport } from '../records/zone-file.ts';
import { openPage } from '../router.ts';
import type { ScreenProps } from '../screen.ts';
import { isReader } from '../session.ts';
import { TEXTS } from '../texts.ts';

/** Milliseconds without input after which a preview starts. */
const TYPING_MS = 400;
/** Maximum number of listed records of each kind. */
const LISTED = 100;

/** The input of a preview. */
interface Input {
  readonly source: Source;
  readonly keepsApex: boolean;
}

export function ZoneFile({ domainId }: ScreenProps) {
  const texts = TEXTS.zoneFile;
  const ascii = domainOf(domainId).domain.value?.domain ?? '';
  return (
    <div class="zone-file">
      <div class="actions">
        <a class="button" href={`/api/v1/domains/${domainId}/zonefile`} download={`${ascii}.zone`}>
          {texts.export}
        </a>
      </div>
      {isReader.value ? <p class="hint">{texts.readsOnly}</p> : <Import domainId={domainId} ascii={ascii} />}
    </div>
  );
}

function Import({ domainId, ascii }: { readonly domainId: number; readonly ascii: string }) {
  const texts = TEXTS.zoneFile;
  const id = useId();
  const source = useSignal<Source>(NOTHING);
  const keepsApex = useSignal(false);
  const adds = useSignal(true);
  const previewed = useSignal<(Previewed & Input) | null>(null);
  const failure = useSignal<Failure | null>(null);
  const isWorking = useSignal(false);
  const isConfirming = useSignal(false);
  const isImporting = useSignal(false);
  /** Number of the latest preview. Responses to earlier previews are ignored. */
  const current = useRef(0);
  const isEmpty = source.value.text?.trim() === '';

  const preview = async (): Promise<void> => {
    const request = ++current.current;
    failure.value = null;
    if (isEmpty) {
      previewed.value = null;
      return;
    }
    isWorking.value = true;
    const input: Input = { source: source.peek(), keepsApex: keepsApex.peek() };
    const state = await settle(api.GET('/api/v1/domains/{domain_id}', { params: { path: { domain_id: domainId } } }));
    const result = state.ok ? await previewImport(domainId, input.source.body, LISTED, input.keepsApex) : state;
    if (request !== current.current) return;
    isWorking.value = false;
    if (!state.ok || !result.ok) {
      failure.value = state.ok ? (result as { failure: Failure }).failure : state.failure;
      previewed.value = null;
      return;
    }
    const { preview: changes, warnings = [], warnings_omitted: omitted = 0, records } = result.data;
    const etag = state.response.headers.get('etag') ?? '';
    if (changes !== undefined) previewed.value = { ...input, changes, warnings, omitted, records, etag };
  };
  useEffect(() => {
    const timer = setTimeout(preview, TYPING_MS);
    return () => clearTimeout(timer);
  }, [source.value, keepsApex.value, domainId]);

  const replace = async (): Promise<Failure | null> => {
    const { body } = source.peek();
    isImporting.value = true;
    const result = await importZone(domainId, body, keepsApex.peek(), previewed.peek()?.etag ?? '');
    isImporting.value = false;
    if (!result.ok) return result.failure;
    announce(texts.imported(result.data.records));
    openPage('records', { domain_id: domainId });
    return null;
  };
  const add = async (): Promise<void> => {
    const result = await previewImport(domainId, source.peek().body, MAX_ADDED, keepsApex.peek());
    if (!result.ok) {
      failure.value = result.failure;
      return;
    }
    editorOf(domainId).addAll((result.data.preview?.created.records ?? []).map(fieldsOf));
    openPage('records', { domain_id: domainId });
  };
  const start = async (): Promise<void> => {
    if (!canImport) return;
    if (adds.value) await add();
    else if ((previewed.value?.changes.deleted.count ?? 0) > 0) isConfirming.value = true;
    else failure.value = await replace();
  };
  const changes = previewed.value?.changes;
  const isTooLarge = adds.value && (changes?.created.count ?? 0) > MAX_ADDED;
  const hasWork =
    changes !== undefined &&
    (adds.value
      ? changes.created.count > 0
      : changes.created.count + changes.changed.count + changes.deleted.count > 0);
  // After any input, the shown preview is outdated.
  const isCurrent = previewed.value?.source === source.value && previewed.value.keepsApex === keepsApex.value;
  const canImport =
    hasWork && !isTooLarge && isCurrent && !isWorking.value && !isImporting.value && changes.errors.length === 0;

  return (
    <>
      <section class="card" aria-labelledby={`${id}-import`}>
        <h2 id={`${id}-import`}>{texts.importTitle}</h2>
        <p class="hint">{texts.explanation}</p>
        <FileSource
          source={source.value}
          onChange={(next) => {
            source.value = next;
          }}
        />
        <fieldset class="import-choices">
          <legend>{texts.how}</legend>
          {[true, false].map((value) => (
            <label key={String(value)} class="check">
              <input
                type="radio"
                name={`${id}-how`}
                checked={adds.value === value}
                onChange={() => {
                  adds.value = value;
                }}
              />
              {value ? texts.add : texts.replace}
            </label>
          ))}
          {!adds.value && (
            <label class="check">
              <input
                type="checkbox"
                checked={keepsApex.value}
                onChange={({ currentTarget }) => {
                  keepsApex.value = currentTarget.checked;
                }}
              />
              {texts.keepApex}
            </label>
          )}
        </fieldset>
      </section>
      {failure.value !== null && <FailureNote failure={failure.value} retry={preview} />}
      {isWorking.value && previewed.value === null && (
        <p class="hint" role="status">
          {texts.working}
        </p>
      )}
      {previewed.value !== null && (
        <>
          <ImportReport previewed={previewed.value} adds={adds.value} text={source.value.text} />
          {isImporting.value && !isConfirming.value && <ImportProgress domain={ascii} />}
          {isTooLarge && <p class="note note-bad">{texts.tooMany(MAX_ADDED)}</p>}
          <div class="actions">
            <button type="button" class="button button-main" aria-disabled={!canImport} onClick={start}>
              {adds.value ? texts.addNow(changes?.created.count ?? 0) : texts.replaceNow}
            </button>
            {!hasWork && <span class="hint">{texts.nothing}</span>}
            {(changes?.errors.length ?? 0) > 0 && <span class="fault">{texts.hasErrors}</span>}
            <a href={addressOf('records', { domain_id: domainId })}>{texts.toRecords}</a>
          </div>
        </>
      )}
      {isConfirming.value && (
        <Confirm
          title={texts.confirmTitle(toUnicode(ascii))}
          explanation={texts.confirm(changes?.deleted.count ?? 0)}
          word={toUnicode(ascii)}
          label={texts.replaceNow}
          run={replace}
          progress={<ImportProgress domain={ascii} />}
          onClose={() => {
            isConfirming.value = false;
          }}
        />
      )}
    </>
  );
}
