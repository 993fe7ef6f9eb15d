/** The TSIG keys of the account, for transfers and dynamic updates. */
import type { TsigKey } from '../api/views.ts';
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
];

async function readKeys(cursor: string | null, q: string, sort: string): Promise<Result<Page<TsigKey>>> {
  const query = { ...pageQuery(cursor, q), sort: sort as 'id' };
  const result = await settle(api.GET('/api/v1/tsig-keys', { params: { query } }));
  if (!result.ok) return result;
  const { tsig_keys, next_cursor, total } = result.data;
  return { ...result, data: { rows: tsig_keys, cursor: next_cursor, total } };
}

async function removeKey(key_id: number): Promise<Failure | null> {
  const result = await settle(api.DELETE('/api/v1/tsig-keys/{key_id}', { params: { path: { key_id } } }));
  return result.ok ? null : result.failure;
}

export function TsigKeys() {
  const texts = TEXTS.tsigKeys;
  return (
    <KeyList
      texts={texts}
      explanation={texts.explanation}
      addPage="addTsigKey"
      kind="tsig_key"
      sorts={SORTS}
      read={readKeys}
      remove={removeKey}
      removal={{ title: texts.removeTitle, text: texts.removeText, label: texts.remove, done: texts.removed }}
      renderKey={(key, onRemove) => <TsigEntry key={key.id} tsigKey={key} onRemove={onRemove} />}
    />
  );
}

function describeUse({ outgoing, scopes, policies }: TsigKey): string {
  if (policies !== null) return describeKey({ policies, scopes });
  const { outgoing: requests, updates, transfers } = TEXTS.tsigKeys;
  if (outgoing) return requests;
  return scopes.includes('dns') ? updates : transfers;
}

function TsigEntry({ tsigKey, onRemove }: { readonly tsigKey: TsigKey; readonly onRemove: () => void }) {
  const texts = TEXTS.tsigKeys;
  return (
    <li class="card key">
      <div class="head-row">
        <h2>{tsigKey.name}</h2>
        {!isReader.value && (
          <button type="button" class="button" aria-label={texts.removeOne(tsigKey.name)} onClick={onRemove}>
            {texts.remove}
          </button>
        )}
      </div>
      <dl class="facts-row">
        <div>
          <dt>{texts.allows}</dt>
          <dd>{describeUse(tsigKey)}</dd>
        </div>
        {!tsigKey.outgoing && (
          <div>
            <dt>{TEXTS.keys.domains}</dt>
            <dd>{tsigKey.domain_ids === null ? TEXTS.keys.allDomains : <DomainNames ids={tsigKey.domain_ids} />}</dd>
          </div>
        )}
        {tsigKey.networks !== null && (
          <div>
            <dt>{TEXTS.keys.networks}</dt>
            <dd>{tsigKey.networks.join(', ')}</dd>
          </div>
        )}
        {tsigKey.expires_at !== null && (
          <div>
            <dt>{TEXTS.keys.expires}</dt>
            <dd>
              <Time value={tsigKey.expires_at} />
            </dd>
          </div>
        )}
        <div>
          <dt>{texts.algorithm}</dt>
          <dd>{tsigKey.algorithm}</dd>
        </div>
        <div>
          <dt>{TEXTS.keys.created}</dt>
          <dd>
            <Time value={tsigKey.created_at} />
          </dd>
        </div>
      </dl>
    </li>
  );
}
