/** Plans of accounts. */
import type { Config } from './schema.ts';

/**
 * Limit on domains of a plan; 0: no limit. A plan that was removed from the configuration has the
 * limit of the smallest.
 */
export function planLimit(plans: Config['plans'], plan: string): number {
  const limits: Readonly<Record<string, number>> = plans;
  if (Object.hasOwn(limits, plan)) return limits[plan];
  return plans.free;
}
