/** The states by which a list of domains is filtered. */
import { certificateProblemAt, type Domain, secondaryState } from '../../../core/store/rows.ts';
import { judgeDelegation } from '../../../core/upkeep/delegation/state.ts';
import type { Services } from '../../change/services.ts';
import { nowSeconds } from '../../http/time.ts';
import { expectedOf } from './delegation.ts';

/**
 * `problems`: a certificate or a transfer needs attention, validators reject answers, or the
 * delegation is incomplete. `not_delegated`: the parent zone has other nameservers, or none.
 */
export const DOMAIN_STATES = ['problems', 'proxied', 'signed', 'not_delegated'] as const;
export type DomainState = (typeof DOMAIN_STATES)[number];

/** Reads only the rows that the state depends on. */
export function isInState(services: Services, domain: Domain, state: DomainState): boolean {
  const { reader } = services;
  const { id } = domain;
  if (state === 'proxied') return reader.proxy(id)?.enabled === true;
  if (state === 'signed') return reader.dnssecState(id) !== undefined;
  if (state === 'not_delegated') return ['elsewhere', 'none'].includes(delegationOf(services, domain));
  const proxy = reader.proxy(id);
  const problemAt = proxy?.enabled === true ? certificateProblemAt(proxy) : null;
  if (problemAt !== null && problemAt <= nowSeconds()) return true;
  if (reader.dnssecState(id)?.hasProblem === true || hasFailedTransfer(services, domain)) return true;
  return delegationOf(services, domain) === 'partial';
}

/** Most domains have no row, which costs one lookup. */
function delegationOf(services: Services, domain: Domain): ReturnType<typeof judgeDelegation>['state'] {
  const row = services.reader.delegation(domain.id);
  if (row === undefined) return 'unknown';
  return judgeDelegation(expectedOf(services, services.reader, domain), row).state;
}

function hasFailedTransfer({ secondaries }: Services, { id, kind }: Domain): boolean {
  if (kind !== 'secondary') return false;
  const row = secondaries.row(id);
  return row !== undefined && ['retrying', 'expired'].includes(secondaryState(row, nowSeconds()));
}
