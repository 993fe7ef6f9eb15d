/** Plans of accounts. */
import type { Config } from './schema.ts';

type Plan = keyof Config['plans'];

/** A plan that was removed from the configuration has the limits of the smallest. */
const planOf = (plans: Config['plans'], plan: string): Plan => (Object.hasOwn(plans, plan) ? (plan as Plan) : 'free');

/** Limit on domains of a plan; 0: no limit. */
export function planLimit(plans: Config['plans'], plan: string): number {
  return plans[planOf(plans, plan)];
}

/** Limits on what accounts of a plan store; 0: no limit. */
export interface PlanQuota {
  readonly plan: Plan;
  readonly zoneRecords: number;
  readonly records: number;
  readonly zoneSize: number;
  readonly size: number;
}

export function planQuota({ plans, quotas }: Pick<Config, 'plans' | 'quotas'>, name: string): PlanQuota {
  const plan = planOf(plans, name);
  return {
    plan,
    zoneRecords: quotas[`${plan}ZoneRecords`],
    records: quotas[`${plan}Records`],
    zoneSize: quotas[`${plan}ZoneSize`],
    size: quotas[`${plan}Size`],
  };
}

/** Returns the quota of an account; null: its plan has no limit. */
export function accountQuotas(
  config: Pick<Config, 'plans' | 'quotas'>,
  reader: { account(id: number): { readonly plan: string } | undefined },
): (accountId: number) => PlanQuota | null {
  return (accountId) => {
    const account = reader.account(accountId);
    // Rows of the service itself, or of an account that is being deleted.
    if (account === undefined) return null;
    const quota = planQuota(config, account.plan);
    const { zoneRecords, records, zoneSize, size } = quota;
    return zoneRecords + records + zoneSize + size === 0 ? null : quota;
  };
}
