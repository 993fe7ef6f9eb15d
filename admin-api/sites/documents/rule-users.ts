/** Hashes the passwords of the users in rules with argon2id. Responses never contain them. */
import { hash } from '@node-rs/argon2';
import type { Static } from '@sinclair/typebox';
import { InvalidError } from '../../../core/base/errors.ts';
import type { BasicAuthUser, Rule, RuleAction } from '../../../core/site/rules/index.ts';
import type { rulesView } from '../../../core/site/rules/schema.ts';

/** OWASP's recommendation for argon2id: 19 MiB, two passes, one lane. Takes about 20 ms. */
const COST = { memoryCost: 19_456, timeCost: 2, parallelism: 1 };
/** Maximum passwords that one request sets. */
const MAX_PASSWORDS = 40;

/** A user in the body of a request. */
interface GivenUser {
  readonly name: string;
  readonly password?: string;
  readonly hash?: string;
}

type GivenRule = Omit<Rule, 'action'> & {
  readonly action: Readonly<Record<string, unknown>> & { readonly users?: readonly GivenUser[] };
};

/**
 * Returns the rules to store. `before`: the replaced rules, for unchanged passwords. Throws
 * InvalidError.
 */
export async function withHashes(given: readonly unknown[], before: readonly Rule[]): Promise<readonly Rule[]> {
  const hashes = storedHashes(before);
  let passwords = 0;
  const rules: Rule[] = [];
  for (const [number, rule] of (given as readonly GivenRule[]).entries()) {
    const users: BasicAuthUser[] = [];
    for (const [i, { name, password, hash: ready }] of (rule.action.users ?? []).entries()) {
      const pointer = `/rules/${number}/action/users/${i}`;
      if (password !== undefined && ++passwords > MAX_PASSWORDS)
        throw new InvalidError('invalid_rule', `One request sets ${MAX_PASSWORDS} passwords at most.`, { pointer });
      const stored = password === undefined ? (ready ?? hashes.get(name)) : await hash(password, COST);
      if (stored === undefined)
        throw new InvalidError('invalid_rule', `Rule ${number + 1}: the user ${name} has no password yet; add one.`, {
          pointer: `${pointer}/password`,
        });
      users.push({ name, hash: stored });
    }
    const action = rule.action.users === undefined ? rule.action : { ...rule.action, users };
    rules.push({ ...rule, action: action as unknown as RuleAction });
  }
  return rules;
}

/** Hashes by user name; undefined for a name with different hashes, which is ambiguous. */
function storedHashes(rules: readonly Rule[]): ReadonlyMap<string, string | undefined> {
  const hashes = new Map<string, string | undefined>();
  for (const { action } of rules)
    if (action.type === 'basic_auth')
      for (const { name, hash: stored } of action.users)
        hashes.set(name, hashes.has(name) && hashes.get(name) !== stored ? undefined : stored);
  return hashes;
}

/** The rules as in responses, which never have hashes. */
export const withoutHashes = (rules: readonly Rule[]): Static<typeof rulesView> =>
  rules.map((rule) => {
    if (rule.action.type !== 'basic_auth') return rule as Static<typeof rulesView>[number];
    const users = rule.action.users.map(({ name }) => ({ name, has_password: true }));
    return { ...rule, action: { ...rule.action, users } };
  });
