/** Whether the parent zone of a domain has our nameservers for it. */

import { formatHost } from '../../../core/dns/wire/name.ts';
import type { Reader } from '../../../core/store/reader.ts';
import { type DelegationRow, type Domain, delegations } from '../../../core/store/rows.ts';
import { expectedNameservers } from '../../../core/upkeep/delegation/keeper.ts';
import { isSameDelegation, judgeDelegation, noteDelegation } from '../../../core/upkeep/delegation/state.ts';
import { change } from '../../change/change.ts';
import { ownedDomain } from '../../change/owned-domain.ts';
import { parseId, type Services } from '../../change/services.ts';
import type { Caller } from '../../http/caller.ts';
import type { RateLimit } from '../../http/rate-limit.ts';
import type { Context } from '../../http/route.ts';
import { formatTime, nowSeconds } from '../../http/time.ts';

/** Throws HttpError 404. */
export function describeDelegation(services: Services, { caller, params }: Context<Caller>) {
  const { reader } = services;
  const domain = ownedDomain(reader, caller, parseId(params.domain_id));
  return viewDelegation(services, reader, domain, reader.delegation(domain.id));
}

/** Queries the parent now. Throws HttpError 404, and 429 above the limit of the account. */
export async function checkDelegation(services: Services, context: Context<Caller>, limit: RateLimit) {
  const { caller, params, headers } = context;
  const owned = ownedDomain(services.reader, caller, parseId(params.domain_id));
  limit.take(caller.account.id, headers);
  const look = await services.delegation.look(owned, 'all');
  const commit = () =>
    change(services, context, (draft) => {
      const domain = ownedDomain(draft, caller, owned.id);
      const before = draft.delegation(domain.id);
      const expected = expectedOf(services, draft, domain);
      const subject = { domainId: domain.id, createdAt: domain.createdAt, expected };
      const row = noteDelegation(subject, before, look, nowSeconds());
      draft.put(delegations, row);
      const view = viewDelegation(services, draft, domain, row);
      return {
        action: 'delegation.check',
        domain,
        target: domain.id,
        // A page that waits for a registrar checks often.
        unchanged: isSameDelegation(before, row),
        detail: { state: view.state, seen: view.seen },
        createResponse: () => view,
      };
    });
  return services.locks.shared(String(owned.id), () => services.locks.exclusive(`${owned.id} /delegation`, commit));
}

/** Names without the last dot. */
export const expectedOf = ({ zoneSettings }: Services, reader: Reader, domain: Domain): readonly string[] =>
  expectedNameservers(reader, domain, zoneSettings.nameservers);

function viewDelegation(services: Services, reader: Reader, domain: Domain, row: DelegationRow | undefined) {
  const expected = expectedOf(services, reader, domain);
  return {
    domain: { id: domain.id, domain: formatHost(domain.apex) },
    expected,
    ...judgeDelegation(expected, row),
    parent: row?.zone ?? null,
    checked_at: timeOrNull(row?.checkedAt ?? null),
    next_check_at: timeOrNull(row === undefined || !services.config.domains.checkDelegation ? null : row.dueAt),
    error: row?.trouble ?? null,
  };
}

const timeOrNull = (seconds: number | null): string | null => (seconds === null ? null : formatTime(seconds));
