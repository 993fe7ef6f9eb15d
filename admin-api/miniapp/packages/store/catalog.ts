/**
 * The list of the store in memory, sorted in each order. The list is public, so a request must not
 * read all apps. The first request builds the list, and the journal keeps it up to date. An entry
 * has only the id and sort values; a page is read from the rows.
 */
import { setImmediate } from 'node:timers/promises';
import { timeKey } from '../../../../core/store/keys.ts';
import { uploadsIn } from '../../../../core/store/package-reads.ts';
import type { Reader } from '../../../../core/store/reader.ts';
import { type Published, publishedOf } from './view.ts';

export const SORTS = ['name', 'app_id', 'published_at'] as const;
type SortKey = (typeof SORTS)[number];

interface Entry {
  readonly appId: string;
  /** Sort values, as text with the order of the values. */
  readonly values: Readonly<Record<SortKey, string>>;
  /** What `q` searches. */
  readonly texts: readonly string[];
}

/** A position in a sorted list; its entry may have been removed since. */
export interface Position {
  readonly value: string;
  readonly appId: string;
}

export interface CatalogSearch {
  readonly key: SortKey;
  readonly descending: boolean;
  readonly matches: ((...texts: readonly string[]) => boolean) | null;
  readonly after: Position | null;
  readonly limit: number;
}

interface CatalogPage {
  readonly found: readonly Published[];
  /** Null: there is no next page. */
  readonly last: Position | null;
  /** Null: this is not the first page. */
  readonly total: number | null;
}

/** Rows between two turns of the event loop. */
const PIECE = 200;
/** Maximum characters of a sort value. */
const SORTED_CHARACTERS = 100;

export class Catalog {
  readonly #entries = new Map<string, Entry>();
  readonly #sorted: Readonly<Record<SortKey, Entry[]>> = { name: [], app_id: [], published_at: [] };
  #built: Promise<void> | undefined;
  #isSorted = false;

  /** `onApps`: see Journal. */
  constructor(
    private readonly reader: Reader,
    onApps: (listener: (appIds: ReadonlySet<string>) => void) => void,
  ) {
    onApps((appIds) => {
      // Before it is built, the rows have everything.
      if (this.#built !== undefined) for (const appId of appIds) this.#refresh(appId);
    });
  }

  /** The number of published apps. Rejects with the error of the store. */
  async count(): Promise<number> {
    await this.#read();
    return this.#entries.size;
  }

  #read(): Promise<void> {
    this.#built ??= this.#build().catch((error: unknown) => {
      this.#built = undefined;
      this.#entries.clear();
      throw error;
    });
    return this.#built;
  }

  /** Rejects with the error of the store. */
  async find({ key, descending, matches, after, limit }: CatalogSearch): Promise<CatalogPage> {
    await this.#read();
    const sorted = this.#sorted[key];
    const found: Published[] = [];
    let last: Position | null = null;
    let count = 0;
    // A search is also counted, in the same pass.
    const counts = after === null && matches !== null;
    const step = descending ? -1 : 1;
    for (let i = this.#start(sorted, key, after, descending); i >= 0 && i < sorted.length; i += step) {
      const { appId, values, texts } = sorted[i];
      if (matches !== null && !matches(...texts)) continue;
      count++;
      if (found.length > limit) {
        if (counts) continue;
        break;
      }
      const published = publishedOf(this.reader, appId);
      if (published === undefined) continue;
      found.push(published);
      if (found.length === limit) last = { value: values[key], appId };
    }
    const hasNext = found.length > limit;
    return {
      found: found.slice(0, limit),
      last: hasNext ? last : null,
      total: counts ? count : after === null ? this.#entries.size : null,
    };
  }

  /** Index of the first entry of a page. */
  #start(sorted: readonly Entry[], key: SortKey, after: Position | null, descending: boolean): number {
    if (after === null) return descending ? sorted.length - 1 : 0;
    const at = lowerBound(sorted, key, after);
    if (descending) return at - 1;
    const isThere = at < sorted.length && compare(positionOf(sorted[at], key), after) === 0;
    return isThere ? at + 1 : at;
  }

  async #build(): Promise<void> {
    let after: Buffer | null = null;
    do {
      const page = uploadsIn(this.reader, 'published', after, PIECE);
      for (const { appId } of page) this.#refresh(appId);
      after = page.length < PIECE ? null : timeKey(page[page.length - 1]);
      await setImmediate();
    } while (after !== null);
    for (const key of SORTS) {
      const sorted = this.#sorted[key];
      for (const entry of this.#entries.values()) sorted.push(entry);
      sorted.sort((a, b) => compare(positionOf(a, key), positionOf(b, key)));
    }
    this.#isSorted = true;
  }

  #refresh(id: string): void {
    const appId = id.toLowerCase();
    const before = this.#entries.get(appId);
    if (before !== undefined) {
      this.#entries.delete(appId);
      if (this.#isSorted)
        for (const key of SORTS)
          this.#sorted[key].splice(lowerBound(this.#sorted[key], key, positionOf(before, key)), 1);
    }
    const published = publishedOf(this.reader, appId);
    if (published === undefined) return;
    const entry = entryOf(published);
    this.#entries.set(appId, entry);
    if (!this.#isSorted) return;
    for (const key of SORTS)
      this.#sorted[key].splice(lowerBound(this.#sorted[key], key, positionOf(entry, key)), 0, entry);
  }
}

function entryOf({ upload, listing: { name, category }, publishedAt }: Published): Entry {
  const appId = upload.appId.toLowerCase();
  return {
    appId,
    values: {
      // The conversion through bytes removes a lone surrogate at the end.
      name: Buffer.from(name.toLowerCase().slice(0, SORTED_CHARACTERS)).toString(),
      app_id: '',
      published_at: String(publishedAt).padStart(12, '0'),
    },
    // In lower case, which a search needs, so that it converts nothing.
    texts: [name, appId, category ?? ''].map((text) => text.toLowerCase()),
  };
}

const positionOf = ({ appId, values }: Entry, key: SortKey): Position => ({ value: values[key], appId });

const compareText = (a: string, b: string): number => (a < b ? -1 : a > b ? 1 : 0);
const compare = (a: Position, b: Position): number => compareText(a.value, b.value) || compareText(a.appId, b.appId);

/** The number of entries before the position. */
function lowerBound(sorted: readonly Entry[], key: SortKey, position: Position): number {
  let low = 0;
  let high = sorted.length;
  while (low < high) {
    const middle = (low + high) >>> 1;
    if (compare(positionOf(sorted[middle], key), position) < 0) low = middle + 1;
    else high = middle;
  }
  return low;
}
