/**
 * The state of a checked origin changes only after several consecutive results. A single lost
 * packet changes nothing.
 */
import type { CompleteHealthCheck } from './document.ts';

export interface HealthState {
  /** Null: unknown, which counts as up. */
  readonly isUp: boolean | null;
  /** Consecutive results that contradict the state. */
  readonly streak: number;
}

export const UNKNOWN: HealthState = { isUp: null, streak: 0 };

export function afterCheck(
  { isUp, streak }: HealthState,
  isSuccess: boolean,
  { rise, fall }: Pick<CompleteHealthCheck, 'rise' | 'fall'>,
): HealthState {
  // The first success is enough for an origin that was never down.
  if (isUp === null && isSuccess) return { isUp: true, streak: 0 };
  if (isUp === isSuccess) return { isUp, streak: 0 };
  const results = streak + 1;
  return results >= (isSuccess ? rise : fall) ? { isUp: isSuccess, streak: 0 } : { isUp, streak: results };
}
