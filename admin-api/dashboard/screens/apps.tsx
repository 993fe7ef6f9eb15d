/** The mini-apps of the account, and the upload of a package. */
import { addressOf } from '../addresses.ts';
import type { App } from '../api/views.ts';
import { api, type Result, settle } from '../api.ts';
import { visible } from '../apps/findings.ts';
import { StateBadge } from '../apps/state-badge.tsx';
import { UploadForm } from '../apps/upload-form.tsx';
import { FailureNote } from '../parts/notes.tsx';
import { type Page, usePagedList } from '../parts/paged-list.ts';
import { isNarrow } from '../parts/screen-size.ts';
import { Skeleton } from '../parts/skeleton.tsx';
import { Time } from '../parts/time.tsx';
import { usePageTitle } from '../parts/title.ts';
import { useChanges } from '../parts/use-changes.ts';
import { VirtualRows } from '../parts/virtual-rows.tsx';
import { TEXTS } from '../texts.ts';

const PAGE = 100;
/** As in the style sheet. */
const ROW = 44;
const NARROW_ROW = 100;
const COLUMNS = 5;

async function readApps(cursor: string | null): Promise<Result<Page<App>>> {
  const query = { limit: PAGE, ...(cursor === null ? {} : { cursor }) };
  const result = await settle(api.GET('/api/dev/apps', { params: { query } }));
  if (!result.ok) return result;
  return { ...result, data: { rows: result.data.apps, cursor: result.data.next_cursor } };
}

export function Apps() {
  const texts = TEXTS.apps;
  usePageTitle(texts.title);
  const { found, failure, loadMore, reload, refresh } = usePagedList('', readApps);
  useChanges(({ kind }) => kind === 'app' || kind === 'upload', refresh);
  const apps = found.value?.rows ?? [];
  return (
    <div class="stack">
      <h1>{texts.title}</h1>
      <UploadForm />
      {failure.value !== null && <FailureNote failure={failure.value} retry={reload} />}
      {found.value === null && failure.value === null && <Skeleton />}
      {found.value !== null && apps.length === 0 && (
        <section class="empty">
          <h2>{texts.empty}</h2>
          <p>{texts.emptyHint}</p>
          <pre>
            <code>{texts.emptyCommands}</code>
          </pre>
        </section>
      )}
      {apps.length > 0 && (
        <table class="table apps">
          <thead>
            <tr>
              <th scope="col">{texts.app}</th>
              <th scope="col">{texts.latest}</th>
              <th scope="col">{texts.state}</th>
              <th scope="col">{texts.published}</th>
              <th scope="col">{texts.updated}</th>
            </tr>
          </thead>
          <VirtualRows
            count={apps.length}
            rowHeight={isNarrow.value ? NARROW_ROW : ROW}
            columns={COLUMNS}
            onEnd={loadMore}
            renderRow={(index) => <AppRow key={apps[index].app_id} app={apps[index]} />}
          />
        </table>
      )}
    </div>
  );
}

function AppRow({ app }: { readonly app: App }) {
  const texts = TEXTS.apps;
  const { app_id, name, latest, published, audit_status, suspended, updated_at } = app;
  return (
    <tr>
      <th scope="row" class="cell-main">
        <a href={addressOf('app', { app_id })}>{name === null ? app_id : visible(name)}</a>
        {name !== null && <span class="hint"> {app_id}</span>}
      </th>
      <td data-label={texts.latest}>{latest === null ? texts.none : visible(latest.version)}</td>
      <td>
        {suspended === null ? (
          audit_status !== null && <StateBadge state={audit_status} />
        ) : (
          <span class="badge badge-bad">{texts.suspended}</span>
        )}
      </td>
      <td data-label={texts.published}>{published === null ? texts.none : visible(published.version)}</td>
      <td data-label={texts.updated}>
        <Time value={updated_at} />
      </td>
    </tr>
  );
}
