/** The stored versions of a document: author, content, and a button to restore each. */
import { useSignal } from '@preact/signals';
import { useEffect, useMemo } from 'preact/hooks';
import { announce } from '../../ui/parts/announce.tsx';
import { Modal } from '../../ui/parts/modal.tsx';
import type { DocumentVersion } from '../api/views.ts';
import type { Failure } from '../failure.ts';
import { ChangeArea } from '../parts/change-area.tsx';
import { CodeBlock } from '../parts/code-block.tsx';
import { LatestResponse } from '../parts/latest-response.ts';
import { FailureNote } from '../parts/notes.tsx';
import { Skeleton } from '../parts/skeleton.tsx';
import { Time } from '../parts/time.tsx';
import { TEXTS } from '../texts.ts';
import type { SiteDocument, VersionCalls } from './site-document.ts';

/** Fields that are metadata of a version, not settings. */
const ABOUT_VERSION: ReadonlySet<string> = new Set(['ok', 'revision', 'updated_at']);

interface VersionListProps<Content extends { readonly revision: number }, Body> {
  readonly page: SiteDocument<Content, Body>;
  readonly versions: VersionCalls<Content>;
}

export function VersionList<Content extends { readonly revision: number }, Body>({
  page,
  versions,
}: VersionListProps<Content, Body>) {
  const texts = TEXTS.siteDocuments.versions;
  const isOpen = useSignal(false);
  const list = useSignal<readonly DocumentVersion[] | null>(null);
  const failure = useSignal<Failure | null>(null);
  const shown = useSignal<DocumentVersion | null>(null);
  const latest = useMemo(() => new LatestResponse(), []);
  const load = async (): Promise<void> => {
    const request = latest.begin();
    const result = await versions.list({ path: { domain_id: page.domainId } });
    if (!latest.mayShow(request)) return;
    failure.value = result.ok ? null : result.failure;
    if (result.ok) list.value = result.data.versions;
  };
  const revision = page.latest.value?.revision;
  useEffect(() => {
    if (isOpen.value) void load();
  }, [isOpen.value, revision]);
  return (
    <section class="card">
      <details
        onToggle={({ currentTarget }) => {
          isOpen.value = currentTarget.open;
        }}
      >
        <summary>{texts.heading}</summary>
        <div class="form">
          <p>{texts.explanation}</p>
          {failure.value !== null && <FailureNote failure={failure.value} retry={load} />}
          {list.value === null && failure.value === null && <Skeleton />}
          {list.value?.length === 0 && <p>{texts.none}</p>}
          <ul class="exposed">
            {(list.value ?? []).map((version) => (
              <li key={version.revision}>
                <p>
                  {texts.title(version.revision)} {version.is_current && <span class="badge">{texts.current}</span>}{' '}
                  <span class="hint">
                    <Time value={version.updated_at} format="relative" />{' '}
                    {version.actor !== null && texts.by(version.actor.username)}
                    {version.actor?.token_name != null && ` ${texts.with(version.actor.token_name)}`}
                  </span>
                </p>
                <button
                  type="button"
                  class="button"
                  aria-label={texts.showOf(version.revision)}
                  onClick={() => {
                    shown.value = version;
                  }}
                >
                  {texts.show}
                </button>
              </li>
            ))}
          </ul>
        </div>
      </details>
      {shown.value !== null && (
        <VersionDialog
          page={page}
          versions={versions}
          version={shown.value}
          onClose={() => {
            shown.value = null;
          }}
        />
      )}
    </section>
  );
}

interface VersionDialogProps<Content extends { readonly revision: number }, Body>
  extends VersionListProps<Content, Body> {
  readonly version: DocumentVersion;
  readonly onClose: () => void;
}

function VersionDialog<Content extends { readonly revision: number }, Body>({
  page,
  versions,
  version: { revision },
  onClose,
}: VersionDialogProps<Content, Body>) {
  const texts = TEXTS.siteDocuments.versions;
  const content = useSignal<Content | null>(null);
  const failure = useSignal<Failure | null>(null);
  const isRunning = useSignal(false);
  const load = async (): Promise<void> => {
    const result = await versions.read({ path: { domain_id: page.domainId, revision } });
    failure.value = result.ok ? null : result.failure;
    if (result.ok) content.value = result.data;
  };
  useEffect(() => void load(), [revision]);
  const restore = async (): Promise<void> => {
    if (isRunning.peek()) return;
    isRunning.value = true;
    const result = await page.restore(versions, revision);
    isRunning.value = false;
    failure.value = result.ok ? null : result.failure;
    if (!result.ok) return;
    announce(texts.restored(result.data.revision, revision));
    onClose();
  };
  const isCurrent = page.latest.value?.revision === revision;
  return (
    <Modal title={texts.title(revision)} onClose={onClose}>
      {failure.value !== null && <FailureNote failure={failure.value} />}
      {content.value === null && failure.value === null && <Skeleton />}
      {content.value !== null && <CodeBlock label={texts.label} text={asJson(content.value)} />}
      <div class="actions">
        {content.value !== null && !isCurrent && (
          <ChangeArea>
            <button type="button" class="button button-main" aria-disabled={isRunning.value} onClick={restore}>
              {texts.restore}
            </button>
          </ChangeArea>
        )}
        <button type="button" class="button" onClick={onClose}>
          {TEXTS.close}
        </button>
      </div>
    </Modal>
  );
}

const asJson = (content: object): string =>
  JSON.stringify(Object.fromEntries(Object.entries(content).filter(([name]) => !ABOUT_VERSION.has(name))), null, 2);
