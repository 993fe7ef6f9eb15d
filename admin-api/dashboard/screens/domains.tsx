/** The domains of the account, with a search. */
import { useSignal } from '@preact/signals';
import { useCallback, useEffect, useRef } from 'preact/hooks';
import { addressOf } from '../addresses.ts';
import type { Domain } from '../api/views.ts';
import { api, settle } from '../api.ts';
import type { Failure } from '../failure.ts';
import { toUnicode } from '../names.ts';
import { FailureNote } from '../parts/notes.tsx';
import { isNarrow } from '../parts/screen-size.ts';
import { useShortcut } from '../parts/shortcuts.ts';
import { Skeleton } from '../parts/skeleton.tsx';
import { Time } from '../parts/time.tsx';
import { usePageTitle } from '../parts/title.ts';
import { VirtualRows } from '../parts/virtual-rows.tsx';
import { currentQuery, openPage, replaceQuery } from '../router.ts';
import { TEXTS } from '../texts.ts';

const PAGE = 100;
/** A search starts when the user has stopped typing for this time. */
const TYPING_MS = 120;
/** As in the style sheet. */
const ROW = 44;
const NARROW_ROW = 72;
const COLUMNS = 4;

interface Found {
  readonly domains: readonly Domain[];
  /** Null: there are no more. */
  readonly cursor: string | null;
}

export function Domains() {
  const texts = TEXTS.domains;
  usePageTitle(texts.title);
  const searched = currentQuery.value.get('q') ?? '';
  const found = useSignal<Found | null>(null);
  const failure = useSignal<Failure | null>(null);
  const search = useRef<HTMLInputElement>(null);
  /** Names the current search: responses to earlier ones are ignored. */
  const current = useRef(0);
  const isLoadingMore = useRef(false);

  const load = useCallback(async (text: string, cursor: string | null): Promise<void> => {
    const request = cursor === null ? ++current.current : current.current;
    const query = { limit: PAGE, ...(text === '' ? {} : { q: text }), ...(cursor === null ? {} : { cursor }) };
    const result = await settle(api.GET('/api/v1/domains', { params: { query } }));
    if (request !== current.current) return;
    failure.value = result.ok ? null : result.failure;
    if (!result.ok) return;
    const { domains, next_cursor } = result.data;
    const before = cursor === null ? [] : (found.value?.domains ?? []);
    found.value = { domains: [...before, ...domains], cursor: next_cursor };
  }, []);

  const loadMore = useCallback(async (): Promise<void> => {
    const cursor = found.peek()?.cursor ?? null;
    if (cursor === null || isLoadingMore.current) return;
    isLoadingMore.current = true;
    await load(searched, cursor);
    isLoadingMore.current = false;
  }, [searched]);

  useEffect(() => {
    const timer = setTimeout(() => load(searched, null), found.peek() === null ? 0 : TYPING_MS);
    return () => clearTimeout(timer);
  }, [searched]);
  useShortcut('/', () => search.current?.focus());
  useShortcut('n', () => openPage('addDomain'));

  const domains = found.value?.domains ?? [];
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
      {failure.value !== null && <FailureNote failure={failure.value} retry={() => load(searched, null)} />}
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
