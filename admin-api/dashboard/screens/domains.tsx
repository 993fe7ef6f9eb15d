/** The domains of the account, with search, order and bulk actions. */
import { useSignal } from '@preact/signals';
import { addressOf } from '../addresses.ts';
import type { ListedDomain } from '../api/views.ts';
import { api, type Result, settle } from '../api.ts';
import { BulkBar } from '../domains/bulk-bar.tsx';
import { DelegationBadge } from '../domains/delegation-check.tsx';
import { toUnicode } from '../names.ts';
import { ListStatus } from '../parts/list-status.tsx';
import { AddLink, EmptyList, ListTools, readListQuery } from '../parts/list-tools.tsx';
import { type Page, pageQuery, usePagedList } from '../parts/paged-list.ts';
import { isNarrow } from '../parts/screen-size.ts';
import { useShortcut } from '../parts/shortcuts.ts';
import { SortHeading } from '../parts/sort-heading.tsx';
import { Time } from '../parts/time.tsx';
import { usePageTitle } from '../parts/title.ts';
import { useChanges } from '../parts/use-changes.ts';
import { ROW, VirtualRows } from '../parts/virtual-rows.tsx';
import { currentQuery, openPage, replaceQuery } from '../router.ts';
import { isReader } from '../session.ts';
import { TEXTS } from '../texts.ts';

/** Domains per request, the maximum of the API. */
const LARGE_PAGE = 1000;
/** Maximum number of selected domains. A bulk action for more would take too long. */
const MAX_SELECTED = 10_000;
/** Must equal the value in the style sheet. */
const NARROW_ROW = 100;
const COLUMNS = 7;
/** Kinds of changes that refresh the list. */
const LISTED_KINDS: ReadonlySet<string> = new Set(['domain', 'records', 'proxy', 'dnssec', 'delegation']);

const SORTS = [
  { value: 'alphabetical', label: TEXTS.domains.sorts.name },
  { value: '-alphabetical', label: TEXTS.domains.sorts.nameDescending },
  { value: '-created_at', label: TEXTS.domains.sorts.newest },
  { value: '-updated_at', label: TEXTS.domains.sorts.changed },
  { value: 'updated_at', label: TEXTS.domains.sorts.unchanged },
  { value: '-record_count', label: TEXTS.domains.sorts.largest },
  { value: 'record_count', label: TEXTS.domains.sorts.smallest },
];

/** Requests for one page of a filtered list, of which each looks at some of the domains. */
const MAX_SCANS = 20;

const STATES = Object.entries(TEXTS.domains.states) as [DomainState, string][];

type DomainState = 'problems' | 'proxied' | 'signed' | 'not_delegated';

interface Wanted {
  readonly q: string;
  /** Empty: all domains. */
  readonly state: DomainState | '';
  readonly sort: string;
}

async function readDomains(wanted: Wanted, cursor: string | null, limit?: number): Promise<Result<Page<ListedDomain>>> {
  const { q, sort, state } = wanted;
  const rows: ListedDomain[] = [];
  let next = cursor;
  for (let scans = 1; ; scans++) {
    const query = {
      ...pageQuery(next, q, limit),
      sort: sort as 'alphabetical',
      ...(state === '' ? {} : { state }),
    };
    const result = await settle(api.GET('/api/v1/domains', { params: { query } }));
    if (!result.ok) return result;
    const { domains, next_cursor, total } = result.data;
    rows.push(...domains);
    next = next_cursor;
    // A part of a filtered list may be empty although more follows.
    if (state === '' || next === null || rows.length > 0 || scans === MAX_SCANS)
      return { ...result, data: { rows, cursor: next, total } };
  }
}

export function Domains() {
  const texts = TEXTS.domains;
  usePageTitle(texts.title);
  const wanted: Wanted = { ...readListQuery(SORTS), state: readState() };
  const list = usePagedList(`${wanted.sort} ${wanted.state} ${wanted.q}`, (cursor) => readDomains(wanted, cursor));
  const { found, loadMore, reload } = list;
  useChanges(({ kind }) => LISTED_KINDS.has(kind), list.refresh);
  const selected = useSignal<ReadonlyMap<number, ListedDomain>>(new Map());
  useShortcut('n', TEXTS.help.addDomain, () => {
    if (!isReader.value) openPage('addDomain');
  });
  const select = (listed: Iterable<ListedDomain>): void => {
    selected.value = new Map([...listed].map((domain) => [domain.id, domain]));
  };
  const toggle = (domain: ListedDomain): void => {
    const next = new Map(selected.value);
    if (!next.delete(domain.id)) next.set(domain.id, domain);
    selected.value = next;
  };

  const domains = found.value?.rows ?? [];
  const hasMore = found.value !== null && found.value.cursor !== null;
  const isCounted = found.value?.total != null || !hasMore;
  const count =
    found.value && (isCounted ? texts.count(found.value.total ?? domains.length) : texts.shown(domains.length));
  return (
    <>
      <div class="head">
        <h1>{texts.title}</h1>
        <AddLink page="addDomain" label={texts.add} />
      </div>
      <ListTools label={texts.search} sorts={SORTS} count={count}>
        <select
          aria-label={texts.state}
          value={wanted.state}
          onChange={({ currentTarget: { value } }) => replaceQuery({ state: value })}
        >
          <option value="">{texts.allStates}</option>
          {STATES.map(([value, label]) => (
            <option key={value} value={value}>
              {label}
            </option>
          ))}
        </select>
        <a class="button button-quiet" href={addressOf('deletedDomains')}>
          {TEXTS.deletedDomains.title}
        </a>
      </ListTools>
      <ListStatus list={list} />
      {found.value !== null && domains.length === 0 && wanted.state !== '' && (
        <section class="empty">
          <h2>{texts.noneInState}</h2>
          {hasMore && (
            <button type="button" class="button" onClick={loadMore}>
              {texts.searchFurther}
            </button>
          )}
          <button type="button" class="button" onClick={() => replaceQuery({ state: '', q: '' })}>
            {texts.clearSearch}
          </button>
        </section>
      )}
      {found.value !== null && domains.length === 0 && wanted.state === '' && (
        <EmptyList searched={wanted.q} noMatch={texts.noMatch} clear={texts.clearSearch}>
          <h2>{texts.empty}</h2>
          <p>{texts.emptyHint}</p>
          <AddLink page="addDomain" label={texts.add} />
        </EmptyList>
      )}
      {domains.length > 0 && (
        <>
          <SelectAll
            total={found.value?.total ?? (hasMore ? Number.POSITIVE_INFINITY : domains.length)}
            shown={domains}
            selected={selected.value}
            onSelect={select}
            readPage={(cursor) => readDomains(wanted, cursor, LARGE_PAGE)}
          />
          <table class="table domains">
            <thead>
              <tr>
                <th scope="col" class="cell-check">
                  <span class="hidden">{texts.select}</span>
                </th>
                <Heading
                  label={texts.domain}
                  name="cell-main"
                  sort={wanted.sort}
                  first="alphabetical"
                  second="-alphabetical"
                />
                <th scope="col">{texts.delegation}</th>
                <th scope="col">{texts.proxy}</th>
                <th scope="col">{texts.dnssec}</th>
                <Heading
                  label={texts.records}
                  name="cell-count"
                  sort={wanted.sort}
                  first="-record_count"
                  second="record_count"
                />
                <Heading
                  label={texts.updated}
                  name="cell-time"
                  sort={wanted.sort}
                  first="-updated_at"
                  second="updated_at"
                />
              </tr>
            </thead>
            <VirtualRows
              count={domains.length}
              rowHeight={isNarrow.value ? NARROW_ROW : ROW}
              columns={COLUMNS}
              onEnd={loadMore}
              renderRow={(index) => {
                const domain = domains[index];
                const isSelected = selected.value.has(domain.id);
                return <DomainRow key={domain.id} domain={domain} isSelected={isSelected} onToggle={toggle} />;
              }}
            />
          </table>
        </>
      )}
      {selected.value.size > 0 && (
        <BulkBar selected={current(selected.value, domains)} onSelect={select} onDone={reload} />
      )}
    </>
  );
}

/** The parameter `state` of the address. */
function readState(): Wanted['state'] {
  const wanted = currentQuery.value.get('state');
  return STATES.find(([state]) => state === wanted)?.[0] ?? '';
}

/** The selected domains, with the state that the list shows now. */
function current(selected: ReadonlyMap<number, ListedDomain>, shown: readonly ListedDomain[]): ListedDomain[] {
  const all = new Map(selected);
  for (const domain of shown) if (all.has(domain.id)) all.set(domain.id, domain);
  return [...all.values()];
}

interface HeadingProps {
  readonly label: string;
  readonly name: string;
  /** The current order. */
  readonly sort: string;
  /** The orders of the first click and of the next one. */
  readonly first: string;
  readonly second: string;
}

function Heading({ label, name, sort, first, second }: HeadingProps) {
  const isSorted = sort === first || sort === second;
  const direction = sort.startsWith('-') ? 'descending' : 'ascending';
  const next = sort === first ? second : first;
  return (
    <SortHeading
      label={label}
      name={name}
      direction={isSorted ? direction : null}
      next={next === SORTS[0].value ? '' : next}
    />
  );
}

interface DomainRowProps {
  readonly domain: ListedDomain;
  readonly isSelected: boolean;
  readonly onToggle: (domain: ListedDomain) => void;
}

function DomainRow({ domain, isSelected, onToggle }: DomainRowProps) {
  const texts = TEXTS.domains;
  const unicode = toUnicode(domain.domain);
  return (
    <tr class={isSelected ? 'row-selected' : undefined}>
      <td class="cell-check">
        <input
          type="checkbox"
          aria-label={texts.selectOne(unicode)}
          checked={isSelected}
          onChange={() => onToggle(domain)}
        />
      </td>
      <th scope="row" class="cell-main">
        <a href={addressOf('records', { domain_id: domain.id })}>{unicode}</a>
        {unicode !== domain.domain && <span class="hint"> {domain.domain}</span>}
      </th>
      <td>
        <DelegationBadge state={domain.delegation} />
      </td>
      <td data-label={texts.proxy}>{domain.proxy_enabled ? texts.on : texts.off}</td>
      <td data-label={texts.dnssec}>
        {domain.dnssec_problem ? <span class="badge badge-bad">{texts.dnssecProblem}</span> : dnssecText(domain)}
      </td>
      <td data-label={texts.records}>{domain.record_count.toLocaleString('en')}</td>
      <td data-label={texts.updated} class="cell-time">
        <Time value={domain.updated_at} />
      </td>
    </tr>
  );
}

function dnssecText({ dnssec_status: status }: ListedDomain): string {
  const texts = TEXTS.domains;
  if (status === 'off') return texts.off;
  if (status === 'signing' || status === 'awaiting_ds') return texts.dnssecPending;
  return status === 'removing_ds' ? texts.dnssecEnding : texts.on;
}

interface SelectAllProps {
  readonly total: number;
  readonly shown: readonly ListedDomain[];
  readonly selected: ReadonlyMap<number, ListedDomain>;
  readonly onSelect: (domains: Iterable<ListedDomain>) => void;
  readonly readPage: (cursor: string | null) => Promise<Result<Page<ListedDomain>>>;
}

/** Selects all domains that match the search, even those not loaded yet. */
function SelectAll({ total, shown, selected, onSelect, readPage }: SelectAllProps) {
  const texts = TEXTS.domains;
  const isReading = useSignal(false);
  const isAll = shown.every(({ id }) => selected.has(id));
  const selectAll = async (): Promise<void> => {
    if (isReading.value) return;
    if (total <= shown.length) return onSelect(shown);
    isReading.value = true;
    const all: ListedDomain[] = [];
    for (let cursor: string | null = null; ; ) {
      const result = await readPage(cursor);
      if (!result.ok) break;
      all.push(...result.data.rows);
      cursor = result.data.cursor;
      if (cursor === null || all.length >= MAX_SELECTED) break;
    }
    isReading.value = false;
    onSelect(all.slice(0, MAX_SELECTED));
  };
  if (isAll && selected.size >= Math.min(total, MAX_SELECTED)) return null;
  return (
    <div class="select-all">
      <button type="button" class="button button-quiet" aria-disabled={isReading.value} onClick={selectAll}>
        {isReading.value
          ? texts.selecting
          : total === Number.POSITIVE_INFINITY
            ? texts.selectMatching
            : texts.selectAll(Math.min(total, MAX_SELECTED))}
      </button>
    </div>
  );
}
