/** The API keys of the account: what they may do, when they were last used, and how to end them. */
import { useSignal } from '@preact/signals';
import type { Token } from '../api/views.ts';
import { api, type Result, settle } from '../api.ts';
import { describeScopes } from '../keys/scopes.ts';
import { announce } from '../parts/announce.tsx';
import { Confirm } from '../parts/confirm.tsx';
import { DomainNames } from '../parts/domain-names.tsx';
import { AddLink, EmptyList, ListTools, readListQuery } from '../parts/list-tools.tsx';
import { FailureNote } from '../parts/notes.tsx';
import { type Page, usePagedList } from '../parts/paged-list.ts';
import { useShortcut } from '../parts/shortcuts.ts';
import { Skeleton } from '../parts/skeleton.tsx';
import { Time } from '../parts/time.tsx';
import { usePageTitle } from '../parts/title.ts';
import { useChanges } from '../parts/use-changes.ts';
import { openPage } from '../router.ts';
import { isReader } from '../session.ts';
import { TEXTS } from '../texts.ts';

const PAGE = 100;

const SORTS = [
  { value: 'id', label: TEXTS.keys.sorts.oldest },
  { value: '-id', label: TEXTS.keys.sorts.newest },
  { value: 'name', label: TEXTS.keys.sorts.name },
  { value: '-last_used_at', label: TEXTS.keys.sorts.used },
  { value: 'expires_at', label: TEXTS.keys.sorts.expires },
];

async function readKeys(q: string, sort: string, cursor: string | null): Promise<Result<Page<Token>>> {
  const query = {
    ...{ limit: PAGE, sort: sort as 'id' },
    ...(q === '' ? {} : { q }),
    ...(cursor === null ? {} : { cursor }),
  };
  const result = await settle(api.GET('/api/v1/tokens', { params: { query } }));
  if (!result.ok) return result;
  const { tokens, next_cursor, total } = result.data;
  return { ...result, data: { rows: tokens, cursor: next_cursor, total } };
}

export function Keys() {
  const texts = TEXTS.keys;
  usePageTitle(texts.title);
  const { q, sort } = readListQuery(SORTS);
  const list = usePagedList(`${sort} ${q}`, (cursor) => readKeys(q, sort, cursor));
  const { found, failure, loadMore, reload } = list;
  useChanges(({ kind }) => kind === 'token', list.refresh);
  const revoked = useSignal<Token | null>(null);
  useShortcut('n', TEXTS.help.addKey, () => {
    if (!isReader.value) openPage('addKey');
  });
  const revoke = async (token: Token) => {
    const params = { path: { token_id: token.id } };
    const result = await settle(api.DELETE('/api/v1/tokens/{token_id}', { params }));
    if (!result.ok) return result.failure;
    announce(texts.revoked(token.name));
    await reload();
    return null;
  };
  const keys = found.value?.rows ?? [];
  const token = revoked.value;
  return (
    <>
      <div class="head">
        <h1>{texts.title}</h1>
        <AddLink page="addKey" label={texts.add} />
      </div>
      <ListTools
        label={texts.search}
        sorts={SORTS}
        count={found.value === null ? null : texts.count(found.value.total ?? keys.length)}
      />
      {failure.value !== null && <FailureNote failure={failure.value} retry={reload} />}
      {found.value === null && failure.value === null && <Skeleton />}
      {found.value !== null && keys.length === 0 && (
        <EmptyList searched={q} noMatch={texts.noMatch} clear={texts.clearSearch}>
          <h2>{texts.empty}</h2>
          <p>{texts.emptyHint}</p>
          <AddLink page="addKey" label={texts.add} />
        </EmptyList>
      )}
      <ul class="keys">
        {keys.map((key) => (
          <KeyEntry
            key={key.id}
            token={key}
            onRevoke={() => {
              revoked.value = key;
            }}
          />
        ))}
      </ul>
      {(found.value?.cursor ?? null) !== null && (
        <button type="button" class="button" onClick={loadMore}>
          {TEXTS.lists.more}
        </button>
      )}
      {token !== null && (
        <Confirm
          title={texts.revokeTitle(token.name)}
          explanation={texts.revokeText}
          word={token.name}
          label={texts.revoke}
          run={() => revoke(token)}
          onClose={() => {
            revoked.value = null;
          }}
        />
      )}
    </>
  );
}

function KeyEntry({ token, onRevoke }: { readonly token: Token; readonly onRevoke: () => void }) {
  const texts = TEXTS.keys;
  const isExpired = token.expires_at !== null && Date.parse(`${token.expires_at.replace(' ', 'T')}Z`) <= Date.now();
  return (
    <li class="card key">
      <div class="head-row">
        <h2>{token.name}</h2>
        {isExpired && <span class="badge badge-bad">{texts.expired}</span>}
        {!isReader.value && (
          <button type="button" class="button" aria-label={texts.revokeOne(token.name)} onClick={onRevoke}>
            {texts.revoke}
          </button>
        )}
      </div>
      <dl class="facts-row">
        <div>
          <dt>{texts.prefix}</dt>
          <dd>
            <code>{token.prefix}…</code>
          </dd>
        </div>
        <div>
          <dt>{texts.allows}</dt>
          <dd>{describeScopes(token.scopes)}</dd>
        </div>
        <div>
          <dt>{texts.domains}</dt>
          <dd>{token.domains === null ? texts.allDomains : <DomainNames ids={token.domains} />}</dd>
        </div>
        <div>
          <dt>{texts.lastUsed}</dt>
          <dd>{token.last_used_at === null ? texts.never : <Time value={token.last_used_at} />}</dd>
        </div>
        <div>
          <dt>{texts.expires}</dt>
          <dd>{token.expires_at === null ? texts.never : <Time value={token.expires_at} />}</dd>
        </div>
        <div>
          <dt>{texts.created}</dt>
          <dd>
            <Time value={token.created_at} /> {token.by_password && texts.byPassword}
          </dd>
        </div>
      </dl>
    </li>
  );
}
