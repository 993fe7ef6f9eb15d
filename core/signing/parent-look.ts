/** Merges what the nameservers of a parent zone answered. */
import type { ParentLook } from '../store/rows.ts';

/** The DS records that one nameserver has; null: it did not answer. */
export interface DsAnswer {
  /** Hexadecimal rdata. */
  readonly ds: readonly string[];
  readonly ttl: number;
}

/** Why nothing is known of the parent. */
export interface FailedLook {
  readonly trouble: string;
}

export type LookResult = ParentLook | FailedLook;

export const isFailed = (result: LookResult): result is FailedLook => 'trouble' in result;

/** `zone`: the parent zone, without the last dot. `now`: seconds since 1970. */
export function mergeAnswers(zone: string, answers: readonly (DsAnswer | null)[], now: number): LookResult {
  const answered = answers.filter((answer) => answer !== null);
  if (answered.length === 0) return { trouble: `no nameserver of ${zone === '' ? 'the root zone' : zone} answered` };
  const sets = new Map<string, readonly string[]>();
  for (const { ds } of answered) {
    const sorted = [...new Set(ds)].sort();
    sets.set(sorted.join(), sorted);
  }
  return {
    ...{ zone, sets: [...sets.values()], ttl: Math.max(...answered.map(({ ds, ttl }) => (ds.length > 0 ? ttl : 0))) },
    ...{ servers: answers.length, answered: answered.length, checkedAt: now },
  };
}
