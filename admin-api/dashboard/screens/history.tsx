/** The changes of a domain, newest first, with buttons to restore the state after each. */
import { useSignal } from '@preact/signals';
import { useEffect, useRef } from 'preact/hooks';
import type { DomainChange } from '../api/views.ts';
import { api, type Result, settle } from '../api.ts';
import { ChangeItem } from '../history/change-item.tsx';
import { RestoreDialog } from '../history/restore-dialog.tsx';
import { ListStatus } from '../parts/list-status.tsx';
import { EmptyList, ListTools } from '../parts/list-tools.tsx';
import { type Page, pageQuery, usePagedList } from '../parts/paged-list.ts';
import { isChangeOf, useChanges } from '../parts/use-changes.ts';
import { currentQuery } from '../router.ts';
import type { ScreenProps } from '../screen.ts';
import { isReader } from '../session.ts';
import { TEXTS } from '../texts.ts';

const PAGE = 25;

interface HistoryPage extends Page<DomainChange> {
  /** The earliest change after which the state can be restored. */
  readonly begin: number;
  /** The history begins with the creation of the domain. */
  readonly isComplete: boolean;
}

async function readHistory(domainId: number, searched: string, cursor: string | null): Promise<Result<HistoryPage>> {
  const query = pageQuery(cursor, searched, PAGE);
  const params = { path: { domain_id: domainId }, query };
  const result = await settle(api.GET('/api/v1/domains/{domain_id}/history', { params }));
  if (!result.ok) return result;
  const { changes, next_cursor, total, begin, is_complete } = result.data;
  return {
    ...result,
    data: { rows: changes, cursor: next_cursor, total: total ?? undefined, begin, isComplete: is_complete },
  };
}

export function History({ domainId }: ScreenProps) {
  const texts = TEXTS.history;
  const searched = currentQuery.value.get('q') ?? '';
  const first = useRef<HistoryPage | null>(null);
  const restored = useSignal<DomainChange | null>(null);
  const list = usePagedList(searched, async (cursor) => {
    const result = await readHistory(domainId, searched, cursor);
    if (result.ok && cursor === null) first.current = result.data;
    return result;
  });
  const { found } = list;
  useChanges(isChangeOf(domainId, 'records', 'proxy', 'dnssec'), list.refresh);
  const changes = found.value?.rows ?? [];
  const begin = first.current?.begin ?? 0;
  const total = first.current?.total;
  // A page of search results can be empty although more follow.
  const hasMore = found.value !== null && found.value.cursor !== null;
  return (
    <>
      <ListTools
        label={texts.search}
        hint={texts.searchHint}
        count={
          found.value &&
          (total == null
            ? TEXTS.audit.shown(changes.length, hasMore)
            : texts.shown(changes.length, Math.max(changes.length, total)))
        }
      />
      <ListStatus list={list} />
      {found.value !== null && !hasMore && changes.length === 0 && (
        <EmptyList searched={searched} noMatch={texts.noMatch} clear={texts.clearSearch}>
          <h2>{texts.empty}</h2>
          <p>{texts.emptyHint}</p>
        </EmptyList>
      )}
      {changes.length > 0 && (
        <ol class="changes">
          {changes.map((change, i) => (
            <ChangeItem
              key={change.seq}
              change={change}
              isLatest={i === 0 && searched === ''}
              onRestore={
                change.seq < begin || isReader.value
                  ? null
                  : () => {
                      restored.value = change;
                    }
              }
            />
          ))}
        </ol>
      )}
      {hasMore && <More onMore={list.loadMore} key={found.value?.cursor} />}
      {found.value !== null && !hasMore && changes.length > 0 && searched === '' && (
        <p class="hint">{first.current?.isComplete ? texts.created : texts.begins}</p>
      )}
      {restored.value !== null && (
        <RestoreDialog
          domainId={domainId}
          change={restored.value}
          onClose={() => {
            restored.value = null;
          }}
          onRestored={list.refresh}
        />
      )}
    </>
  );
}

/** A button for the next page, which is also loaded when the button is scrolled into view. */
function More({ onMore }: { readonly onMore: () => Promise<void> }) {
  const button = useRef<HTMLButtonElement>(null);
  useEffect(() => {
    const observer = new IntersectionObserver(([{ isIntersecting }]) => {
      if (isIntersecting) void onMore();
    });
    if (button.current !== null) observer.observe(button.current);
    return () => observer.disconnect();
  }, []);
  return (
    <button ref={button} type="button" class="button" onClick={() => onMore()}>
      {TEXTS.history.more}
    </button>
  );
}
