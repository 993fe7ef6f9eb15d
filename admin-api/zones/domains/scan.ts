/** The records that a domain has at its current nameservers, for its move to this service. */
import { typeName } from '../../../core/dns/wire/mnemonics.ts';
import { formatRelative } from '../../../core/dns/wire/name.ts';
import { formatRdata } from '../../../core/dns/wire/rdata/index.ts';
import { ownedDomain } from '../../change/owned-domain.ts';
import { parseId, type Services } from '../../change/services.ts';
import type { Caller } from '../../http/caller.ts';
import type { RateLimit } from '../../http/rate-limit.ts';
import type { Context } from '../../http/route.ts';
import { expectedOf } from './delegation.ts';

/** Automatic TTLs are from the settings of this service. */
const MIN_TTL = 30;
const MAX_TTL = 86_400;

/** Throws HttpError 404, and 429 above the limit of the account. */
export async function scanDomain(services: Services, { caller, params, headers }: Context<Caller>, limit: RateLimit) {
  const domain = ownedDomain(services.reader, caller, parseId(params.domain_id));
  limit.take(caller.account.id, headers);
  const found = await services.presentRecords.scan(domain);
  if ('trouble' in found)
    return { nameservers: [], is_own: false, is_partial: false, records: [], error: found.trouble };
  const own = new Set(expectedOf(services, services.reader, domain).map((name) => name.toLowerCase()));
  const isOwn = found.nameservers.every((name) => own.has(name));
  const records = isOwn ? [] : found.records;
  return {
    nameservers: [...found.nameservers],
    is_own: isOwn,
    is_partial: found.isPartial,
    records: records.map(({ name, type, ttl, rdata }) => ({
      name: formatRelative(name, domain.apex),
      type: typeName(type),
      content: formatRdata(type, rdata),
      ttl: Math.min(Math.max(ttl, MIN_TTL), MAX_TTL),
    })),
    error: null,
  };
}
