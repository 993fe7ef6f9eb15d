/** The state of the DNSSEC page of a domain. */
import { type Signal, signal } from '@preact/signals';
import type { DnssecView } from '../api/views.ts';
import { api, type Result, settle } from '../api.ts';
import type { Failure } from '../failure.ts';

export const DNSSEC = '/api/v1/domains/{domain_id}/dnssec';

export class DnssecPage {
  /** Null: not loaded yet. */
  readonly zone: Signal<DnssecView | null> = signal(null);
  readonly failure = signal<Failure | null>(null);
  /** Parameters of API calls. */
  readonly params: { readonly path: { readonly domain_id: number } };

  constructor(domainId: number) {
    this.params = { path: { domain_id: domainId } };
  }

  /** Loads the state. Keeps the current state meanwhile. */
  async load(): Promise<void> {
    const result = await settle(api.GET(DNSSEC, { params: this.params }));
    this.failure.value = result.ok ? null : result.failure;
    if (result.ok) this.zone.value = result.data;
  }

  /** Shows the state in the response to a change. Null on success. */
  async change(call: Promise<Result<DnssecView>>): Promise<Failure | null> {
    const result = await call;
    if (!result.ok) return result.failure;
    this.zone.value = result.data;
    return null;
  }
}
