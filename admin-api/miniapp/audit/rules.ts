/** All rules by code, merged from the tables of all parts of the audit. */

import { SDK_RULES } from '../sdk/rules.ts';
import { ARCHIVE_RULES } from './archive/rules.ts';
import { BACKGROUND_RULES } from './background/rules.ts';
import { DENSITY_RULES } from './density/rules.ts';
import type { Rule, RuleTable } from './finding.ts';
import { MANIFEST_RULES } from './manifest/rules.ts';
import { MARKUP_RULES } from './markup/rules.ts';
import { SCRIPT_RULES } from './script/rules.ts';
import { STYLE_RULES } from './style/rules.ts';

/** Rules about audits that did not finish. A person reviews such packages. */
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

const TABLES = {
  ...AUDIT_RULES,
  ...ARCHIVE_RULES,
  ...BACKGROUND_RULES,
  ...DENSITY_RULES,
  ...MANIFEST_RULES,
  ...MARKUP_RULES,
  ...SCRIPT_RULES,
  ...SDK_RULES,
  ...STYLE_RULES,
};

export type RuleCode = keyof typeof TABLES;

export const RULES: Readonly<Record<RuleCode, Rule>> = TABLES;
