/** Rules about the audit itself: what could not be looked at is for a person. */
import type { RuleTable } from './finding.ts';

export const AUDIT_RULES = {
  audit_crashed: {
    type: 'warning',
    review: true,
    title: 'The audit did not come to its end',
    about:
      'The program that audits packages ended before it had a verdict. That is never an approval: a person looks at the package.',
    fix: 'Nothing for you to do: a person looks at the package.',
  },
  audit_timed_out: {
    type: 'warning',
    review: true,
    title: 'The audit took too long',
    about: 'An audit is bounded in time and memory. A package that takes more is looked at by a person.',
    fix: 'Leave out what the app does not need; split large scripts. A person looks at the package as it is.',
  },
} as const satisfies RuleTable;
