/**
 * The conditions of a rule as rows of a form, and back. Pure, so that tests import it. What rows
 * cannot show completely stays JSON.
 */
import type { RuleBody } from '../api/views.ts';

export type Match = NonNullable<RuleBody['match']>;

export const LIST_KINDS = ['host', 'method', 'client', 'country'] as const;
export const NAMED_KINDS = ['header', 'cookie', 'query'] as const;
export const KINDS = ['host', 'path', 'method', 'client', 'country', ...NAMED_KINDS] as const;
export type Kind = (typeof KINDS)[number];

const TEXT_OPERATORS = ['exact', 'prefix', 'suffix', 'contains', 'glob', 'regex'] as const;
export type Operator = (typeof TEXT_OPERATORS)[number] | 'present' | 'absent';

export interface Condition {
  readonly kind: Kind;
  readonly operator: Operator;
  /** Of a header, cookie or query parameter. */
  readonly name: string;
  /** One in each line. */
  readonly values: string;
  readonly ignoresCase: boolean;
}

type TextLists = NonNullable<Match['path']>;

export const NEW_CONDITION: Condition = { kind: 'path', operator: 'prefix', name: '', values: '', ignoresCase: false };

const isNamed = (kind: Kind): kind is (typeof NAMED_KINDS)[number] => (NAMED_KINDS as readonly string[]).includes(kind);
const isList = (kind: Kind): kind is (typeof LIST_KINDS)[number] => (LIST_KINDS as readonly string[]).includes(kind);

/** The operators that a kind has. Lists have none to choose from. */
export const operatorsOf = (kind: Kind): readonly Operator[] =>
  isList(kind) ? ['exact'] : isNamed(kind) ? [...TEXT_OPERATORS, 'present', 'absent'] : TEXT_OPERATORS;

/** Null: rows cannot show all of it. */
export function toConditions(match: Match = {}): Condition[] | null {
  const rows: Condition[] = [];
  for (const [kind, value] of Object.entries(match) as [Kind, unknown][]) {
    if (!KINDS.includes(kind)) return null;
    if (isList(kind)) rows.push({ ...NEW_CONDITION, kind, operator: 'exact', values: (value as string[]).join('\n') });
    else if (kind === 'path') rows.push(...textRows(kind, '', value as TextLists));
    else
      for (const { name, absent = false, ...lists } of value as (TextLists & { name: string; absent?: boolean })[]) {
        const found = textRows(kind, name, lists);
        // Several lists of one header are alternatives, but rows are not; `absent` inverts values.
        if (found.length > 1 || (found.length === 1 && absent)) return null;
        const operator = absent ? 'absent' : 'present';
        rows.push(found[0] ?? { ...NEW_CONDITION, kind, name, operator, ignoresCase: lists.ignore_case === true });
      }
  }
  return rows;
}

const textRows = (kind: Kind, name: string, lists: TextLists): Condition[] =>
  TEXT_OPERATORS.flatMap((operator) => {
    const values = lists[operator];
    if (values === undefined) return [];
    return [{ kind, name, operator, values: values.join('\n'), ignoresCase: lists.ignore_case === true }];
  });

const linesOf = (text: string): string[] =>
  text
    .split('\n')
    .map((line) => line.trim())
    .filter((line) => line !== '');

/** Rows without values are left out, but for a header and the like, where its name is enough. */
export function toMatch(rows: readonly Condition[]): Match {
  const match: Record<string, unknown> = {};
  for (const { kind, operator, name, values, ignoresCase } of rows) {
    const lines = linesOf(values);
    const lists = { [operator]: lines, ...(ignoresCase && { ignore_case: true }) };
    if (isNamed(kind)) {
      if (name.trim() === '') continue;
      const isPlain = operator === 'present' || operator === 'absent';
      if (!isPlain && lines.length === 0) continue;
      const rest = isPlain ? (operator === 'absent' ? { absent: true } : {}) : lists;
      match[kind] = [...((match[kind] as object[]) ?? []), { name: name.trim(), ...rest }];
    } else if (lines.length > 0 && isList(kind)) match[kind] = [...((match[kind] as string[]) ?? []), ...lines];
    else if (lines.length > 0) {
      const path = (match.path ?? {}) as Record<string, unknown>;
      match.path = { ...path, ...lists, [operator]: [...((path[operator] as string[]) ?? []), ...lines] };
    }
  }
  return match as Match;
}
