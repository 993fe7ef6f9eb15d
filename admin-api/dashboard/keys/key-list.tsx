/** A searchable list of keys, with buttons to remove keys. */
import { useSignal } from '@preact/signals';
import type { ComponentChild } from 'preact';
import { announce } from '../../ui/parts/announce.tsx';
import type { Choice } from '../../ui/parts/select-field.tsx';
import type { Result } from '../api.ts';
import type { Failure } from '../failure.ts';
import { Confirm } from '../parts/confirm.tsx';
import { ListStatus } from '../parts/list-status.tsx';
import { AddLink, EmptyList, ListTools, readListQuery } from '../parts/list-tools.tsx';
import { type Page, usePagedList } from '../parts/paged-list.ts';
import { useShortcut } from '../parts/shortcuts.ts';
import { usePageTitle } from '../parts/title.ts';
import { useChanges } from '../parts/use-changes.ts';
import { openPage } from '../router.ts';
import { isReader } from '../session.ts';
import { TEXTS } from '../texts.ts';

interface Key {
  readonly id: number;
  readonly name: string;
}

interface KeyListProps<K extends Key> {
  readonly texts: typeof TEXTS.keys | typeof TEXTS.tsigKeys | typeof TEXTS.webhooks;
  /** Content above the list. */
  readonly explanation?: string;
  readonly addPage: 'addKey' | 'addTsigKey' | 'addWebhook';
  /** Kind of the changes that refresh the list. */
  readonly kind: string;
  readonly sorts: readonly Choice[];
  readonly read: (cursor: string | null, q: string, sort: string) => Promise<Result<Page<K>>>;
  readonly remove: (id: number) => Promise<Failure | null>;
  readonly removal: {
    readonly title: (name: string) => string;
    readonly text: string;
    readonly label: string;
    readonly done: (name: string) => string;
  };
  readonly renderKey: (key: K, onRemove: () => void) => ComponentChild;
}

export function KeyList<K extends Key>(props: KeyListProps<K>) {
  const { texts, explanation, addPage, kind: listed, sorts, read, remove, removal, renderKey } = props;
  usePageTitle(texts.title);
  const { q, sort } = readListQuery(sorts);
  const list = usePagedList(`${sort} ${q}`, (cursor) => read(cursor, q, sort));
  const { found, loadMore, reload } = list;
  useChanges(({ kind }) => kind === listed, list.refresh);
  const removed = useSignal<K | null>(null);
  useShortcut('n', TEXTS.help[addPage], () => {
    if (!isReader.value) openPage(addPage);
  });
  const run = async ({ id, name }: K): Promise<Failure | null> => {
    const failure = await remove(id);
    if (failure !== null) return failure;
    announce(removal.done(name));
    await reload();
    return null;
  };
  const keys = found.value?.rows ?? [];
  const pending = removed.value;
  return (
    <>
      <div class="head">
        <h1>{texts.title}</h1>
        <AddLink page={addPage} label={texts.add} />
      </div>
      {explanation !== undefined && <p class="keys-lead">{explanation}</p>}
      <ListTools
        label={texts.search}
        sorts={sorts}
        count={found.value === null ? null : texts.count(found.value.total ?? keys.length)}
      />
      <ListStatus list={list} />
      {found.value !== null && keys.length === 0 && (
        <EmptyList searched={q} noMatch={texts.noMatch} clear={texts.clearSearch}>
          <h2>{texts.empty}</h2>
          <p>{texts.emptyHint}</p>
          <AddLink page={addPage} label={texts.add} />
        </EmptyList>
      )}
      <ul class="keys">
        {keys.map((key) =>
          renderKey(key, () => {
            removed.value = key;
          }),
        )}
      </ul>
      {(found.value?.cursor ?? null) !== null && (
        <button type="button" class="button" onClick={loadMore}>
          {TEXTS.lists.more}
        </button>
      )}
      {pending !== null && (
        <Confirm
          title={removal.title(pending.name)}
          explanation={removal.text}
          word={pending.name}
          label={removal.label}
          run={() => run(pending)}
          onClose={() => {
            removed.value = null;
          }}
        />
      )}
    </>
  );
}
