/** Schedules the retries of failed deliveries. */

/** Seconds. */
const LONGEST_DELAY = 43_200;
const GROWTH = 4;
/** Random share that is added to or subtracted from a delay, to spread retries. */
const JITTER = 0.2;

export interface RetryRule {
  /** Seconds before the first retry. */
  readonly first: number;
  /** Seconds since the first due time after which no retry follows. */
  readonly total: number;
}

/** Seconds until the next attempt. `attempts`: failed attempts; 0 ≤ `random` < 1. */
export function retryDelay({ first }: RetryRule, attempts: number, random: number): number {
  const delay = Math.min(LONGEST_DELAY, first * GROWTH ** Math.min(attempts - 1, 20));
  return Math.ceil(delay * (1 - JITTER + 2 * JITTER * random));
}

/** Null: no retry follows; the delivery has failed. */
export function nextAttempt(
  rule: RetryRule,
  delivery: { readonly queuedAt: number; readonly attempts: number },
  now: number,
  random: number,
): number | null {
  const at = now + retryDelay(rule, delivery.attempts, random);
  return at > delivery.queuedAt + rule.total ? null : at;
}
