/**
 * Pages of records that were listed lately, as they were sent. Programs that keep zones in step list the same zones again and again, and mostly nothing has changed: the
 * domain's revision tells.
 */

/** Bytes over all pages, and of one. */
const MOST_BYTES = 32 << 20;
const LARGEST = 1 << 20;
/** What a page takes beside its body. */
const OVERHEAD = 500;

export interface Page {
  readonly revision: number;
  readonly body: Buffer;
  /** The Link header; undefined on the last page. */
  readonly link: string | undefined;
}

export class RecordPages {
  /** The least recently used first. */
  readonly #pages = new Map<string, Page>();
  #bytes = 0;

  get size(): number {
    return this.#bytes;
  }

  /** The page as of this revision of its domain. */
  get(key: string, revision: number): Page | undefined {
    const page = this.#pages.get(key);
    if (page === undefined) return undefined;
    this.#pages.delete(key);
    if (page.revision === revision) this.#pages.set(key, page);
    else this.#bytes -= weigh(key, page);
    return page.revision === revision ? page : undefined;
  }

  put(key: string, page: Page): void {
    const weight = weigh(key, page);
    if (weight > LARGEST) return;
    const old = this.#pages.get(key);
    if (old !== undefined) this.#bytes -= weigh(key, old);
    this.#pages.delete(key);
    this.#pages.set(key, page);
    this.#bytes += weight;
    for (const [oldest, gone] of this.#pages) {
      if (this.#bytes <= MOST_BYTES) return;
      this.#pages.delete(oldest);
      this.#bytes -= weigh(oldest, gone);
    }
  }
}

const weigh = (key: string, { body }: Page): number => body.length + 2 * key.length + OVERHEAD;
