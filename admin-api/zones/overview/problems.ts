/** What is wrong with a domain, from stored states: no query is sent. */
import { formatHost } from '../../../core/dns/wire/name.ts';
import { type Domain, newSecondary, type ProxyConfig, secondaryState } from '../../../core/store/rows.ts';
import { type DelegationState, judgeDelegation } from '../../../core/upkeep/delegation/state.ts';
import type { Services } from '../../change/services.ts';
import { downOriginOf } from '../../sites/documents/origins.ts';
import { problemOf } from '../../sites/proxy/certificate-list.ts';
import { expectedOf } from '../domains/delegation.ts';
import type { Problem } from './schema.ts';

/** Names of a message; more are omitted. */
const MAX_NAMES = 4;

interface DomainState {
  readonly delegation: DelegationState;
  readonly isSigned: boolean;
  readonly isProxied: boolean;
  readonly hasCertificate: boolean;
  readonly problems: readonly Problem[];
}

/** `now`: seconds since 1970. */
export function stateOf(services: Services, domain: Domain, now: number): DomainState {
  const { reader } = services;
  const problems: Problem[] = [];
  const add = (kind: Problem['kind'], message: string | null): void => {
    if (message !== null) problems.push({ domain_id: domain.id, domain: formatHost(domain.apex), kind, message });
  };
  const expected = expectedOf(services, reader, domain);
  const delegation = judgeDelegation(expected, reader.delegation(domain.id));
  const signed = reader.dnssecState(domain.id);
  const row = reader.proxy(domain.id);
  const proxy = row?.enabled === true ? row : undefined;
  add('delegation', delegationMessage(delegation, expected));
  if (signed?.hasProblem === true)
    add('dnssec', 'The DS records at the parent zone are missing or wrong; compare them with those of the domain.');
  if (proxy !== undefined) {
    add('certificate', problemOf(proxy, reader.certificate(domain.id) !== undefined, now));
    add('origin', downOriginOf(reader, domain));
  }
  if (domain.kind === 'secondary') add('transfer', transferMessage(services, domain, now));
  return {
    delegation: delegation.state,
    isSigned: signed !== undefined,
    isProxied: proxy !== undefined,
    hasCertificate: proxy !== undefined && isValid(proxy, now),
    problems,
  };
}

const isValid = ({ sslExpiresAt }: ProxyConfig, now: number): boolean => sslExpiresAt !== null && sslExpiresAt > now;

function delegationMessage(
  { state, seen, missing, extra }: ReturnType<typeof judgeDelegation>,
  expected: readonly string[],
): string | null {
  const names = (of: readonly string[]): string =>
    of.length <= MAX_NAMES ? of.join(', ') : `${of.slice(0, MAX_NAMES).join(', ')} and ${of.length - MAX_NAMES} more`;
  switch (state) {
    case 'live':
    case 'unknown':
      return null;
    case 'none':
      return `The parent zone has no nameservers for it; enter ${names(expected)} at your registrar.`;
    case 'elsewhere':
      return `It is delegated to ${names(seen)}; enter ${names(expected)} at your registrar instead.`;
    case 'partial':
      return [
        missing.length > 0 ? `The parent zone lacks ${names(missing)}.` : null,
        extra.length > 0 ? `It also has ${names(extra)}, which do not belong to this service.` : null,
      ]
        .filter((text) => text !== null)
        .join(' ');
  }
}

function transferMessage({ secondaries }: Services, { id }: Domain, now: number): string | null {
  const row = secondaries.row(id) ?? newSecondary(id);
  const state = secondaryState(row, now);
  if (state === 'expired') return 'No primary has confirmed the zone in time, and queries for it fail.';
  return state === 'retrying' ? `The last transfer failed: ${row.error ?? 'its primaries do not answer'}` : null;
}
