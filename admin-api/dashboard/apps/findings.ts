/** Groups findings of an audit by severity and rule, and compares those of two packages. */
import type { Finding } from '../api/views.ts';

export interface RuleGroup {
  readonly code: string;
  readonly findings: readonly Finding[];
}

interface SeverityGroup {
  readonly type: Finding['type'];
  readonly rules: readonly RuleGroup[];
  readonly count: number;
}

const SEVERITIES = ['error', 'warning', 'notice'] as const;

/** The most severe first. Rules are in the order of their first finding. */
export function groupFindings(findings: readonly Finding[]): readonly SeverityGroup[] {
  return SEVERITIES.flatMap((type) => {
    const ofType = findings.filter((finding) => finding.type === type);
    const codes = [...new Set(ofType.map(({ code }) => code))];
    const rules = codes.map((code) => ({ code, findings: ofType.filter((finding) => finding.code === code) }));
    return rules.length === 0 ? [] : [{ type, rules, count: ofType.length }];
  });
}

export interface Comparison {
  /** Findings only in the later package. */
  readonly added: ReadonlySet<Finding>;
  /** Number of findings only in the earlier package. */
  readonly gone: number;
}

/** Findings at another line, but otherwise equal, count as the same finding. */
export function compareFindings(before: readonly Finding[], after: readonly Finding[]): Comparison {
  const counts = new Map<string, number>();
  for (const finding of before) counts.set(keyOf(finding), (counts.get(keyOf(finding)) ?? 0) + 1);
  const added = new Set<Finding>();
  for (const finding of after) {
    const count = counts.get(keyOf(finding)) ?? 0;
    if (count === 0) added.add(finding);
    else counts.set(keyOf(finding), count - 1);
  }
  return { added, gone: [...counts.values()].reduce((sum, count) => sum + count, 0) };
}

const keyOf = ({ code, file, message, excerpt }: Finding): string => JSON.stringify([code, file, message, excerpt]);
