/** All accounts, with a search, for administrators. */
import { addressOf } from '../addresses.ts';
import type { Account } from '../api/views.ts';
import { api, type Result, settle } from '../api.ts';
import { ListStatus } from '../parts/list-status.tsx';
import { EmptyList, ListTools, readListQuery } from '../parts/list-tools.tsx';
import { LongTable } from '../parts/long-table.tsx';
import { type Page, pageQuery, usePagedList } from '../parts/paged-list.ts';
import { useShortcut } from '../parts/shortcuts.ts';
import { Time } from '../parts/time.tsx';
import { usePageTitle } from '../parts/title.ts';
import { useChanges } from '../parts/use-changes.ts';
import { openPage } from '../router.ts';
import { TEXTS } from '../texts.ts';

const SORTS = [
  { value: 'id', label: TEXTS.accounts.sorts.oldest },
  { value: '-id', label: TEXTS.accounts.sorts.newest },
  { value: 'username', label: TEXTS.accounts.sorts.name },
  { value: '-username', label: TEXTS.accounts.sorts.nameDescending },
];

async function readAccounts(q: string, sort: string, cursor: string | null): Promise<Result<Page<Account>>> {
  const query = { ...pageQuery(cursor, q), sort: sort as 'id' };
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
  const { found, refresh } = list;
  useChanges(({ kind }) => kind === 'account', refresh);
  useShortcut('n', TEXTS.help.addAccount, () => openPage('addAccount'));
  const accounts = found.value?.rows ?? [];
  // An incomplete search has no total.
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
      <ListStatus list={list} />
      {found.value !== null && accounts.length === 0 && (
        <EmptyList searched={q} noMatch={texts.noMatch} clear={texts.clearSearch}>
          <h2>{texts.empty}</h2>
        </EmptyList>
      )}
      <LongTable
        name="accounts"
        headings={[texts.username, texts.email, texts.role, texts.plan, texts.access, texts.created]}
        list={list}
        renderRow={(account) => <AccountRow key={account.id} account={account} />}
      />
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
        <Time value={account.created_at} format="day" />
      </td>
    </tr>
  );
}
