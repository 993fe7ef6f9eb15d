/** All rules, each with its code: the tables of the parts of the audit, put together. */
import { AUDIT_RULES } from './audit-rules.ts';
import type { Rule } from './finding.ts';

const TABLES = { ...AUDIT_RULES };

export type RuleCode = keyof typeof TABLES;

export const RULES: Readonly<Record<RuleCode, Rule>> = TABLES;
