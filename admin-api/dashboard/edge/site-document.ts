/**
 * A document of a domain's sites: its stored versions and the edits in the forms of a page. Lists
 * show the latest version. A form with unsaved input keeps the version that it was opened with.
 */
import { type Signal, signal } from '@preact/signals';
import type { DocumentVersion } from '../api/views.ts';
import type { Failure } from '../failure.ts';
import type { Result } from '../result.ts';
import { TEXTS } from '../texts.ts';

/** Parameters of API calls. */
interface Params {
  readonly path: { readonly domain_id: number };
}

interface WriteParams extends Params {
  readonly header: { readonly 'If-Match': string };
}

interface VersionParams {
  readonly path: { readonly domain_id: number; readonly revision: number };
}

/** Calls for a document with stored earlier versions. */
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

/** Code of the failure after another client has changed the document. */
const CHANGED = 'changed';

export class SiteDocument<Content extends { readonly revision: number }, Body> {
  /** The version in the forms. Null: not loaded yet. */
  readonly stored: Signal<Content | null> = signal(null);
  /** The version in lists. Null: not loaded yet. */
  readonly latest: Signal<Content | null> = signal(null);
  readonly failure = signal<Failure | null>(null);
  /** Whether the forms have unsaved input. */
  readonly isEdited = signal(false);
  /** Whether the forms have unsaved input and a newer version exists. */
  readonly isOutdated = signal(false);
  /** The revision that saving the forms replaces. */
  #base = 0;

  constructor(
    readonly domainId: number,
    private readonly calls: DocumentCalls<Content, Body>,
  ) {}

  /** Loads the latest version. Updates the forms only if they have no unsaved input. */
  async load(): Promise<void> {
    const [, failure] = await Promise.all([this.#read(), this.loadMore()]);
    this.failure.value ??= failure;
  }

  /** Replaces unsaved input by the latest version. */
  async discard(): Promise<void> {
    if (await this.#read()) this.#show();
  }

  /** Keeps unsaved input. Saving then replaces the latest version. */
  async keep(): Promise<void> {
    if (!(await this.#read())) return;
    this.#base = this.latest.value?.revision ?? 0;
    this.isOutdated.value = false;
  }

  /** Saves the forms unless another client has changed the document. Null on success. */
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

  /** Saves a change of a list. Keeps unsaved input of the forms. Null on success. */
  async change(body: Body): Promise<Failure | null> {
    const result = await this.#write(this.latest.value?.revision ?? 0, body);
    if (!result.ok) return result.failure;
    this.#receive(result.data);
    await this.loadMore();
    return null;
  }

  /** Null: earlier versions are not stored. */
  get versions(): VersionCalls<Content> | null {
    return this.calls.versions ?? null;
  }

  /**
   * Restores an earlier version as the latest. Keeps unsaved input of the forms. If another client
   * has changed the document, loads it again.
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

  /** Loads further data of the page. */
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

  /** Ignores older versions, since responses may arrive out of order. */
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
