/**
 * A document of a domain's sites: what is stored, and what a form on the page makes of it. A list
 * shows the latest version; a form stays with the version that it began with while it is edited.
 */
import { type Signal, signal } from '@preact/signals';
import type { DocumentVersion } from '../api/views.ts';
import type { Failure } from '../failure.ts';
import type { Result } from '../result.ts';
import { TEXTS } from '../texts.ts';

/** For calls of the API. */
interface Params {
  readonly path: { readonly domain_id: number };
}

interface WriteParams extends Params {
  readonly header: { readonly 'If-Match': string };
}

interface VersionParams {
  readonly path: { readonly domain_id: number; readonly revision: number };
}

/** Of a document whose earlier versions are kept. */
export interface VersionCalls<Content> {
  readonly list: (params: Params) => Promise<Result<{ readonly versions: readonly DocumentVersion[] }>>;
  readonly read: (params: VersionParams) => Promise<Result<Content>>;
  readonly restore: (params: VersionParams & WriteParams) => Promise<Result<Content>>;
}

export interface DocumentCalls<Content, Body> {
  readonly read: (params: Params) => Promise<Result<Content>>;
  readonly write: (params: WriteParams, body: Body) => Promise<Result<Content>>;
  readonly versions?: VersionCalls<Content>;
}

/** Of a failure because somebody else has changed the document. */
const CHANGED = 'changed';

export class SiteDocument<Content extends { readonly revision: number }, Body> {
  /** What the forms begin with. Null: not read yet. */
  readonly stored: Signal<Content | null> = signal(null);
  /** What lists show. Null: not read yet. */
  readonly latest: Signal<Content | null> = signal(null);
  readonly failure = signal<Failure | null>(null);
  /** Whether the user has entered something that is not saved. */
  readonly isEdited = signal(false);
  /** Whether there is a newer version, which would replace what the user has entered. */
  readonly isOutdated = signal(false);
  /** The revision that the forms replace. */
  #base = 0;

  constructor(
    readonly domainId: number,
    private readonly calls: DocumentCalls<Content, Body>,
  ) {}

  /** Shows the latest version, in the forms unless the user has entered something. */
  async load(): Promise<void> {
    const [, failure] = await Promise.all([this.#read(), this.loadMore()]);
    this.failure.value ??= failure;
  }

  /** Shows the latest version instead of what the user has entered. */
  async discard(): Promise<void> {
    if (await this.#read()) this.#show();
  }

  /** Keeps what the user has entered: saving it replaces the latest version. */
  async keep(): Promise<void> {
    if (!(await this.#read())) return;
    this.#base = this.latest.value?.revision ?? 0;
    this.isOutdated.value = false;
  }

  /** Stores what the user has entered, if nobody else has changed the document. Null: done. */
  async replace(body: Body): Promise<Failure | null> {
    const result = await this.#write(this.#base, body);
    if (result.ok) {
      this.latest.value = result.data;
      this.#show();
      await this.loadMore();
      return null;
    }
    if (result.failure.code !== CHANGED) return result.failure;
    this.isEdited.value = true;
    this.isOutdated.value = true;
    return { ...result.failure, message: TEXTS.siteDocuments.conflict };
  }

  /** Stores a change of what lists show. What the user has entered stays. Null: done. */
  async change(body: Body): Promise<Failure | null> {
    const result = await this.#write(this.latest.value?.revision ?? 0, body);
    if (!result.ok) return result.failure;
    this.#receive(result.data);
    await this.loadMore();
    return null;
  }

  /** Null: no earlier versions are kept. */
  get versions(): VersionCalls<Content> | null {
    return this.calls.versions ?? null;
  }

  /**
   * Stores an earlier version as the latest. What the user has entered stays. A failure for which
   * the document has changed meanwhile reads it again.
   */
  async restore(versions: VersionCalls<Content>, revision: number): Promise<Result<Content>> {
    const path = { domain_id: this.domainId, revision };
    const result = await versions.restore({ path, ...this.#ifMatch(this.latest.value?.revision ?? 0) });
    if (result.ok) {
      this.#receive(result.data);
      await this.loadMore();
    } else if (result.failure.code === CHANGED) await this.#read();
    return result;
  }

  /** Reads what else the page shows of the document. */
  protected async loadMore(): Promise<Failure | null> {
    return null;
  }

  async #read(): Promise<boolean> {
    const result = await this.calls.read({ path: { domain_id: this.domainId } });
    this.failure.value = result.ok ? null : result.failure;
    if (result.ok) this.#receive(result.data);
    return result.ok;
  }

  #write(revision: number, body: Body): Promise<Result<Content>> {
    return this.calls.write({ path: { domain_id: this.domainId }, ...this.#ifMatch(revision) }, body);
  }

  #ifMatch(revision: number): Pick<WriteParams, 'header'> {
    return { header: { 'If-Match': `"${revision}"` } };
  }

  /** Responses may arrive in another order than the versions that they have. */
  #receive(content: Content): void {
    if (content.revision <= (this.latest.value?.revision ?? -1)) return;
    this.latest.value = content;
    if (this.isEdited.value) this.isOutdated.value = true;
    else this.#show();
  }

  #show(): void {
    this.stored.value = this.latest.value;
    this.#base = this.latest.value?.revision ?? 0;
    this.isEdited.value = false;
    this.isOutdated.value = false;
  }
}
