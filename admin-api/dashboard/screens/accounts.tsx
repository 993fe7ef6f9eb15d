/** All accounts, with a search, for administrators. */
import { useRef } from 'preact/hooks';
import { addressOf } from '../addresses.ts';
import type { Account } from '../api/views.ts';
import { api, type Result, settle } from '../api.ts';
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
const NARROW_ROW = 100;
const COLUMNS = 6;

async function readAccounts(searched: string, cursor: string | null): Promise<Result<Page<Account>>> {
  const query = { limit: PAGE, ...(searched === '' ? {} : { q: searched }), ...(cursor === null ? {} : { cursor }) };
  const result = await settle(api.GET('/api/v1/accounts', { params: { query } }));
  if (!result.ok) return result;
  const { accounts, next_cursor } = result.data;
  return { ...result, data: { rows: accounts, cursor: next_cursor } };
}

export function Accounts() {
  const texts = TEXTS.accounts;
  usePageTitle(texts.title);
  const searched = currentQuery.value.get('q') ?? '';
  const search = useRef<HTMLInputElement>(null);
  const list = usePagedList(searched, (cursor) => readAccounts(searched, cursor));
  const { found, failure, loadMore, reload, refresh } = list;
  useChanges(({ kind }) => kind === 'account', refresh);
  useShortcut('/', TEXTS.help.search, () => search.current?.focus());
  useShortcut('n', TEXTS.help.addAccount, () => openPage('addAccount'));
  const accounts = found.value?.rows ?? [];
  return (
    <>
      <div class="head">
        <h1>{texts.title}</h1>
        <a class="button button-main" href={addressOf('addAccount')}>
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
          {found.value !== null && texts.shown(accounts.length, found.value.cursor !== null)}
        </p>
      </div>
      {failure.value !== null && <FailureNote failure={failure.value} retry={reload} />}
      {found.value === null && failure.value === null && <Skeleton />}
      {found.value !== null && accounts.length === 0 && (
        <section class="empty">
          <h2>{searched === '' ? texts.empty : texts.noMatch(searched)}</h2>
          <button type="button" class="button" onClick={() => replaceQuery({ q: '' })}>
            {texts.clearSearch}
          </button>
        </section>
      )}
      {accounts.length > 0 && (
        <table class="table accounts">
          <thead>
            <tr>
              <th scope="col">{texts.username}</th>
              <th scope="col">{texts.email}</th>
              <th scope="col">{texts.role}</th>
              <th scope="col">{texts.plan}</th>
              <th scope="col">{texts.access}</th>
              <th scope="col">{texts.created}</th>
            </tr>
          </thead>
          <VirtualRows
            count={accounts.length}
            rowHeight={isNarrow.value ? NARROW_ROW : ROW}
            columns={COLUMNS}
            onEnd={loadMore}
            renderRow={(index) => <AccountRow key={accounts[index].id} account={accounts[index]} />}
          />
        </table>
      )}
    </>
  );
}

function AccountRow({ account }: { readonly account: Account }) {
  const texts = TEXTS.accounts;
  return (
    <tr>
      <th scope="row" class="cell-main">
        <a href={addressOf('account', { account_id: account.id })}>{account.username}</a>
      </th>
      <td class="cell-wide">{account.email}</td>
      <td data-label={texts.role}>{TEXTS.account.roles[account.role]}</td>
      <td data-label={texts.plan}>{account.plan}</td>
      <td data-label={texts.access}>{account.api_enabled ? texts.on : texts.off}</td>
      <td data-label={texts.created}>
        <Time value={account.created_at} />
      </td>
    </tr>
  );
}
