/** Range requests on a whole stored response (RFC 9110 section 14). */
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

type RangePlan =
  /** 200: no range, an invalid one, too many, or a range of another representation. */
  | { readonly kind: 'whole' }
  /**
   * 206; several parts: multipart/byteranges, in the order of the request, without overlapping or
   * adjacent ones.
   */
  | { readonly kind: 'partial'; readonly parts: readonly Part[] }
  /** 416. */
  | { readonly kind: 'unsatisfiable' };

const WHOLE: RangePlan = { kind: 'whole' };
const UNSATISFIABLE: RangePlan = { kind: 'unsatisfiable' };

/**
 * More ranges than media players and document viewers request. The limits keep many small ranges
 * from being an attack (section 17.15).
 */
const MAX_REQUESTED = 64;
const MAX_PARTS = 16;

/** `length`: of the stored body. Ranges apply to GET only (section 14.2). */
export function planRange(request: CacheRequest, status: number, facts: Facts, length: number): RangePlan {
  const { range, ifRange, method } = request;
  if (range === undefined || method !== 'GET' || status !== 200) return WHOLE;
  if (ifRange !== undefined && !isSameRepresentation(ifRange, facts)) return WHOLE;
  const requested = parseRange(range, length);
  if (requested === undefined) return WHOLE;
  if (requested.length === 0) return UNSATISFIABLE;
  // No Content-Range can describe the last bytes of an empty body.
  if (requested.some((part) => part.from === part.to)) return WHOLE;
  const parts = coalesce(requested);
  return parts.length > MAX_PARTS ? WHOLE : { kind: 'partial', parts };
}

/**
 * If-Range (section 13.1.5): the same strong tag, or exactly the Last-Modified date, which must
 * precede Date by a second or more (section 8.8.2.2).
 */
function isSameRepresentation(ifRange: string, facts: Facts): boolean {
  if (isEntityTag(ifRange)) return facts.etag !== '' && matchStrongly(ifRange, facts.etag);
  return parseHttpDate(ifRange, facts.date) === facts.lastModified && facts.date - facts.lastModified >= 1000;
}

const SPEC = /^(?:(\d+)-(\d*)|-(\d+))$/;

/** The satisfiable ranges. Undefined: not bytes, or not a valid set of ranges (section 14.1.1). */
function parseRange(value: string, length: number): Part[] | undefined {
  if (!/^bytes=/i.test(value)) return undefined;
  const specs = value.slice(6).split(',', MAX_REQUESTED + 1);
  if (specs.length > MAX_REQUESTED) return undefined;
  const parts: Part[] = [];
  let count = 0;
  for (const text of specs) {
    const member = trimmed(text);
    if (member === '') continue; // an empty list member (section 5.6.1.2)
    const spec = SPEC.exec(member);
    if (spec === null || (spec[2] && isLess(spec[2], spec[1]))) return undefined;
    count++;
    const part = partOf(spec, length);
    if (part !== undefined) parts.push(part);
  }
  return count === 0 ? undefined : parts;
}

/** Compares decimal numbers of any length. */
function isLess(left: string, right: string): boolean {
  const a = left.replace(/^0+/, '');
  const b = right.replace(/^0+/, '');
  return a.length === b.length ? a < b : a.length < b.length;
}

/**
 * Section 14.1.2. Undefined: not satisfiable. Numbers past 2^53 lose digits, but are past any end
 * all the same.
 */
function partOf([, first, last, suffix]: RegExpExecArray, length: number): Part | undefined {
  if (suffix !== undefined) {
    const bytes = Number(suffix);
    return bytes === 0 ? undefined : { from: Math.max(0, length - bytes), to: length };
  }
  const from = Number(first);
  if (from >= length) return undefined;
  return { from, to: last === '' ? length : Math.min(Number(last) + 1, length) };
}

/**
 * Merges overlapping and adjacent parts; the result is ordered by the first part of each (section
 * 15.3.7.2).
 */
function coalesce(parts: readonly Part[]): Part[] {
  if (parts.length === 1) return [...parts];
  const sorted = parts.map((part, order) => ({ ...part, order })).sort((a, b) => a.from - b.from);
  const merged: { from: number; to: number; order: number }[] = [];
  for (const part of sorted) {
    const last = merged.at(-1);
    if (last === undefined || part.from > last.to) {
      merged.push({ ...part });
      continue;
    }
    last.to = Math.max(last.to, part.to);
    last.order = Math.min(last.order, part.order);
  }
  return merged.sort((a, b) => a.order - b.order).map(({ from, to }) => ({ from, to }));
}

/** Content-Range of a part; without a part, of a 416 (section 14.4). */
export function contentRange(part: Part | undefined, length: number): string {
  return part === undefined ? `bytes */${length}` : `bytes ${part.from}-${part.to - 1}/${length}`;
}

/** `boundary`: a random token, too long to occur in a part by chance. */
export const multipartType = (boundary: string): string => `multipart/byteranges; boundary=${boundary}`;

/**
 * The delimiters around the parts of a multipart/byteranges body (RFC 9110 section 14.6), as
 * Latin-1 text. Precedes a part. `contentType`: of the whole response; empty without one.
 */
export function partHead(boundary: string, contentType: string, part: Part, length: number): string {
  const type = contentType === '' ? '' : `Content-Type: ${contentType}\r\n`;
  return `\r\n--${boundary}\r\n${type}Content-Range: ${contentRange(part, length)}\r\n\r\n`;
}

/** Follows the last part. */
export const multipartEnd = (boundary: string): string => `\r\n--${boundary}--\r\n`;
