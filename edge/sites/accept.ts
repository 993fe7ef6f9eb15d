/** Selects the content type that a visitor prefers (RFC 9110 section 12.5.1). */
import type { FieldList } from '../http/exchange/field-list.ts';

/** Members that are read. The rest of a longer list does not matter for an error page. */
const MAX_MEMBERS = 32;

interface Range {
  readonly type: string;
  readonly quality: number;
}

/** The result for the last request: the requests of a flood have the same list. */
let lastList = '';
let lastTypes: readonly string[] = [];
let lastBest = '';

/**
 * The preferred type of `types` (lower case, no parameters); among equals the first. If none is
 * acceptable, the first: an unrequested page is more useful than none.
 */
export function preferredType<T extends string>(headers: FieldList, types: readonly T[]): T {
  const list = acceptList(headers);
  if (list === lastList && types === lastTypes) return lastBest as T;
  const ranges = acceptedRanges(list);
  let best = types[0];
  let bestWeight = 0;
  for (const type of types) {
    const weight = weightOf(type, ranges);
    if (weight > bestWeight) {
      best = type;
      bestWeight = weight;
    }
  }
  lastList = list;
  lastTypes = types;
  lastBest = best;
  return best;
}

/** The values of all Accept lines, joined by commas. */
function acceptList(headers: FieldList): string {
  let list = '';
  for (let i = 0; i < headers.length; i += 2)
    if (headers[i] === 'accept') list = list === '' ? headers[i + 1] : `${list},${headers[i + 1]}`;
  return list;
}

function acceptedRanges(list: string): Range[] {
  return list
    .split(',', MAX_MEMBERS)
    .map(rangeOf)
    .filter((range) => range.type !== '');
}

function rangeOf(member: string): Range {
  const [type, ...parameters] = member.toLowerCase().split(';');
  let quality = 1;
  for (const parameter of parameters) {
    const weight = /^\s*q\s*=\s*([01](?:\.\d{0,3})?)\s*$/.exec(parameter);
    if (weight !== null) quality = Math.min(1, Number(weight[1]));
  }
  return { type: type.trim(), quality };
}

/**
 * The weight comes from the most specific matching range. At the same quality, the more specific
 * range wins.
 */
function weightOf(type: string, ranges: readonly Range[]): number {
  const group = `${type.slice(0, type.indexOf('/'))}/*`;
  const matching = [type, group, '*/*'];
  for (let i = 0; i < matching.length; i++) {
    const range = ranges.find((candidate) => candidate.type === matching[i]);
    if (range !== undefined) return range.quality === 0 ? 0 : range.quality * 10_000 - i;
  }
  return 0;
}
