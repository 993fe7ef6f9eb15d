/** A mini-app with its packages. */
import { useSignal } from '@preact/signals';
import { useEffect } from 'preact/hooks';
import { visible } from '../../ui/excerpt.ts';
import { announce } from '../../ui/parts/announce.tsx';
import { Field } from '../../ui/parts/field.tsx';
import { addressOf } from '../addresses.ts';
import type { App, UploadBrief } from '../api/views.ts';
import { api, type Result, settle } from '../api.ts';
import { StateBadge } from '../apps/state-badge.tsx';
import { UploadForm } from '../apps/upload-form.tsx';
import { ListStatus } from '../parts/list-status.tsx';
import { LongTable } from '../parts/long-table.tsx';
import { FailureNote } from '../parts/notes.tsx';
import { type Page, pageQuery, usePagedList } from '../parts/paged-list.ts';
import { Time } from '../parts/time.tsx';
import { usePageTitle } from '../parts/title.ts';
import { useChanges } from '../parts/use-changes.ts';
import { useForm } from '../parts/use-form.ts';
import type { ScreenProps } from '../screen.ts';
import { session } from '../session.ts';
import { TEXTS } from '../texts.ts';

export function AppPage({ params }: ScreenProps) {
  const texts = TEXTS.app;
  const id = decode(params.app_id);
  const app = useSignal<App | null>(null);
  const list = usePagedList(id, read);
  useChanges(({ kind, id: changed }) => kind === 'upload' || (kind === 'app' && changed === id), list.refresh);

  async function read(cursor: string | null): Promise<Result<Page<UploadBrief>>> {
    const query = pageQuery(cursor);
    const result = await settle(api.GET('/api/dev/apps/{app_id}', { params: { path: { app_id: id }, query } }));
    if (!result.ok) return result;
    app.value = result.data.app;
    return { ...result, data: { rows: result.data.uploads, cursor: result.data.next_cursor } };
  }

  const name = app.value?.name ?? null;
  usePageTitle(name === null ? id : visible(name));
  return (
    <div class="stack">
      <p>
        <a href={addressOf('apps')}>{TEXTS.apps.title}</a>
      </p>
      <div class="domain-head">
        <h1>{name === null ? id : visible(name)}</h1>
        {name !== null && <span class="hint">{id}</span>}
      </div>
      <ListStatus list={list} />
      {app.value !== null && app.value.suspended !== null && (
        <p class="note note-bad">{texts.suspended(visible(app.value.suspended))}</p>
      )}
      {app.value !== null && app.value.suspended === null && <UploadForm />}
      <LongTable
        name="uploads"
        headings={[texts.version, texts.state, texts.findings, texts.uploaded]}
        list={list}
        renderRow={(upload) => <UploadRow key={upload.id} upload={upload} />}
      />
      {app.value !== null && session.value?.user.role === 'admin' && (
        <Suspension app={app.value} onChange={list.reload} />
      )}
    </div>
  );
}

/** Decodes a segment of the address. */
function decode(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
}

function UploadRow({ upload }: { readonly upload: UploadBrief }) {
  const { id, version, version_code, status, summary, created_at } = upload;
  return (
    <tr>
      <th scope="row" class="cell-main">
        <a href={addressOf('upload', { upload_id: id })}>{TEXTS.report.version(visible(version), version_code)}</a>
      </th>
      <td>
        <StateBadge state={status} />
      </td>
      <td class="cell-wide">{summary === null ? TEXTS.apps.none : TEXTS.report.counts(summary)}</td>
      <td data-label={TEXTS.app.uploaded}>
        <Time value={created_at} />
      </td>
    </tr>
  );
}

function Suspension({ app: { app_id, suspended }, onChange }: { readonly app: App; readonly onChange: () => void }) {
  const texts = TEXTS.app;
  const reason = useSignal('');
  useEffect(() => {
    reason.value = '';
  }, [suspended]);
  const { isRunning, failure, submit } = useForm([], async () => {
    const params = { path: { app_id } };
    const result =
      suspended === null
        ? await settle(
            api.POST('/api/dev/admin/apps/{app_id}/suspend', { params, body: { reason: reason.value.trim() } }),
          )
        : await settle(api.POST('/api/dev/admin/apps/{app_id}/reinstate', { params }));
    if (!result.ok) return result.failure;
    announce(suspended === null ? texts.isSuspended : texts.isReinstated);
    onChange();
    return null;
  });
  return (
    <form class="card" onSubmit={submit}>
      <h2>{texts.suspension}</h2>
      <p>{suspended === null ? texts.suspensionText : texts.reinstateText}</p>
      {failure.value !== null && <FailureNote failure={failure.value} />}
      {suspended === null && (
        <Field label={texts.reason} hint={texts.reasonHint} value={reason} name="reason" autocomplete="off" required />
      )}
      <div class="actions">
        <button
          type="submit"
          class={suspended === null ? 'button button-bad' : 'button button-main'}
          aria-disabled={isRunning.value}
        >
          {suspended === null ? texts.suspend : texts.reinstate}
        </button>
      </div>
    </form>
  );
}
