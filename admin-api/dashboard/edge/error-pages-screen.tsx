/** The error pages of a domain. */
import { type Signal, signal, useSignal } from '@preact/signals';
import { useMemo, useRef } from 'preact/hooks';
import { Field } from '../../ui/parts/field.tsx';
import { TextArea } from '../../ui/parts/text-area.tsx';
import type { ErrorPagesBody, ErrorPagesDocument, Pointer } from '../api/views.ts';
import type { FaultOf } from '../parts/use-form.ts';
import type { ScreenProps } from '../screen.ts';
import { TEXTS } from '../texts.ts';
import { versionedCalls } from './document-calls.ts';
import { DocumentForm } from './document-form.tsx';
import { DocumentFrame } from './document-frame.tsx';
import { PreviewLink } from './preview-link.tsx';
import { SiteDocument } from './site-document.ts';

type ErrorPages = SiteDocument<ErrorPagesDocument, ErrorPagesBody>;

interface PageDraft {
  readonly key: number;
  readonly status: Signal<string>;
  readonly html: Signal<string>;
  readonly isNew: boolean;
}

let keys = 0;

const draftOf = (status: string, html: string, isNew: boolean): PageDraft => ({
  key: ++keys,
  isNew,
  status: signal(status),
  html: signal(html),
});

export function ErrorPagesScreen({ domainId }: ScreenProps) {
  const page = useMemo(() => new SiteDocument(domainId, versionedCalls('error-pages')), [domainId]);
  return <DocumentFrame page={page} render={(stored) => <ErrorPagesForm page={page} stored={stored} />} />;
}

function ErrorPagesForm({ page, stored }: { readonly page: ErrorPages; readonly stored: ErrorPagesDocument }) {
  const texts = TEXTS.errorPages;
  const drafts = useSignal(
    useMemo(() => stored.pages.map(({ status, html }) => draftOf(status, html, false)), [stored]),
  );
  const maintenance = useSignal(stored.maintenance ?? '');
  const addButton = useRef<HTMLButtonElement>(null);
  const change = (changed: readonly PageDraft[]) => {
    page.isEdited.value = true;
    drafts.value = [...changed];
  };
  const remove = (draft: PageDraft) => {
    change(drafts.value.filter((other) => other !== draft));
    addButton.current?.focus();
  };
  const read = (): ErrorPagesBody => ({
    pages: drafts.value.map(({ status, html }) => ({ status: status.value.trim(), html: html.value })),
    maintenance: maintenance.value.trim() === '' ? null : maintenance.value,
  });
  const pages = drafts.value.map((_, i) => `/pages/${i}` as const);
  const pointers = pages.flatMap((at) => [`${at}/status`, `${at}/html`] as const);
  return (
    <DocumentForm<Pointer<'setErrorPages'>, ErrorPagesBody>
      pointers={['/maintenance', ...pointers]}
      read={read}
      replace={(body) => page.replace(body)}
      render={(faultOf) => (
        <>
          <section class="card">
            <h2>{texts.heading}</h2>
            <p>{texts.explanation}</p>
            <p class="hint">{texts.placeholders}</p>
            {drafts.value.length === 0 && (
              <p>
                {texts.empty} {texts.emptyHint}
              </p>
            )}
            <div class="actions">
              <button
                type="button"
                class="button"
                ref={addButton}
                onClick={() => change([...drafts.value, draftOf('5xx', texts.starter, true)])}
              >
                {texts.add}
              </button>
            </div>
          </section>
          {drafts.value.map((draft, i) => (
            <PageCard
              key={draft.key}
              domainId={page.domainId}
              draft={draft}
              pointer={`/pages/${i}`}
              faultOf={faultOf}
              remove={remove}
            />
          ))}
          <section class="card">
            <TextArea
              label={texts.maintenance}
              hint={texts.maintenanceHint}
              fault={faultOf('/maintenance')}
              value={maintenance}
              name="maintenance"
              rows={6}
              isCode
            />
            {maintenance.value.trim() !== '' && (
              <div class="actions">
                <PreviewLink domainId={page.domainId} status="maintenance" html={maintenance} />
              </div>
            )}
          </section>
        </>
      )}
    />
  );
}

interface PageCardProps {
  readonly domainId: number;
  readonly draft: PageDraft;
  readonly pointer: `/pages/${number}`;
  readonly faultOf: FaultOf<Pointer<'setErrorPages'>>;
  readonly remove: (draft: PageDraft) => void;
}

function PageCard({ domainId, draft, pointer, faultOf, remove }: PageCardProps) {
  const texts = TEXTS.errorPages;
  const status = draft.status.value.trim();
  return (
    <section class="card">
      <h3>{texts.page(status)}</h3>
      <Field
        label={texts.status}
        hint={texts.statusHint}
        fault={faultOf(`${pointer}/status`)}
        value={draft.status}
        name="status"
        autocomplete="off"
        isFirst={draft.isNew}
      />
      <TextArea label={texts.html} fault={faultOf(`${pointer}/html`)} value={draft.html} name="html" rows={12} isCode />
      <div class="actions">
        <PreviewLink domainId={domainId} status={status} html={draft.html} />
        <button type="button" class="button" aria-label={texts.removeOf(status)} onClick={() => remove(draft)}>
          {texts.remove}
        </button>
      </div>
    </section>
  );
}
