/** A list of the API that is searched, and loaded page by page as the user scrolls. */
import { type Signal, useSignal } from '@preact/signals';
import { useCallback, useEffect, useRef } from 'preact/hooks';
import type { Result } from '../api.ts';
import type { Failure } from '../failure.ts';

/** After this time, a search does not wait for the response to the one before. */
const PATIENCE_MS = 1000;

/** Rows of a request. */
const PAGE = 100;

/** The parameters of the request for a page. */
export const pageQuery = (cursor: string | null, q = '', limit = PAGE) => ({
  limit,
  ...(q === '' ? {} : { q }),
  ...(cursor === null ? {} : { cursor }),
});

/** Rows of one request. `cursor`: of the next request; null if there are no more. */
export interface Page<Row> {
  readonly rows: readonly Row[];
  readonly cursor: string | null;
  /** The number of rows in all pages, if the API counts them. */
  readonly total?: number | null;
}

export interface PagedList<Row> {
  /** Null: nothing is loaded yet. */
  readonly found: Signal<Page<Row> | null>;
  readonly failure: Signal<Failure | null>;
  readonly loadMore: () => Promise<void>;
  /** Reads the first page again; rows stay until it is there. */
  readonly reload: () => Promise<void>;
  /** Reads all loaded rows again; they stay until the new ones are there. */
  readonly refresh: () => Promise<void>;
}

/**
 * `search`: everything that selects rows, as text; another text starts a new list. `read` requests
 * the page at a cursor; null is the first page.
 */
export function usePagedList<Row>(
  search: string,
  read: (cursor: string | null) => Promise<Result<Page<Row>>>,
): PagedList<Row> {
  const found = useSignal<Page<Row> | null>(null);
  const failure = useSignal<Failure | null>(null);
  /** Counts first pages: responses to earlier searches are ignored. */
  const current = useRef(0);
  const isLoadingMore = useRef(false);
  /** One search at a time: while it runs, the user may type more letters, which are one more. */
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
    // Only the first page has the total.
    const total = before === null ? result.data.total : before.total;
    found.value = { ...result.data, total, rows: [...(before?.rows ?? []), ...result.data.rows] };
  }, []);

  const loadMore = useCallback(async (): Promise<void> => {
    const cursor = found.peek()?.cursor ?? null;
    // The cursor belongs to the list before a search.
    if (cursor === null || isLoadingMore.current || isSearching.current) return;
    isLoadingMore.current = true;
    await load(cursor);
    isLoadingMore.current = false;
  }, []);

  const reload = useCallback(() => load(null), []);

  const refresh = useCallback(async (): Promise<void> => {
    const request = ++current.current;
    const wanted = found.peek()?.rows.length ?? 0;
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
    } while (cursor !== null && rows.length < wanted);
    found.value = { rows, cursor, total };
  }, []);

  const startSearch = useCallback(async (): Promise<void> => {
    isOutdated.current = true;
    if (isSearching.current) return;
    isSearching.current = true;
    while (isOutdated.current) {
      isOutdated.current = false;
      await Promise.race([reload(), new Promise((resolve) => setTimeout(resolve, PATIENCE_MS))]);
    }
    isSearching.current = false;
  }, []);
  useEffect(() => void startSearch(), [search]);
  return { found, failure, loadMore, reload, refresh };
}
