/** A query of the statistics, and the answer of one node. */
import { addTo, MAX_NAMES, topNames } from './counts.ts';

export interface StatisticsQuery {
  /** A value of SUBJECT. */
  readonly kind: number;
  readonly id: number;
  /** Minutes since 1970; a multiple of `step`. */
  readonly from: number;
  /** Minutes of one point. */
  readonly step: number;
  readonly points: number;
}

/** Serializable as JSON. */
export interface NodeStatistics {
  /** One DNS query in so many was counted, and counts as so many. */
  readonly sampling: number;
  /** Counts of each column, one for each point. */
  readonly columns: readonly (readonly [column: number, counts: readonly number[]])[];
  /** Labels in wire form, one byte a character: of a domain without its apex. */
  readonly names: readonly (readonly [name: string, count: number])[];
}

const MAX_POINTS = 10_000;

export function formatQuery({ kind, id, from, step, points }: StatisticsQuery): string {
  return [kind, id, from, step, points].join('-');
}

/** Undefined if the text is no query. */
export function parseQuery(text: string): StatisticsQuery | undefined {
  if (!/^\d{1,16}(?:-\d{1,16}){4}$/.test(text)) return undefined;
  const [kind, id, from, step, points] = text.split('-').map(Number);
  const isValid = (kind === 1 || kind === 2) && step > 0 && points > 0 && points <= MAX_POINTS && from < 2 ** 32;
  return isValid ? { kind, id, from, step, points } : undefined;
}

/** Undefined if the value, which another node has sent, is not the answer to the query. */
export function checkNodeStatistics(value: unknown, { points }: StatisticsQuery): NodeStatistics | undefined {
  const { sampling, columns, names } = (value ?? {}) as Partial<NodeStatistics>;
  const isCount = (count: unknown): boolean => Number.isSafeInteger(count) && (count as number) >= 0;
  const isValid =
    isCount(sampling) &&
    Array.isArray(columns) &&
    columns.every(
      ([column, counts]) =>
        isCount(column) && Array.isArray(counts) && counts.length === points && counts.every(isCount),
    ) &&
    Array.isArray(names) &&
    names.every(([name, count]) => typeof name === 'string' && name.length <= 255 && isCount(count));
  return isValid ? (value as NodeStatistics) : undefined;
}

/** Adds the answers of several nodes. */
export function mergeNodes(answers: readonly NodeStatistics[]): NodeStatistics {
  const columns = new Map<number, number[]>();
  const names = new Map<string, number>();
  let sampling = 1;
  for (const answer of answers) {
    sampling = Math.max(sampling, answer.sampling);
    for (const [column, counts] of answer.columns) {
      const sums = columns.get(column);
      if (sums === undefined) columns.set(column, [...counts]);
      else for (let i = 0; i < counts.length; i++) sums[i] += counts[i];
    }
    for (const [name, count] of answer.names) addTo(names, name, count);
  }
  return { sampling, columns: [...columns], names: [...topNames(names, MAX_NAMES)] };
}
