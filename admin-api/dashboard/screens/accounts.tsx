/** All accounts, with a search, for administrators. */
import { addressOf } from '../addresses.ts';
import type { Account } from '../api/views.ts';
import { api, type Result, settle } from '../api.ts';
import { EmptyList, ListTools, readListQuery } from '../parts/list-tools.tsx';
import { FailureNote } from '../parts/notes.tsx';
import { type Page, usePagedList } from '../parts/paged-list.ts';
import { isNarrow } from '../parts/screen-size.ts';
import { useShortcut } from '../parts/shortcuts.ts';
import { Skeleton } from '../parts/skeleton.tsx';
import { Time } from '../parts/time.tsx';
import { usePageTitle } from '../parts/title.ts';
import { useChanges } from '../parts/use-changes.ts';
import { VirtualRows } from '../parts/virtual-rows.tsx';
import { openPage } from '../router.ts';
import { TEXTS } from '../texts.ts';

const PAGE = 100;
/** As in the style sheet. */
const ROW = 44;
const NARROW_ROW = 100;
const COLUMNS = 6;

const SORTS = [
  { value: 'id', label: TEXTS.accounts.sorts.oldest },
  { value: '-id', label: TEXTS.accounts.sorts.newest },
  { value: 'username', label: TEXTS.accounts.sorts.name },
  { value: '-username', label: TEXTS.accounts.sorts.nameDescending },
];

async function readAccounts(q: string, sort: string, cursor: string | null): Promise<Result<Page<Account>>> {
  const query = {
    ...{ limit: PAGE, sort: sort as 'id' },
    ...(q === '' ? {} : { q }),
    ...(cursor === null ? {} : { cursor }),
  };
  const result = await settle(api.GET('/api/v1/accounts', { params: { query } }));
  if (!result.ok) return result;
  const { accounts, next_cursor, total } = result.data;
  return { ...result, data: { rows: accounts, cursor: next_cursor, total } };
}

export function Accounts() {
  const texts = TEXTS.accounts;
  usePageTitle(texts.title);
  const { q, sort } = readListQuery(SORTS);
  const list = usePagedList(`${sort} ${q}`, (cursor) => readAccounts(q, sort, cursor));
  const { found, failure, loadMore, reload, refresh } = list;
  useChanges(({ kind }) => kind === 'account', refresh);
  useShortcut('n', TEXTS.help.addAccount, () => openPage('addAccount'));
  const accounts = found.value?.rows ?? [];
  // A search that ends early has no total.
  const isCounted = found.value?.cursor === null || found.value?.total != null;
  return (
    <>
      <div class="head">
        <h1>{texts.title}</h1>
        <a class="button button-main" href={addressOf('addAccount')}>
          {texts.add}
        </a>
      </div>
      <ListTools
        label={texts.search}
        hint={texts.searchHint}
        sorts={SORTS}
        count={found.value === null ? null : texts.shown(found.value.total ?? accounts.length, isCounted)}
      />
      {failure.value !== null && <FailureNote failure={failure.value} retry={reload} />}
      {found.value === null && failure.value === null && <Skeleton />}
      {found.value !== null && accounts.length === 0 && (
        <EmptyList searched={q} noMatch={texts.noMatch} clear={texts.clearSearch}>
          <h2>{texts.empty}</h2>
        </EmptyList>
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
