/** The origins of a domain and their health, as all parts of the page show them. */
import { type Signal, signal } from '@preact/signals';
import type { OriginsDocument, OriginsEntryBody, OriginsEntryHealth } from '../api/views.ts';
import { api, settle } from '../api.ts';
import type { Failure } from '../failure.ts';

const PATH = '/api/v1/domains/{domain_id}/proxy/origins';

export class OriginsPage {
  /** Null: not read yet. */
  readonly document: Signal<OriginsDocument | null> = signal(null);
  readonly health: Signal<readonly OriginsEntryHealth[]> = signal([]);
  readonly failure = signal<Failure | null>(null);
  /** For calls of the API. */
  readonly params: { readonly path: { readonly domain_id: number } };

  constructor(domainId: number) {
    this.params = { path: { domain_id: domainId } };
  }

  /** The earlier state stays until it is read. */
  async load(): Promise<void> {
    const { params } = this;
    const [document, health] = await Promise.all([
      settle(api.GET(PATH, { params })),
      settle(api.GET(`${PATH}/health`, { params })),
    ]);
    const failed = [document, health].find((result) => !result.ok);
    this.failure.value = failed === undefined || failed.ok ? null : failed.failure;
    if (document.ok) this.document.value = document.data;
    if (health.ok) this.health.value = health.data.entries;
  }

  /** Replaces all entries, if nobody else has changed them. Null: done. */
  async replace(origins: readonly OriginsEntryBody[]): Promise<Failure | null> {
    const header = { 'If-Match': `"${this.document.value?.revision ?? 0}"` };
    const params = { ...this.params, header };
    const result = await settle(api.PUT(PATH, { params, body: { origins: [...origins] } }));
    if (!result.ok) return result.failure;
    await this.load();
    return null;
  }
}
