/** Runs checks concurrently, each with a timeout. */
import { withTimeout } from '../../../core/base/timers.ts';
import { type AnyCheck, type Finding, NotChecked, NotNeeded, SEVERITIES, type Severity } from './check.ts';
import type { Context } from './context.ts';
import { CHECKS, groupOf } from './table.ts';

/** Timeout of a check, in milliseconds. */
const CHECK_MS = 20_000;
/** Blocks the event loop to measure the disk, so this check runs after all others. */
const LAST = 'disk.fsync';

interface Selection {
  /** Ids of checks or groups; empty: all. */
  readonly only: readonly string[];
  readonly skip: readonly string[];
}

/** Returns the ids that are neither a check nor a group. */
export const unknownIds = (ids: readonly string[]): string[] =>
  ids.filter((id) => !CHECKS.some((check) => check.id === id || groupOf(check.id) === id));

export function selectChecks({ only, skip }: Selection): AnyCheck[] {
  const isNamed = (id: string, names: readonly string[]): boolean => names.includes(id) || names.includes(groupOf(id));
  return CHECKS.filter(({ id }) => (only.length === 0 || isNamed(id, only)) && !isNamed(id, skip));
}

/** Resolves with the findings in the order of the checks. */
export async function runChecks(context: Context, checks: readonly AnyCheck[], ms = CHECK_MS): Promise<Finding[]> {
  const others = await Promise.all(checks.map((check) => (check.id === LAST ? [] : examine(context, check, ms))));
  const findings: Finding[] = [];
  for (const [i, check] of checks.entries())
    findings.push(...(check.id === LAST ? await examine(context, check, ms) : others[i]));
  return findings;
}

async function examine(context: Context, { id, why, ...check }: AnyCheck, ms: number): Promise<Finding[]> {
  try {
    const verdicts = await withTimeout(check.examine(context), ms, () => {
      throw new NotChecked(`no result within ${ms / 1000} s`);
    });
    return verdicts.map((verdict) => ({ id, ...verdict, why }));
  } catch (error) {
    if (error instanceof NotNeeded) return [{ id, severity: 'ok', found: error.message, why }];
    const fix = error instanceof NotChecked ? error.fix : undefined;
    return [{ id, severity: 'note', found: `not checked: ${(error as Error).message}`, fix, why }];
  }
}

function worstOf(findings: readonly Finding[]): Severity {
  return SEVERITIES[Math.max(0, ...findings.map(({ severity }) => SEVERITIES.indexOf(severity)))];
}

/** 0: at most notes, 1: warnings, 2: errors. */
export const exitCode = (findings: readonly Finding[]): number =>
  ({ ok: 0, note: 0, warning: 1, error: 2 })[worstOf(findings)];
