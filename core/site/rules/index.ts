/** The rules of a domain: document, check and compiled form. No side effects. */
export { ACTION_TYPES, type ActionType, isDeciding } from './actions.ts';
export { Changes, changeFields, type HeaderChange, type Identity, replaces } from './changes.ts';
export { checkRules } from './check.ts';
export type { RuleFault } from './check-rule.ts';
export { type AddedCounts, RuleCounters, type RuleTotals } from './counters.ts';
export {
  type AuthenticateAction,
  type BasicAuthAction,
  type BasicAuthUser,
  type CacheAction,
  type CertificateField,
  type CertificateRule,
  type IdentityClaim,
  type JwtRule,
  type LimitAction,
  type NamedMatch,
  type OidcRule,
  type RespondAction,
  RULES,
  type Rule,
  type RuleAction,
  type RuleMatch,
  type RulesDocument,
  TEXT_LISTS,
  type TextMatch,
} from './document.ts';
export { type CountryOf, type Fields, RequestFacts, type RuleRequest } from './facts.ts';
export { firstCookie, firstHeader } from './fields.ts';
export * from './limits.ts';
export { type CompiledRule, distinguishesVisitors, identityNames, RuleSet } from './rule-set.ts';
export { RULE_TEMPLATES, type RuleTemplate } from './templates.ts';
export { safeLocation, type TemplateVisitor, TextTemplate } from './text-template.ts';
