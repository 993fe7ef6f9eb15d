/** Lists and restores the deleted domains of an account: see core/upkeep/domains/bin.ts. */

import { WaypostError } from '../../../core/base/errors.ts';
import { formatHost } from '../../../core/dns/wire/name.ts';
import type { Draft } from '../../../core/journal/draft/draft.ts';
import type { Id } from '../../../core/store/keys.ts';
import { type Account, binPosition, keptPtrs } from '../../../core/store/rows.ts';
import { restoreDomain } from '../../../core/upkeep/domains/bin.ts';
import { requireAccount } from '../../change/acting.ts';
import { change } from '../../change/change.ts';
import { deletedDomain, isRestorable } from '../../change/owned-domain.ts';
import type { Services } from '../../change/services.ts';
import type { Caller } from '../../http/caller.ts';
import { invalidCursor, type ListPart, type Page } from '../../http/lists.ts';
import type { Context } from '../../http/route.ts';
import { formatTime, nowSeconds } from '../../http/time.ts';
import { inTurn, requireAdmitted } from '../domains/create.ts';
import { describeDomain } from '../domains/service.ts';
import { keepPtrs } from '../records/ptrs.ts';

/** Newest first. */
export function listDeleted({ reader }: Services, { id }: Account, { limit, after }: Page): ListPart<Id> {
  if (after !== null && after.length !== POSITION) throw invalidCursor();
  const found = reader.deletedDomainsOf(id, after, limit + 1);
  const rows = found.slice(0, limit);
  return {
    rows: rows.map(({ domain }) => domain.id),
    last: found.length > limit ? binPosition(rows[limit - 1]) : null,
  };
}

/** Bytes of a position in the bin. */
const POSITION = 13;

/** Undefined: it has left the bin, or belongs to another account. */
export function describeDeleted({ reader }: Services, account: Account, id: Id) {
  const deleted = reader.deletedDomain(id);
  if (deleted?.domain.accountId !== account.id || !isRestorable(deleted)) return undefined;
  const { domain, deletedAt, deletedBy, purgeAt } = deleted;
  return {
    id,
    domain: formatHost(domain.apex),
    kind: domain.kind,
    record_count: reader.zoneState(id).recordCount,
    account_id: domain.accountId,
    created_at: formatTime(domain.createdAt),
    deleted_at: formatTime(deletedAt),
    deleted_by: deletedBy,
    restorable_until: formatTime(purgeAt),
  };
}

/** Throws HttpError 404, and the errors of a new domain with the name. */
export async function restoreDeleted(services: Services, context: Context<Caller>, id: Id) {
  const { reader, admission } = services;
  const { caller } = context;
  const { domain } = deletedDomain(reader, caller, id);
  const account = requireAccount(reader, { id: domain.accountId } as Account);
  return inTurn(services, account, () =>
    change(services, context, (draft) => {
      const deleted = deletedDomain(draft, caller, id);
      const owner = requireAccount(draft, account);
      requireAdmitted(services, draft, domain.apex, owner, caller, admission.isFull(draft, owner));
      restoreDomain(services, draft, deleted, nowSeconds());
      restorePtrs(services, draft, caller, id);
      return {
        action: 'domain.restore',
        domain,
        target: id,
        detail: { records: reader.zoneState(id).recordCount },
        createResponse: () => ({ domain: describeDomain(services, domain) }),
      };
    }),
  );
}

/**
 * Creates the PTR records that were deleted with the domain. An RRset whose reverse zone or address
 * is no longer free does not keep its PTR records any more.
 */
function restorePtrs(services: Services, draft: Draft, caller: Caller, domainId: Id): void {
  for (const rrset of draft.keptPtrs(domainId)) {
    const after = draft.recordsOfType(domainId, rrset.name, rrset.type);
    try {
      keepPtrs(services, draft, caller, [{ ...rrset, before: [], after, isNew: false }]);
    } catch (error) {
      if (!(error instanceof WaypostError)) throw error;
      draft.delete(keptPtrs, rrset);
    }
  }
}
