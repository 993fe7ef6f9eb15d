/** A document of a domain's sites: what is stored, and whether the forms on the page differ. */
import { type Signal, signal } from '@preact/signals';
import type { Result } from '../api.ts';
import type { Failure } from '../failure.ts';
import { TEXTS } from '../texts.ts';

/** For calls of the API. */
interface Params {
  readonly path: { readonly domain_id: number };
}

interface WriteParams extends Params {
  readonly header: { readonly 'If-Match': string };
}

export interface DocumentCalls<Content, Body> {
  readonly read: (params: Params) => Promise<Result<Content>>;
  readonly write: (params: WriteParams, body: Body) => Promise<Result<Content>>;
}

/** Of a failure because somebody else has changed the document. */
const CHANGED = 'changed';

export class SiteDocument<Content extends { readonly revision: number }, Body> {
  readonly domainId: number;
  /** What the forms begin with. Null: not read yet. */
  readonly stored: Signal<Content | null> = signal(null);
  readonly failure = signal<Failure | null>(null);
  /** Whether the user has entered something that is not saved. */
  readonly isEdited = signal(false);
  /** Whether there is a newer version, which would replace what the user has entered. */
  readonly isOutdated = signal(false);
  readonly #calls: DocumentCalls<Content, Body>;

  constructor(domainId: number, calls: DocumentCalls<Content, Body>) {
    this.domainId = domainId;
    this.#calls = calls;
  }

  /** Shows the latest version, unless the user has entered something. */
  async load(): Promise<void> {
    const result = await this.#calls.read({ path: { domain_id: this.domainId } });
    this.failure.value = result.ok ? null : result.failure;
    if (!result.ok || result.data.revision <= (this.stored.value?.revision ?? -1)) return;
    if (this.isEdited.value) this.isOutdated.value = true;
    else this.#show(result.data);
  }

  /** Shows the latest version instead of what the user has entered. */
  async discard(): Promise<void> {
    this.isEdited.value = false;
    await this.load();
  }

  /** Stores a new version, if nobody else has done so since it was read. Null: done. */
  async replace(body: Body): Promise<Failure | null> {
    const header = { 'If-Match': `"${this.stored.value?.revision ?? 0}"` };
    const result = await this.#calls.write({ path: { domain_id: this.domainId }, header }, body);
    if (result.ok) {
      this.#show(result.data);
      return null;
    }
    if (result.failure.code !== CHANGED) return result.failure;
    this.isEdited.value = true;
    this.isOutdated.value = true;
    return { ...result.failure, message: TEXTS.siteDocuments.conflict };
  }

  #show(content: Content): void {
    this.stored.value = content;
    this.isEdited.value = false;
    this.isOutdated.value = false;
  }
}
