/** The domain whose pages are shown. All of its pages share it. */
import { type Signal, signal } from '@preact/signals';
import type { Domain } from './api/views.ts';
import { api, settle } from './api.ts';
import type { Failure } from './failure.ts';

interface CurrentDomain {
  readonly domainId: number;
  /** Null: not read yet. */
  readonly domain: Signal<Domain | null>;
  readonly failure: Signal<Failure | null>;
  /** Reads it again; the earlier state stays until then. */
  readonly load: () => Promise<void>;
  /** The same after a change by others: only a domain that is gone is a failure. */
  readonly refresh: () => Promise<void>;
}

const NOT_FOUND = 404;

let current: CurrentDomain | undefined;

/** The state of a domain. Only that of the latest one is kept. */
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

/** Deletes what the user who signed out has left. */
export function forgetDomain(): void {
  current = undefined;
}
