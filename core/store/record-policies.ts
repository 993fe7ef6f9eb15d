/**
 * Limits of tokens and TSIG keys: which records they may read and change. What no policy names is
 * not allowed.
 */
import { InvalidError } from '../base/errors.ts';
import { parseType } from '../dns/wire/mnemonics.ts';
import { equalNames, isWithin, joinNames, MAX_NAME, type Name, parseName, ROOT, toAscii } from '../dns/wire/name.ts';
import type { RecordAction, RecordPolicy } from './rows.ts';

export const RECORD_ACTIONS = ['create', 'update', 'delete', 'read'] as const satisfies readonly RecordAction[];

type Policies = readonly RecordPolicy[];

/** A name, or all names below it. */
interface Pattern {
  readonly name: Name;
  readonly isAbsolute: boolean;
  readonly isBelow: boolean;
}

interface Rule {
  readonly names: readonly Pattern[] | null;
  readonly types: ReadonlySet<number> | null;
  readonly actions: ReadonlySet<RecordAction> | null;
}

/** Compiled once for each stored list. */
const compiled = new WeakMap<Policies, readonly Rule[]>();

/**
 * Whether a policy allows one of the actions on records with this name and type. `type` null: on
 * any type.
 */
export function permits(
  policies: Policies,
  apex: Name,
  name: Name,
  type: number | null,
  ...actions: readonly RecordAction[]
): boolean {
  return rulesOf(policies).some(
    (rule) =>
      (rule.actions === null || actions.some((action) => rule.actions?.has(action))) &&
      (type === null || rule.types === null || rule.types.has(type)) &&
      (rule.names === null || rule.names.some((pattern) => matches(pattern, apex, name))),
  );
}

/** Whether a policy allows the action on any record. */
export const permitsAnywhere = (policies: Policies, action: RecordAction): boolean =>
  rulesOf(policies).some(({ actions }) => actions === null || actions.has(action));

/** Whether one policy allows reading all records, as a transfer does. */
export const permitsTransfer = (policies: Policies): boolean =>
  rulesOf(policies).some(
    ({ names, types, actions }) => names === null && types === null && (actions === null || actions.has('read')),
  );

/** Describes policies in one line, for errors. */
export function describePolicies(policies: Policies): string {
  return policies
    .map(({ names, types, actions }) => {
      const what = types === null ? 'all types' : types.join(', ');
      const where = names === null ? 'all names' : names.join(', ');
      return `${(actions ?? RECORD_ACTIONS).join(', ')} ${what} at ${where}`;
    })
    .join('; ')
    .slice(0, MAX_DESCRIPTION);
}
const MAX_DESCRIPTION = 500;

/**
 * The stored form of a name in a policy: a name relative to each domain, `@`, an absolute name with
 * its last dot, `*.NAME` for all names below NAME, or `*` for all names. Throws InvalidError.
 */
export function readPattern(text: string, pointer: string): string {
  const trimmed = toAscii(text.trim(), pointer).toLowerCase();
  try {
    patternOf(trimmed);
  } catch (error) {
    if (!(error instanceof InvalidError)) throw error;
    throw new InvalidError(error.code, error.message, { pointer });
  }
  return trimmed;
}

function rulesOf(policies: Policies): readonly Rule[] {
  let rules = compiled.get(policies);
  if (rules === undefined) {
    rules = policies.map(({ names, types, actions }) => ({
      names: names === null || names.includes('*') ? null : names.map(patternOf),
      types: types && new Set(types.map((type) => parseType(type) ?? 0)),
      actions: actions && new Set(actions),
    }));
    compiled.set(policies, rules);
  }
  return rules;
}

/** Throws InvalidError. */
function patternOf(text: string): Pattern {
  const isBelow = text.startsWith('*.');
  const bare = isBelow ? text.slice(2) : text;
  if (bare === '*') return { name: ROOT, isAbsolute: true, isBelow: true };
  return { name: parseName(bare, ROOT), isAbsolute: bare.endsWith('.'), isBelow };
}

/** As in the names of records, a name that ends with the domain name is absolute. */
function matches({ name: pattern, isAbsolute, isBelow }: Pattern, apex: Name, name: Name): boolean {
  let whole = pattern;
  if (!isAbsolute && !(pattern.length > 1 && isWithin(pattern, apex))) {
    if (pattern.length - 1 + apex.length > MAX_NAME) return false;
    whole = joinNames(pattern.subarray(0, -1), apex);
  }
  return isBelow ? name.length > whole.length && isWithin(name, whole) : equalNames(name, whole);
}
