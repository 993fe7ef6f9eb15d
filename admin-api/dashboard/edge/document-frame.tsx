/** The frame around the forms of a document. Shows its state, and the choices after a conflict. */
import type { ComponentChildren } from 'preact';
import { useEffect } from 'preact/hooks';
import { ChangeArea } from '../parts/change-area.tsx';
import { FailureNote } from '../parts/notes.tsx';
import { Skeleton } from '../parts/skeleton.tsx';
import { isChangeOf, useChanges } from '../parts/use-changes.ts';
import { TEXTS } from '../texts.ts';
import type { SiteDocument } from './site-document.ts';
import { VersionList } from './version-list.tsx';

interface DocumentFrameProps<Content extends { readonly revision: number }, Body> {
  readonly page: SiteDocument<Content, Body>;
  /** The kind of its changes in events; the default is that of the sites' documents. */
  readonly kind?: string;
  /** Lists and forms that change the latest version. */
  readonly renderLatest?: (latest: Content) => ComponentChildren;
  /** The forms. They are created again for each new version. */
  readonly render: (stored: Content) => ComponentChildren;
}

export function DocumentFrame<Content extends { readonly revision: number }, Body>({
  page,
  kind = 'proxy',
  renderLatest,
  render,
}: DocumentFrameProps<Content, Body>) {
  useEffect(() => void page.load(), [page]);
  useChanges(isChangeOf(page.domainId, kind), () => page.load());
  const stored = page.stored.value;
  const latest = page.latest.value;
  const markEdited = () => {
    page.isEdited.value = true;
  };
  return (
    <div class="stack">
      {page.failure.value !== null && <FailureNote failure={page.failure.value} retry={() => page.load()} />}
      {stored === null && page.failure.value === null && <Skeleton />}
      {page.isOutdated.value && (
        <div class="note note-warning" role="alert">
          <p>{TEXTS.siteDocuments.outdated}</p>
          <div class="actions">
            <button type="button" class="button" onClick={() => page.keep()}>
              {TEXTS.siteDocuments.keep}
            </button>
            <button type="button" class="button" onClick={() => page.discard()}>
              {TEXTS.siteDocuments.discard}
            </button>
          </div>
        </div>
      )}
      {stored !== null && (
        <ChangeArea hasNote>
          {latest !== null && renderLatest?.(latest)}
          <div class="stack" key={stored.revision} onInput={markEdited}>
            {render(stored)}
          </div>
        </ChangeArea>
      )}
      {latest !== null && page.versions !== null && <VersionList page={page} versions={page.versions} />}
    </div>
  );
}
