/** The mini-apps of the account, and the upload of a package. */

import { visible } from '../../ui/excerpt.ts';
import { addressOf } from '../addresses.ts';
import type { App } from '../api/views.ts';
import { api, type Result, settle } from '../api.ts';
import { StateBadge } from '../apps/state-badge.tsx';
import { UploadForm } from '../apps/upload-form.tsx';
import { ListStatus } from '../parts/list-status.tsx';
import { LongTable } from '../parts/long-table.tsx';
import { type Page, pageQuery, usePagedList } from '../parts/paged-list.ts';
import { Time } from '../parts/time.tsx';
import { usePageTitle } from '../parts/title.ts';
import { useChanges } from '../parts/use-changes.ts';
import { TEXTS } from '../texts.ts';

async function readApps(cursor: string | null): Promise<Result<Page<App>>> {
  const query = pageQuery(cursor);
  const result = await settle(api.GET('/api/dev/apps', { params: { query } }));
  if (!result.ok) return result;
  return { ...result, data: { rows: result.data.apps, cursor: result.data.next_cursor } };
}

export function Apps() {
  const texts = TEXTS.apps;
  usePageTitle(texts.title);
  const list = usePagedList('', readApps);
  const { found, refresh } = list;
  useChanges(({ kind }) => kind === 'app' || kind === 'upload', refresh);
  const apps = found.value?.rows ?? [];
  return (
    <div class="stack">
      <h1>{texts.title}</h1>
      <UploadForm />
      <ListStatus list={list} />
      {found.value !== null && apps.length === 0 && (
        <section class="empty">
          <h2>{texts.empty}</h2>
          <p>{texts.emptyHint}</p>
          <pre>
            <code>{texts.emptyCommands}</code>
          </pre>
        </section>
      )}
      <LongTable
        name="apps"
        headings={[texts.app, texts.latest, texts.state, texts.published, texts.updated]}
        list={list}
        renderRow={(app) => <AppRow key={app.app_id} app={app} />}
      />
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
      <td data-label={texts.latest}>{visible(latest.version)}</td>
      <td>
        {suspended === null ? (
          <StateBadge state={audit_status} />
        ) : (
          <span class="badge badge-bad">{texts.suspended}</span>
        )}
      </td>
      <td data-label={texts.published}>{published === null ? texts.none : visible(published.version)}</td>
      <td data-label={texts.updated}>
        <Time value={updated_at} format="relative" />
      </td>
    </tr>
  );
}
