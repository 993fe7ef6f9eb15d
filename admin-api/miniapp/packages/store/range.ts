/** Ranges of bytes in requests (RFC 9110 14). */
import { HttpError } from '../../../http/errors.ts';

export interface Range {
  readonly from: number;
  /** The byte after the last one. */
  readonly to: number;
}

/**
 * The only range of the header Range; null: the whole file, also if the header has several ranges
 * or is invalid. Throws HttpError 416 if the range begins after the end.
 */
export function readRange(header: string | undefined, size: number): Range | null {
  const [, first, last] = /^bytes=(\d{0,15})-(\d{0,15})$/i.exec(header?.trim() ?? '') ?? [];
  if (first === undefined || (first === '' && last === '')) return null;
  if (first === '') return requireInside({ from: Math.max(0, size - Number(last)), to: size }, size);
  const to = last === '' ? size : Math.min(size, Number(last) + 1);
  if (last !== '' && Number(last) < Number(first)) return null;
  return requireInside({ from: Number(first), to }, size);
}

function requireInside(range: Range, size: number): Range {
  if (range.from < range.to) return range;
  throw new HttpError(416, 'range_not_satisfiable', `The package has ${size} bytes; the range begins after its end.`, {
    headers: { 'Content-Range': `bytes */${size}` },
  });
}
