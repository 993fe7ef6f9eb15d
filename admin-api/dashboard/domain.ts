/** The domain whose pages are shown. All of its pages share it. */
import { type Signal, signal } from '@preact/signals';
import type { Domain } from './api/views.ts';
import { api, settle } from './api.ts';
import type { Failure } from './failure.ts';

export interface CurrentDomain {
  readonly domainId: number;
  /** Null: not read yet. */
  readonly domain: Signal<Domain | null>;
  readonly failure: Signal<Failure | null>;
  /** Reads it again; the earlier state stays until then. */
  readonly load: () => Promise<void>;
}

let current: CurrentDomain | undefined;

/** The state of a domain. Only that of the latest one is kept. */
export function domainOf(domainId: number): CurrentDomain {
  if (current?.domainId === domainId) return current;
  const domain = signal<Domain | null>(null);
  const failure = signal<Failure | null>(null);
  const load = async (): Promise<void> => {
    const params = { path: { domain_id: domainId } };
    const result = await settle(api.GET('/api/v1/domains/{domain_id}', { params }));
    failure.value = result.ok ? null : result.failure;
    if (result.ok) domain.value = result.data.domain;
  };
  current = { domainId, domain, failure, load };
  return current;
}

/** Deletes what the user who signed out has left. */
export function forgetDomain(): void {
  current = undefined;
}
