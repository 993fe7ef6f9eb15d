/** Which of a few forms a visitor would rather have (RFC 9110 section 12.5.1). */
import type { FieldList } from '../http/exchange/field-list.ts';

/** Members that are looked at; the rest of a longer list says nothing that matters for a page. */
const MOST = 32;

interface Range {
  readonly type: string;
  readonly quality: number;
}

/** The first of `types` (in lower case, no parameters) that is wanted most; the first of all when none is, as a page that is not asked for says more than none. */
export function preferredType<T extends string>(headers: FieldList, types: readonly T[]): T {
  const ranges = acceptedRanges(headers);
  let best = types[0];
  let most = 0;
  for (const type of types) {
    const weight = weightOf(type, ranges);
    if (weight > most) {
      best = type;
      most = weight;
    }
  }
  return best;
}

function acceptedRanges(headers: FieldList): Range[] {
  let list = '';
  for (let i = 0; i < headers.length; i += 2) if (headers[i] === 'accept') list += `,${headers[i + 1]}`;
  return list
    .split(',', MOST + 1)
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

/** The most specific range that fits says how much it is wanted; among equals, one that is named goes before one that is only not excluded. */
function weightOf(type: string, ranges: readonly Range[]): number {
  const group = `${type.slice(0, type.indexOf('/'))}/*`;
  const fitting = [type, group, '*/*'];
  for (let i = 0; i < fitting.length; i++) {
    const range = ranges.find((one) => one.type === fitting[i]);
    if (range !== undefined) return range.quality === 0 ? 0 : range.quality * 10_000 - i;
  }
  return 0;
}
