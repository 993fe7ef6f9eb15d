/** Selects the content coding of a response. */

/** In order of preference. */
const CODINGS = ['br', 'gzip'] as const;
export type Coding = (typeof CODINGS)[number];

/**
 * The best content coding that the client accepts (RFC 9110 12.5.3); null: none. `accept`: the
 * header Accept-Encoding.
 */
export function selectCoding(accept: string | undefined): Coding | null {
  if (accept === undefined) return null;
  const weights = new Map(accept.split(',').map(readWeight));
  const weightOf = (coding: Coding): number => weights.get(coding) ?? weights.get('*') ?? 0;
  let best: Coding | null = null;
  for (const coding of CODINGS) if (weightOf(coding) > (best === null ? 0 : weightOf(best))) best = coding;
  return best;
}

function readWeight(item: string): [string, number] {
  const [name, ...parameters] = item.split(';').map((part) => part.trim().toLowerCase());
  const weight = parameters.find((parameter) => parameter.startsWith('q='));
  return [name, weight === undefined ? 1 : Number(weight.slice(2)) || 0];
}
