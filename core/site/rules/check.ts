/** Checks a rules document. Each fault names the rule, the field and the correction. */
import { RuleChecker, type RuleFault } from './check-rule.ts';
import type { RulesDocument } from './document.ts';
import { BUILD_STEPS, MAX_RULES } from './limits.ts';

/** Maximum number of reported faults. */
const MAX_FAULTS = 20;

/** `document`: valid against the schema. Empty: the document can be compiled. */
export function checkRules({ rules }: RulesDocument): readonly RuleFault[] {
  if (rules.length > MAX_RULES)
    return [{ pointer: '/rules', message: `${rules.length} rules are more than the maximum of ${MAX_RULES}.` }];
  const faults: RuleFault[] = [];
  const budget = { steps: BUILD_STEPS };
  rules.forEach((rule, number) => {
    if (faults.length < MAX_FAULTS) faults.push(...new RuleChecker(rule, number, budget).check());
  });
  return faults.slice(0, MAX_FAULTS);
}
