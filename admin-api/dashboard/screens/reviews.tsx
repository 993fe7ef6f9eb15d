/** The packages with a pending review, oldest first, for administrators. */

import { visible } from '../../ui/excerpt.ts';
import { actedAccount } from '../acting.ts';
import { addressOf } from '../addresses.ts';
import type { QueuedUpload } from '../api/views.ts';
import { api, type Result, settle } from '../api.ts';
import { ListStatus } from '../parts/list-status.tsx';
import { LongTable } from '../parts/long-table.tsx';
import { type Page, pageQuery, usePagedList } from '../parts/paged-list.ts';
import { Time } from '../parts/time.tsx';
import { usePageTitle } from '../parts/title.ts';
import { useChanges } from '../parts/use-changes.ts';
import { useInterval } from '../parts/use-interval.ts';
import { TEXTS } from '../texts.ts';

const REFRESH_MS = 30_000;

async function readQueue(cursor: string | null): Promise<Result<Page<QueuedUpload>>> {
  const query = pageQuery(cursor);
  const result = await settle(api.GET('/api/dev/admin/queue', { params: { query } }));
  if (!result.ok) return result;
  return { ...result, data: { rows: result.data.uploads, cursor: result.data.next_cursor } };
}

export function Reviews() {
  const texts = TEXTS.reviews;
  usePageTitle(texts.title);
  const list = usePagedList('', readQueue);
  const { found, refresh } = list;
  const uploads = found.value?.rows ?? [];
  useChanges(({ kind }) => kind === 'upload', refresh);
  // While an administrator acts for an account, events of other accounts do not arrive.
  useInterval(refresh, actedAccount.value === null ? null : REFRESH_MS);
  return (
    <>
      <div class="head">
        <h1>{texts.title}</h1>
        <p class="hint" role="status">
          {found.value !== null && texts.shown(uploads.length, found.value.cursor !== null)}
        </p>
      </div>
      <ListStatus list={list} />
      {found.value !== null && uploads.length === 0 && (
        <section class="empty">
          <h2>{texts.empty}</h2>
          <p>{texts.emptyHint}</p>
        </section>
      )}
      <LongTable
        name="apps"
        headings={[texts.app, texts.version, texts.account, texts.findings, texts.uploaded]}
        list={list}
        renderRow={(upload) => <QueueRow key={upload.id} upload={upload} />}
      />
    </>
  );
}

function QueueRow({ upload }: { readonly upload: QueuedUpload }) {
  const texts = TEXTS.reviews;
  const { id, app_id, app_name, version, username, account_id, summary, created_at } = upload;
  return (
    <tr>
      <th scope="row" class="cell-main">
        <a href={addressOf('review', { upload_id: id })}>{app_name === null ? app_id : visible(app_name)}</a>
        {app_name !== null && <span class="hint"> {app_id}</span>}
      </th>
      <td data-label={texts.version}>{visible(version)}</td>
      <td data-label={texts.account}>{username ?? texts.deletedAccount(account_id)}</td>
      <td>{summary === null ? TEXTS.apps.none : texts.toReview(summary.review)}</td>
      <td data-label={texts.uploaded}>
        <Time value={created_at} />
      </td>
    </tr>
  );
}
