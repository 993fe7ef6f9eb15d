/**
 * The delimiters around the parts of a multipart/byteranges body (RFC 9110 section 14.6), as
 * Latin-1 text.
 */
import { contentRange, type Part } from './range.ts';

/** `boundary`: a random token, too long to occur in a part by chance. */
export const multipartType = (boundary: string): string => `multipart/byteranges; boundary=${boundary}`;

/** Precedes a part. `contentType`: of the whole response; empty without one. */
export function partHead(boundary: string, contentType: string, part: Part, length: number): string {
  const type = contentType === '' ? '' : `Content-Type: ${contentType}\r\n`;
  return `\r\n--${boundary}\r\n${type}Content-Range: ${contentRange(part, length)}\r\n\r\n`;
}

/** Follows the last part. */
export const multipartEnd = (boundary: string): string => `\r\n--${boundary}--\r\n`;
