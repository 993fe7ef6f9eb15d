/**
 * Caches pages of record lists as response bodies. Synchronization programs list the same zones
 * repeatedly, mostly unchanged. A page is valid for one revision of its domain.
 */

/** Maximum bytes of all pages, and of one page. */
const MAX_BYTES = 32 << 20;
const MAX_PAGE_BYTES = 1 << 20;
/** Estimated bytes of a page without its body and key. */
const OVERHEAD = 500;

interface Page {
  readonly revision: number;
  readonly body: Buffer;
  /** The Link header; undefined on the last page. */
  readonly link: string | undefined;
}

export class RecordPageCache {
  /** In order of use, least recently used first. */
  readonly #pages = new Map<string, Page>();
  #bytes = 0;

  get size(): number {
    return this.#bytes;
  }

  /** Undefined if the page is of another revision of its domain. */
  get(key: string, revision: number): Page | undefined {
    const page = this.#pages.get(key);
    if (page === undefined) return undefined;
    this.#pages.delete(key);
    if (page.revision === revision) this.#pages.set(key, page);
    else this.#bytes -= estimateBytes(key, page);
    return page.revision === revision ? page : undefined;
  }

  put(key: string, page: Page): void {
    const weight = estimateBytes(key, page);
    if (weight > MAX_PAGE_BYTES) return;
    const old = this.#pages.get(key);
    if (old !== undefined) this.#bytes -= estimateBytes(key, old);
    this.#pages.delete(key);
    this.#pages.set(key, page);
    this.#bytes += weight;
    for (const [oldest, evicted] of this.#pages) {
      if (this.#bytes <= MAX_BYTES) return;
      this.#pages.delete(oldest);
      this.#bytes -= estimateBytes(oldest, evicted);
    }
  }
}

const estimateBytes = (key: string, { body }: Page): number => body.length + 2 * key.length + OVERHEAD;
