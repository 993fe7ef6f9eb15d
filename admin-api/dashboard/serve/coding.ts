/** Selects the content coding of a file (RFC 9110 12.5.3). */

/** In order of preference; the extension of the precompressed file. */
export const CODINGS = { br: '.br', gzip: '.gz' } as const;

export type Coding = keyof typeof CODINGS;

const PREFERRED = Object.keys(CODINGS) as Coding[];

/** The best coding that the client accepts; null: none. `accept`: the header Accept-Encoding. */
export function selectCoding(accept: string | undefined): Coding | null {
  if (accept === undefined) return null;
  const weights = new Map(accept.split(',').map(readWeight));
  const weightOf = (coding: Coding): number => weights.get(coding) ?? weights.get('*') ?? 0;
  let best: Coding | null = null;
  for (const coding of PREFERRED) if (weightOf(coding) > (best === null ? 0 : weightOf(best))) best = coding;
  return best;
}

function readWeight(item: string): [string, number] {
  const [name, ...parameters] = item.split(';').map((part) => part.trim().toLowerCase());
  const weight = parameters.find((parameter) => parameter.startsWith('q='));
  return [name, weight === undefined ? 1 : Number(weight.slice(2)) || 0];
}
