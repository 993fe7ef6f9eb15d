/** Rules about audits that did not finish. A person reviews such packages. */
import type { RuleTable } from './finding.ts';

export const AUDIT_RULES = {
  audit_crashed: {
    type: 'warning',
    review: true,
    title: 'The audit did not finish',
    about: 'The program that audits packages ended before it had a verdict. A person reviews the package.',
    fix: 'Nothing: a person reviews the package.',
  },
  audit_timed_out: {
    type: 'warning',
    review: true,
    title: 'The audit took too long',
    about: 'An audit has limits of time and memory. A person reviews a package that needs more.',
    fix: 'Leave out what the app does not need; split large scripts. A person reviews the package as it is.',
  },
} as const satisfies RuleTable;
