/** The API keys of the account, with their scopes, last use and a button to remove each. */
import type { Token } from '../api/views.ts';
import { api, type Result, settle } from '../api.ts';
import type { Failure } from '../failure.ts';
import { KeyList } from '../keys/key-list.tsx';
import { describeKey } from '../keys/new-key.ts';
import { DomainNames } from '../parts/domain-names.tsx';
import { type Page, pageQuery } from '../parts/paged-list.ts';
import { Time } from '../parts/time.tsx';
import { isReader } from '../session.ts';
import { TEXTS } from '../texts.ts';

const SORTS = [
  { value: 'id', label: TEXTS.keys.sorts.oldest },
  { value: '-id', label: TEXTS.keys.sorts.newest },
  { value: 'name', label: TEXTS.keys.sorts.name },
  { value: '-last_used_at', label: TEXTS.keys.sorts.used },
  { value: 'expires_at', label: TEXTS.keys.sorts.expires },
];

async function readKeys(cursor: string | null, q: string, sort: string): Promise<Result<Page<Token>>> {
  const query = { ...pageQuery(cursor, q), sort: sort as 'id' };
  const result = await settle(api.GET('/api/v1/tokens', { params: { query } }));
  if (!result.ok) return result;
  const { tokens, next_cursor, total } = result.data;
  return { ...result, data: { rows: tokens, cursor: next_cursor, total } };
}

async function revokeKey(token_id: number): Promise<Failure | null> {
  const result = await settle(api.DELETE('/api/v1/tokens/{token_id}', { params: { path: { token_id } } }));
  return result.ok ? null : result.failure;
}

export function Keys() {
  const texts = TEXTS.keys;
  return (
    <KeyList
      texts={texts}
      addPage="addKey"
      kind="token"
      sorts={SORTS}
      read={readKeys}
      remove={revokeKey}
      removal={{ title: texts.revokeTitle, text: texts.revokeText, label: texts.revoke, done: texts.revoked }}
      renderKey={(key, onRevoke) => <KeyEntry key={key.id} token={key} onRevoke={onRevoke} />}
    />
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
          <dd>{describeKey(token)}</dd>
        </div>
        <div>
          <dt>{texts.domains}</dt>
          <dd>{token.domains === null ? texts.allDomains : <DomainNames ids={token.domains} />}</dd>
        </div>
        {token.networks !== null && (
          <div>
            <dt>{texts.networks}</dt>
            <dd>{token.networks.join(', ')}</dd>
          </div>
        )}
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
