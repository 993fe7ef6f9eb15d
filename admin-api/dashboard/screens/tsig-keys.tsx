/** The TSIG keys of the account, for transfers and dynamic updates. */
import { useSignal } from '@preact/signals';
import type { TsigKey } from '../api/views.ts';
import { api, type Result, settle } from '../api.ts';
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
];

async function readKeys(q: string, sort: string, cursor: string | null): Promise<Result<Page<TsigKey>>> {
  const query = {
    ...{ limit: PAGE, sort: sort as 'id' },
    ...(q === '' ? {} : { q }),
    ...(cursor === null ? {} : { cursor }),
  };
  const result = await settle(api.GET('/api/v1/tsig-keys', { params: { query } }));
  if (!result.ok) return result;
  const { tsig_keys, next_cursor, total } = result.data;
  return { ...result, data: { rows: tsig_keys, cursor: next_cursor, total } };
}

export function TsigKeys() {
  const texts = TEXTS.tsigKeys;
  usePageTitle(texts.title);
  const { q, sort } = readListQuery(SORTS);
  const list = usePagedList(`${sort} ${q}`, (cursor) => readKeys(q, sort, cursor));
  const { found, failure, loadMore, reload } = list;
  useChanges(({ kind }) => kind === 'tsig_key', list.refresh);
  const removed = useSignal<TsigKey | null>(null);
  useShortcut('n', TEXTS.help.addTsigKey, () => {
    if (!isReader.value) openPage('addTsigKey');
  });
  const remove = async (key: TsigKey) => {
    const params = { path: { key_id: key.id } };
    const result = await settle(api.DELETE('/api/v1/tsig-keys/{key_id}', { params }));
    if (!result.ok) return result.failure;
    announce(texts.removed(key.name));
    await reload();
    return null;
  };
  const keys = found.value?.rows ?? [];
  const key = removed.value;
  return (
    <>
      <div class="head">
        <h1>{texts.title}</h1>
        <AddLink page="addTsigKey" label={texts.add} />
      </div>
      <p class="keys-lead">{texts.explanation}</p>
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
          <AddLink page="addTsigKey" label={texts.add} />
        </EmptyList>
      )}
      <ul class="keys">
        {keys.map((each) => (
          <TsigEntry
            key={each.id}
            tsigKey={each}
            onRemove={() => {
              removed.value = each;
            }}
          />
        ))}
      </ul>
      {(found.value?.cursor ?? null) !== null && (
        <button type="button" class="button" onClick={loadMore}>
          {TEXTS.lists.more}
        </button>
      )}
      {key !== null && (
        <Confirm
          title={texts.removeTitle(key.name)}
          explanation={texts.removeText}
          word={key.name}
          label={texts.remove}
          run={() => remove(key)}
          onClose={() => {
            removed.value = null;
          }}
        />
      )}
    </>
  );
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
          <dd>{tsigKey.scopes.includes('dns') ? texts.updates : texts.transfers}</dd>
        </div>
        <div>
          <dt>{TEXTS.keys.domains}</dt>
          <dd>{tsigKey.domain_ids === null ? TEXTS.keys.allDomains : <DomainNames ids={tsigKey.domain_ids} />}</dd>
        </div>
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
