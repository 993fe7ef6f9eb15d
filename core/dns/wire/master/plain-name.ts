/**
 * Parses names directly from a file's bytes: the great majority, which has no escapes and no
 * faults.
 */
import { LOWER, MAX_LABEL, MAX_NAME, type Name } from '../name.ts';

/**
 * 1: the byte stands for itself in a name. Dots, escapes, `@`, white space and what is not ASCII do
 * not.
 */
const PLAIN = new Uint8Array(256).fill(1, 0x21, 0x7f);
for (const c of '.\\"();@') PLAIN[c.charCodeAt(0)] = 0;

/**
 * Presentation form in bytes[start, end) to wire form in `out` (at least 256 bytes), in lower case
 * and completed with `origin` when the last dot is missing. Returns the length, as a negative
 * number when the text has capitals. 0: the name is not plain or is wrong; use parseName.
 */
export function readPlainName(bytes: Uint8Array, start: number, end: number, origin: Name, out: Uint8Array): number {
  if (end - start > MAX_NAME) return 0;
  let label = 0;
  let length = 1;
  // Not 0 once a byte differs from its lower case.
  let capitals = 0;
  for (let p = start; p < end; p++) {
    const c = bytes[p];
    if (PLAIN[c] === 1) {
      const lower = LOWER[c];
      capitals |= c ^ lower;
      out[length++] = lower;
      continue;
    }
    const size = length - label - 1;
    if (c !== 0x2e || size === 0 || size > MAX_LABEL) return 0;
    out[label] = size;
    label = length++;
  }
  const size = length - label - 1;
  if (size === 0) {
    // The last dot, with a label before it: "." alone has returned above.
    out[label] = 0;
    if (label === 0 || length > MAX_NAME) return 0;
  } else {
    if (size > MAX_LABEL || length + origin.length > MAX_NAME) return 0;
    out[label] = size;
    for (let i = 0; i < origin.length; i++) out[length + i] = origin[i];
    length += origin.length;
  }
  return capitals === 0 ? length : -length;
}
