/** All rules by code, merged from the tables of all parts of the audit. */

import { SDK_RULES } from '../sdk/rules.ts';
import { ARCHIVE_RULES } from './archive/rules.ts';
import { AUDIT_RULES } from './audit-rules.ts';
import { BACKGROUND_RULES } from './background/rules.ts';
import { DENSITY_RULES } from './density/rules.ts';
import type { Rule } from './finding.ts';
import { MANIFEST_RULES } from './manifest/rules.ts';
import { MARKUP_RULES } from './markup/rules.ts';
import { SCRIPT_RULES } from './script/rules.ts';
import { STYLE_RULES } from './style/rules.ts';

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
