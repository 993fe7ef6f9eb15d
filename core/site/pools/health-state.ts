/**
 * When the checks of an origin change its state: after several results in a row, so that one lost
 * packet does not.
 */
import type { CompleteHealthCheck } from './document.ts';

export interface HealthState {
  /** Null: not known yet, which counts as up. */
  readonly isUp: boolean | null;
  /** Results in a row that contradict the state. */
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
