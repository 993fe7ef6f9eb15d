/** The state of the proxy page of a domain. */
import { type Signal, signal } from '@preact/signals';
import type { ProxyView } from '../api/views.ts';
import { api, type Result, settle } from '../api.ts';
import type { Failure } from '../failure.ts';
import { LatestResponse } from '../parts/latest-response.ts';
import { KeptWarnings } from './kept-warnings.ts';

interface ProxyData {
  readonly domain: { readonly id: number; readonly domain: string };
  readonly proxy: ProxyView;
}

export class ProxyPage {
  /** Null: not loaded yet. */
  readonly proxy: Signal<ProxyView | null> = signal(null);
  /** Domain name in A-labels. */
  readonly domain = signal('');
  readonly failure = signal<Failure | null>(null);
  /** Parameters of API calls. */
  readonly params: { readonly path: { readonly domain_id: number } };
  readonly #warnings = new KeptWarnings();
  readonly #latest = new LatestResponse();

  constructor(readonly domainId: number) {
    this.params = { path: { domain_id: domainId } };
  }

  /** Loads the state. Keeps the current state meanwhile. */
  async load(): Promise<void> {
    const request = this.#latest.begin();
    const result = await settle(api.GET('/api/v1/domains/{domain_id}/proxy', { params: this.params }));
    if (!this.#latest.mayShow(request)) return;
    this.failure.value = result.ok ? null : result.failure;
    if (result.ok) this.#show({ ...result.data, proxy: this.#warnings.addTo(result.data.proxy) });
  }

  /** Shows the state in the response to a change. Null on success. */
  async change(call: Promise<Result<ProxyData>>): Promise<Failure | null> {
    const result = await call;
    if (!result.ok) return result.failure;
    // Ignores responses to earlier requests, which may show the state before the change.
    this.#latest.mayShow(this.#latest.begin());
    this.#warnings.keep(result.data.proxy);
    this.#show(result.data);
    return null;
  }

  #show({ domain, proxy }: ProxyData): void {
    this.domain.value = domain.domain;
    this.proxy.value = proxy;
  }
}
