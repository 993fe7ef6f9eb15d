/** A searchable list of the API, loaded page by page as the user scrolls. */
import { type Signal, useSignal } from '@preact/signals';
import { useCallback, useEffect, useRef } from 'preact/hooks';
import type { Result } from '../api.ts';
import type { Failure } from '../failure.ts';

/** Milliseconds after which a new search no longer waits for the previous one. */
const MAX_WAIT_MS = 1000;

/** Rows per request. */
const PAGE = 100;

/** The query parameters for a page. */
export const pageQuery = (cursor: string | null, q = '', limit = PAGE) => ({
  limit,
  ...(q === '' ? {} : { q }),
  ...(cursor === null ? {} : { cursor }),
});

/** Rows of one request. `cursor`: of the next request. Null: no more rows. */
export interface Page<Row> {
  readonly rows: readonly Row[];
  readonly cursor: string | null;
  /** Number of rows in all pages, if the API counts them. */
  readonly total?: number | null;
}

export interface PagedList<Row> {
  /** Null: not loaded yet. */
  readonly found: Signal<Page<Row> | null>;
  readonly failure: Signal<Failure | null>;
  readonly loadMore: () => Promise<void>;
  /** Reloads the first page. Keeps the rows meanwhile. */
  readonly reload: () => Promise<void>;
  /** Reloads all loaded rows. Keeps the rows meanwhile. */
  readonly refresh: () => Promise<void>;
}

/**
 * `search`: all selection criteria as text. A different text starts a new list. `read` requests the
 * page at a cursor. Null: the first page.
 */
export function usePagedList<Row>(
  search: string,
  read: (cursor: string | null) => Promise<Result<Page<Row>>>,
): PagedList<Row> {
  const found = useSignal<Page<Row> | null>(null);
  const failure = useSignal<Failure | null>(null);
  /** Number of the latest request for a first page. Earlier responses are ignored. */
  const current = useRef(0);
  const isLoadingMore = useRef(false);
  /** One search runs at a time. Input during a search starts one more search afterwards. */
  const isSearching = useRef(false);
  const isOutdated = useRef(false);
  const reader = useRef(read);
  reader.current = read;

  const load = useCallback(async (cursor: string | null): Promise<void> => {
    const request = cursor === null ? ++current.current : current.current;
    const result = await reader.current(cursor);
    if (request !== current.current) return;
    failure.value = result.ok ? null : result.failure;
    if (!result.ok) return;
    const before = cursor === null ? null : found.peek();
    // Only the first page includes the total.
    const total = before === null ? result.data.total : before.total;
    found.value = { ...result.data, total, rows: [...(before?.rows ?? []), ...result.data.rows] };
  }, []);

  const loadMore = useCallback(async (): Promise<void> => {
    const cursor = found.peek()?.cursor ?? null;
    // During a search, the cursor still belongs to the previous list.
    if (cursor === null || isLoadingMore.current || isSearching.current) return;
    isLoadingMore.current = true;
    await load(cursor);
    isLoadingMore.current = false;
  }, []);

  const reload = useCallback(() => load(null), []);

  const refresh = useCallback(async (): Promise<void> => {
    const request = ++current.current;
    const minRows = found.peek()?.rows.length ?? 0;
    const rows: Row[] = [];
    let total: number | null | undefined;
    let cursor: string | null = null;
    do {
      const result = await reader.current(cursor);
      if (request !== current.current) return;
      failure.value = result.ok ? null : result.failure;
      if (!result.ok) return;
      rows.push(...result.data.rows);
      total ??= result.data.total;
      cursor = result.data.cursor;
    } while (cursor !== null && rows.length < minRows);
    found.value = { rows, cursor, total };
  }, []);

  const startSearch = useCallback(async (): Promise<void> => {
    isOutdated.current = true;
    if (isSearching.current) return;
    isSearching.current = true;
    while (isOutdated.current) {
      isOutdated.current = false;
      await Promise.race([reload(), new Promise((resolve) => setTimeout(resolve, MAX_WAIT_MS))]);
    }
    isSearching.current = false;
  }, []);
  useEffect(() => void startSearch(), [search]);
  return { found, failure, loadMore, reload, refresh };
}
