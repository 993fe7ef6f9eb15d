/** The current domain, shared by all of its pages. */
import { type Signal, signal } from '@preact/signals';
import type { Domain } from './api/views.ts';
import { api, settle } from './api.ts';
import type { Failure } from './failure.ts';

interface CurrentDomain {
  readonly domainId: number;
  /** Null: not loaded yet. */
  readonly domain: Signal<Domain | null>;
  readonly failure: Signal<Failure | null>;
  /** Reloads the domain. Keeps the current state meanwhile. */
  readonly load: () => Promise<void>;
  /** Reloads after a change by another client. Reports only a deleted domain as a failure. */
  readonly refresh: () => Promise<void>;
}

const NOT_FOUND = 404;

let current: CurrentDomain | undefined;

/** The state of a domain. Only the latest requested domain is cached. */
export function domainOf(domainId: number): CurrentDomain {
  if (current?.domainId === domainId) return current;
  const domain = signal<Domain | null>(null);
  const failure = signal<Failure | null>(null);
  const read = async (isFailure: (status: number) => boolean): Promise<void> => {
    const params = { path: { domain_id: domainId } };
    const result = await settle(api.GET('/api/v1/domains/{domain_id}', { params }));
    if (result.ok) domain.value = result.data.domain;
    if (result.ok || isFailure(result.failure.status)) failure.value = result.ok ? null : result.failure;
  };
  const load = () => read(() => true);
  const refresh = () => read((status) => status === NOT_FOUND);
  current = { domainId, domain, failure, load, refresh };
  return current;
}

/** Deletes the data of the user who has signed out. */
export function forgetDomain(): void {
  current = undefined;
}
