/** How many records the `$GENERATE` of a file may make, so that no memory is used for more. */
import type { StateError } from '../../../../core/base/errors.ts';
import { planQuota } from '../../../../core/config/index.ts';
import { planLimitError } from '../../../../core/journal/commit/quotas.ts';
import type { Id } from '../../../../core/store/keys.ts';
import type { Services } from '../../../change/services.ts';

export interface GenerateRoom {
  readonly maxGenerated: number;
  /** The error for this number of records. Null: the plan has no limit. */
  readonly refusal: ((count: number) => StateError) | null;
}

/** Of a file that replaces the records of a domain; null: of a new one. */
export function generateRoom({ reader, config }: Services, accountId: Id, domainId: Id | null): GenerateRoom {
  const quota = planQuota(config, reader.account(accountId)?.plan ?? 'free');
  const replaced = domainId === null ? 0 : reader.zoneState(domainId).recordCount;
  const others = reader.usage(accountId).records - replaced;
  const ofZone = quota.zoneRecords === 0 ? Number.POSITIVE_INFINITY : quota.zoneRecords;
  const ofAccount = quota.records === 0 ? Number.POSITIVE_INFINITY : Math.max(0, quota.records - others);
  const maxGenerated = Math.min(ofZone, ofAccount);
  if (maxGenerated === Number.POSITIVE_INFINITY) return { maxGenerated, refusal: null };
  return {
    maxGenerated,
    refusal: (count) =>
      ofZone <= ofAccount
        ? planLimitError(quota, 'zoneRecords', count)
        : planLimitError(quota, 'records', others + count),
  };
}
