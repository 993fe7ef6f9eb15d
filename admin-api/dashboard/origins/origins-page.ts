/** The state of the origins page: the pools of a domain and their health. */
import { type Signal, signal } from '@preact/signals';
import type { OriginsBody, OriginsDocument, OriginsEntryHealth } from '../api/views.ts';
import { api, settle } from '../api.ts';
import { documentCalls } from '../edge/document-calls.ts';
import { SiteDocument } from '../edge/site-document.ts';
import type { Failure } from '../failure.ts';
import { LatestResponse } from '../parts/latest-response.ts';

const PATH = '/api/v1/domains/{domain_id}/proxy/origins';

export class OriginsPage extends SiteDocument<OriginsDocument, OriginsBody> {
  /** Null: not loaded yet. */
  readonly health: Signal<readonly OriginsEntryHealth[] | null> = signal(null);
  readonly #latest = new LatestResponse();

  constructor(domainId: number) {
    super(domainId, documentCalls('origins'));
  }

  protected override async loadMore(): Promise<Failure | null> {
    const request = this.#latest.begin();
    const params = { path: { domain_id: this.domainId } };
    const result = await settle(api.GET(`${PATH}/health`, { params }));
    if (!result.ok) return result.failure;
    if (this.#latest.mayShow(request)) this.health.value = result.data.entries;
    return null;
  }
}
