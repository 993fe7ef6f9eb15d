/** Ranges of a whole response (RFC 9110 section 14). */
import type { Facts } from './facts.ts';
import { trimmed } from './fields.ts';
import { parseHttpDate } from './http-date.ts';
import type { CacheRequest } from './request.ts';
import { isEntityTag, matchStrongly } from './validators.ts';

/** The bytes [from, to). */
export interface Part {
  readonly from: number;
  readonly to: number;
}

export type RangePlan =
  /** 200, all of it: no range, none that can be read, one of another representation, or too many. */
  | { readonly kind: 'whole' }
  /** 206; more than one part: multipart/byteranges. In the order of the request, none overlaps or touches another one. */
  | { readonly kind: 'partial'; readonly parts: readonly Part[] }
  /** 416. */
  | { readonly kind: 'unsatisfiable' };

const WHOLE: RangePlan = { kind: 'whole' };
const UNSATISFIABLE: RangePlan = { kind: 'unsatisfiable' };

/** More ranges than players and readers of documents ask for, and few enough that many small ones are no attack (section 17.15). */
const MOST_ASKED = 64;
const MOST_PARTS = 16;

/** `length`: of the stored body. Only GET has ranges (section 14.2). */
export function planRange(request: CacheRequest, status: number, facts: Facts, length: number): RangePlan {
  const { range, ifRange, method } = request;
  if (range === undefined || method !== 'GET' || status !== 200) return WHOLE;
  if (ifRange !== undefined && !isSameRepresentation(ifRange, facts)) return WHOLE;
  const asked = parseRange(range, length);
  if (asked === undefined) return WHOLE;
  if (asked.length === 0) return UNSATISFIABLE;
  if (asked.some((part) => part.from === part.to)) return WHOLE; // the last bytes of an empty body cannot be told by a range
  const parts = coalesced(asked);
  return parts.length > MOST_PARTS ? WHOLE : { kind: 'partial', parts };
}

/** If-Range (section 13.1.5): the same strong tag, or the very date of a change that was a second or more before the response (section 8.8.2.2). */
function isSameRepresentation(ifRange: string, facts: Facts): boolean {
  if (isEntityTag(ifRange)) return facts.etag !== '' && matchStrongly(ifRange, facts.etag);
  return parseHttpDate(ifRange, facts.date) === facts.lastModified && facts.date - facts.lastModified >= 1000;
}

const SPEC = /^(?:(\d+)-(\d*)|-(\d+))$/;

/** Those that can be satisfied; undefined: not bytes, or not a valid set of ranges (section 14.1.1). */
function parseRange(value: string, length: number): Part[] | undefined {
  if (!/^bytes=/i.test(value)) return undefined;
  const specs = value.slice(6).split(',', MOST_ASKED + 1);
  if (specs.length > MOST_ASKED) return undefined;
  const parts: Part[] = [];
  let count = 0;
  for (const text of specs) {
    const member = trimmed(text);
    if (member === '') continue; // an empty member of a list (section 5.6.1.2)
    const spec = SPEC.exec(member);
    if (spec === null || (spec[2] && isLess(spec[2], spec[1]))) return undefined;
    count++;
    const part = partOf(spec, length);
    if (part !== undefined) parts.push(part);
  }
  return count === 0 ? undefined : parts;
}

/** Of numbers in digits, however many. */
function isLess(one: string, other: string): boolean {
  const a = one.replace(/^0+/, '');
  const b = other.replace(/^0+/, '');
  return a.length === b.length ? a < b : a.length < b.length;
}

/** Section 14.1.2; undefined: it cannot be satisfied. Numbers past 2^53 lose digits, and are behind any end all the same. */
function partOf([, first, last, suffix]: RegExpExecArray, length: number): Part | undefined {
  if (suffix !== undefined) {
    const wanted = Number(suffix);
    return wanted === 0 ? undefined : { from: Math.max(0, length - wanted), to: length };
  }
  const from = Number(first);
  if (from >= length) return undefined;
  return { from, to: last === '' ? length : Math.min(Number(last) + 1, length) };
}

/** Parts that overlap or touch become one, at the place of the first of them (section 15.3.7.2). */
function coalesced(parts: readonly Part[]): Part[] {
  if (parts.length === 1) return [...parts];
  const sorted = parts.map((part, order) => ({ ...part, order })).sort((a, b) => a.from - b.from);
  const joined: { from: number; to: number; order: number }[] = [];
  for (const part of sorted) {
    const last = joined.at(-1);
    if (last === undefined || part.from > last.to) {
      joined.push({ ...part });
      continue;
    }
    last.to = Math.max(last.to, part.to);
    last.order = Math.min(last.order, part.order);
  }
  return joined.sort((a, b) => a.order - b.order).map(({ from, to }) => ({ from, to }));
}

/** Content-Range of a part; without one, of a 416 (section 14.4). */
export function contentRange(part: Part | undefined, length: number): string {
  return part === undefined ? `bytes */${length}` : `bytes ${part.from}-${part.to - 1}/${length}`;
}
