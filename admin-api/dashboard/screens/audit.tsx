/** The audit log, newest first, with a search. */
import type { AuditEntry } from '../api/views.ts';
import { api, type Result, settle } from '../api.ts';
import { describeSentence } from '../audit/describe.ts';
import { ListStatus } from '../parts/list-status.tsx';
import { EmptyList, ListTools } from '../parts/list-tools.tsx';
import { LongTable } from '../parts/long-table.tsx';
import { type Page, pageQuery, usePagedList } from '../parts/paged-list.ts';
import { Time } from '../parts/time.tsx';
import { usePageTitle } from '../parts/title.ts';
import { useChanges } from '../parts/use-changes.ts';
import { currentQuery } from '../router.ts';
import { TEXTS } from '../texts.ts';

/** Height of a narrow row. Must equal that in the style sheet. */
const NARROW_ROW = 116;

async function readAudit(searched: string, cursor: string | null): Promise<Result<Page<AuditEntry>>> {
  const query = pageQuery(cursor, searched);
  const result = await settle(api.GET('/api/v1/audit', { params: { query } }));
  if (!result.ok) return result;
  const { entries, next_cursor, total } = result.data;
  return { ...result, data: { rows: entries, cursor: next_cursor, total: total ?? undefined } };
}

export function Audit() {
  const texts = TEXTS.audit;
  usePageTitle(texts.title);
  const searched = currentQuery.value.get('q') ?? '';
  const list = usePagedList(searched, (cursor) => readAudit(searched, cursor));
  const { found, refresh } = list;
  useChanges(() => true, refresh);
  const entries = found.value?.rows ?? [];
  // The API searches only a part of the log per request.
  const hasMore = found.value?.cursor != null;
  return (
    <>
      <div class="head">
        <h1>{texts.title}</h1>
      </div>
      <ListTools
        label={texts.search}
        hint={texts.searchHint}
        count={found.value && texts.shown(entries.length, found.value.cursor !== null)}
      />
      <ListStatus list={list} />
      {found.value !== null && entries.length === 0 && (
        <>
          <EmptyList searched={searched} noMatch={hasMore ? texts.noMatchYet : texts.noMatch} clear={texts.clearSearch}>
            <h2>{texts.empty}</h2>
          </EmptyList>
          {hasMore && (
            <button type="button" class="button" onClick={() => list.loadMore()}>
              {texts.searchFurther}
            </button>
          )}
        </>
      )}
      <LongTable
        name="audit"
        headings={[texts.time, texts.change, texts.address]}
        list={list}
        narrowRow={NARROW_ROW}
        renderRow={(entry) => <EntryRow key={entry.id} entry={entry} />}
      />
    </>
  );
}

function EntryRow({ entry }: { readonly entry: AuditEntry }) {
  const texts = TEXTS.audit;
  const { who, did, changes } = describeSentence(entry);
  const values = changes.join('; ');
  return (
    <tr>
      <td data-label={texts.time}>
        <Time value={entry.at} />
      </td>
      <th scope="row" title={[`${who} ${did}`, ...changes].join('\n')}>
        <strong>{who}</strong> {entry.by_admin && <span class="badge">{TEXTS.history.byAdmin}</span>} {did}
        {values !== '' && <span class="audit-values">: {values}</span>}
      </th>
      <td data-label={texts.address}>{entry.remote_address}</td>
    </tr>
  );
}
