/** The document in the forms, as plain data. Text from the JSON field may lack any part of it. */
import type { SteeringBody, SteeringDocument } from '../api/views.ts';

export type DraftPool = SteeringBody['pools'][number];
export type DraftAnswer = DraftPool['answers'][number];
export type DraftHealth = NonNullable<DraftPool['health']>;
export type DraftRule = NonNullable<SteeringBody['rules']>[number];
export type Condition = keyof DraftRule['match'];

export const CONDITIONS: readonly Condition[] = ['country', 'continent', 'network', 'region'];

/** The fields that a user edits. */
export const toDraft = ({ ttl, pools, rules, fallback }: SteeringDocument): SteeringBody => ({
  ttl,
  pools,
  rules,
  fallback,
});

const listOf = <T>(value: readonly T[] | null | undefined): readonly T[] => (Array.isArray(value) ? value : []);

export const poolsOf = ({ pools }: SteeringBody): readonly DraftPool[] => listOf(pools);
export const answersOf = ({ answers }: DraftPool): readonly DraftAnswer[] => listOf(answers);
export const rulesOf = ({ rules }: SteeringBody): readonly DraftRule[] => listOf(rules);
/** An empty order means all pools, in their order. */
export const orderOf = ({ fallback }: SteeringBody): readonly string[] => listOf(fallback);

/** The values of a condition; the API takes one, or a list. */
export function valuesOf(rule: DraftRule, condition: Condition): readonly string[] {
  const values = rule.match?.[condition];
  return typeof values === 'string' ? [values] : listOf(values);
}

export const withPool = (draft: SteeringBody, at: number, changed: Partial<DraftPool>): SteeringBody => ({
  ...draft,
  pools: poolsOf(draft).map((pool, i) => (i === at ? { ...pool, ...changed } : pool)),
});

/** Rules and order name the pool by its new name, unless another pool has the old one, too. */
export function withPoolName(draft: SteeringBody, at: number, name: string): SteeringBody {
  const renamed = withPool(draft, at, { name });
  const { name: before } = poolsOf(draft)[at];
  if (poolsOf(renamed).some((pool) => pool.name === before)) return renamed;
  const rename = (pool: string): string => (pool === before ? name : pool);
  return {
    ...renamed,
    rules: rulesOf(draft).map((rule) => ({ ...rule, pool: rename(rule.pool) })),
    fallback: orderOf(draft).map(rename),
  };
}

/** The pool is not in the order: only a rule, or the user, gives it to clients. */
export function withNewPool(draft: SteeringBody): SteeringBody {
  const names = new Set(poolsOf(draft).map(({ name }) => name));
  let number = names.size + 1;
  while (names.has(`pool-${number}`)) number++;
  const pool: DraftPool = { name: `pool-${number}`, answers: [{ content: '', weight: 1 }], health: null };
  // Without an order, all pools would be in it.
  const fallback = orderOf(draft).length > 0 ? orderOf(draft) : [...names];
  return { ...draft, pools: [...poolsOf(draft), pool], fallback };
}

/** Removes the pool, the rules that lead to it, and its place in the order. */
export function withoutPool(draft: SteeringBody, at: number): SteeringBody {
  const { name } = poolsOf(draft)[at];
  return {
    ...draft,
    pools: poolsOf(draft).filter((_, i) => i !== at),
    rules: rulesOf(draft).filter(({ pool }) => pool !== name),
    fallback: orderOf(draft).filter((pool) => pool !== name),
  };
}

export const withRule = (draft: SteeringBody, at: number, changed: Partial<DraftRule>): SteeringBody => ({
  ...draft,
  rules: rulesOf(draft).map((rule, i) => (i === at ? { ...rule, ...changed } : rule)),
});

/** The list with the item at `from` moved to `to`. */
export function moved<T>(items: readonly T[], from: number, to: number): T[] {
  const changed = items.filter((_, i) => i !== from);
  changed.splice(to, 0, items[from]);
  return changed;
}

export const without = <T>(items: readonly T[], at: number): T[] => items.filter((_, i) => i !== at);
