/** The domains of the account, with a search. */
import { useRef } from 'preact/hooks';
import { addressOf } from '../addresses.ts';
import type { Domain } from '../api/views.ts';
import { api, type Result, settle } from '../api.ts';
import { toUnicode } from '../names.ts';
import { FailureNote } from '../parts/notes.tsx';
import { type Page, usePagedList } from '../parts/paged-list.ts';
import { isNarrow } from '../parts/screen-size.ts';
import { useShortcut } from '../parts/shortcuts.ts';
import { Skeleton } from '../parts/skeleton.tsx';
import { Time } from '../parts/time.tsx';
import { usePageTitle } from '../parts/title.ts';
import { useChanges } from '../parts/use-changes.ts';
import { VirtualRows } from '../parts/virtual-rows.tsx';
import { currentQuery, openPage, replaceQuery } from '../router.ts';
import { TEXTS } from '../texts.ts';

const PAGE = 100;
/** As in the style sheet. */
const ROW = 44;
const NARROW_ROW = 72;
const COLUMNS = 4;
/** Changes that the list shows. */
const LISTED_KINDS: ReadonlySet<string> = new Set(['domain', 'records', 'proxy']);

async function readDomains(searched: string, cursor: string | null): Promise<Result<Page<Domain>>> {
  const query = { limit: PAGE, ...(searched === '' ? {} : { q: searched }), ...(cursor === null ? {} : { cursor }) };
  const result = await settle(api.GET('/api/v1/domains', { params: { query } }));
  if (!result.ok) return result;
  const { domains, next_cursor } = result.data;
  return { ...result, data: { rows: domains, cursor: next_cursor } };
}

export function Domains() {
  const texts = TEXTS.domains;
  usePageTitle(texts.title);
  const searched = currentQuery.value.get('q') ?? '';
  const search = useRef<HTMLInputElement>(null);
  const list = usePagedList(searched, (cursor) => readDomains(searched, cursor));
  const { found, failure, loadMore, reload } = list;
  useChanges(({ kind }) => LISTED_KINDS.has(kind), list.refresh);
  useShortcut('/', TEXTS.help.search, () => search.current?.focus());
  useShortcut('n', TEXTS.help.addDomain, () => openPage('addDomain'));

  const domains = found.value?.rows ?? [];
  return (
    <>
      <div class="head">
        <h1>{texts.title}</h1>
        <a class="button button-main" href={addressOf('addDomain')}>
          {texts.add}
        </a>
      </div>
      <div class="tools">
        <input
          ref={search}
          type="search"
          aria-label={texts.search}
          placeholder={texts.searchHint}
          value={searched}
          onInput={(event) => replaceQuery({ q: event.currentTarget.value })}
        />
        <p class="hint" role="status">
          {found.value !== null && texts.shown(domains.length, found.value.cursor !== null)}
        </p>
      </div>
      {failure.value !== null && <FailureNote failure={failure.value} retry={reload} />}
      {found.value === null && failure.value === null && <Skeleton />}
      {found.value !== null && domains.length === 0 && <NoDomains searched={searched} />}
      {domains.length > 0 && (
        <table class="table domains">
          <thead>
            <tr>
              <th scope="col">{texts.domain}</th>
              <th scope="col">{texts.records}</th>
              <th scope="col">{texts.proxy}</th>
              <th scope="col">{texts.updated}</th>
            </tr>
          </thead>
          <VirtualRows
            count={domains.length}
            rowHeight={isNarrow.value ? NARROW_ROW : ROW}
            columns={COLUMNS}
            onEnd={loadMore}
            renderRow={(index) => <DomainRow key={domains[index].id} domain={domains[index]} />}
          />
        </table>
      )}
    </>
  );
}

function DomainRow({ domain }: { readonly domain: Domain }) {
  const texts = TEXTS.domains;
  const unicode = toUnicode(domain.domain);
  return (
    <tr>
      <th scope="row" class="cell-main">
        <a href={addressOf('records', { domain_id: domain.id })}>{unicode}</a>
        {unicode !== domain.domain && <span class="hint"> {domain.domain}</span>}
      </th>
      <td data-label={texts.records}>{domain.record_count.toLocaleString()}</td>
      <td data-label={texts.proxy}>{domain.proxy_enabled ? texts.proxyOn : texts.proxyOff}</td>
      <td data-label={texts.updated}>
        <Time value={domain.updated_at} />
      </td>
    </tr>
  );
}

function NoDomains({ searched }: { readonly searched: string }) {
  const texts = TEXTS.domains;
  return (
    <section class="empty">
      <h2>{searched === '' ? texts.empty : texts.noMatch(searched)}</h2>
      {searched === '' ? (
        <>
          <p>{texts.emptyHint}</p>
          <a class="button button-main" href={addressOf('addDomain')}>
            {texts.add}
          </a>
        </>
      ) : (
        <button type="button" class="button" onClick={() => replaceQuery({ q: '' })}>
          {texts.clearSearch}
        </button>
      )}
    </section>
  );
}
