/** Checks a rules document: what is wrong, in which rule and field, and what to write instead. */
import { RuleChecker, type RuleFault } from './check-rule.ts';
import type { RulesDocument } from './document.ts';
import { BUILD_STEPS, MAX_RULES } from './limits.ts';

/** Faults that are reported at a time. */
const MAX_FAULTS = 20;

/** The document has the types of `RulesDocument`. Empty: it can be compiled. */
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
