/** Merges the DS records that the nameservers of a parent zone return. */
import type { ParentLook } from '../../store/rows.ts';

/** The DS records from one address of a nameserver. */
export interface DsAnswer {
  /** Hexadecimal rdata. */
  readonly ds: readonly string[];
  readonly ttl: number;
}

/** The parent could not be queried. */
interface FailedLook {
  /** The reason, as the end of a sentence. */
  readonly trouble: string;
}

export type LookResult = ParentLook | FailedLook;

export const isFailed = (result: LookResult): result is FailedLook => 'trouble' in result;

/**
 * `zone`: the parent zone, without the last dot. `answers`: of each nameserver. `now`: seconds
 * since 1970.
 */
export function mergeAnswers(zone: string, answers: readonly (readonly DsAnswer[])[], now: number): LookResult {
  const answered = answers.filter(({ length }) => length > 0);
  if (answered.length === 0) return { trouble: `no nameserver of ${zone === '' ? 'the root zone' : zone} answered` };
  const sets = new Map<string, readonly string[]>();
  let ttl = 0;
  for (const answer of answered.flat()) {
    const sorted = [...new Set(answer.ds)].sort();
    sets.set(sorted.join(), sorted);
    if (sorted.length > 0) ttl = Math.max(ttl, answer.ttl);
  }
  return { zone, sets: [...sets.values()], ttl, servers: answers.length, answered: answered.length, checkedAt: now };
}
