/** The frame around the parts of a multipart/byteranges body (RFC 9110 section 14.6). Bytes as Latin-1 text. */
import { contentRange, type Part } from './range.ts';

/** `boundary`: a token that is in no part, by chance of its length. */
export const multipartType = (boundary: string): string => `multipart/byteranges; boundary=${boundary}`;

/** What stands before a part. `contentType`: of the whole; empty without one. */
export function partHead(boundary: string, contentType: string, part: Part, length: number): string {
  const type = contentType === '' ? '' : `Content-Type: ${contentType}\r\n`;
  return `\r\n--${boundary}\r\n${type}Content-Range: ${contentRange(part, length)}\r\n\r\n`;
}

/** What stands behind the last part. */
export const multipartEnd = (boundary: string): string => `\r\n--${boundary}--\r\n`;
