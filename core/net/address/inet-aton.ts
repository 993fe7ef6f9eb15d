/**
 * IPv4 addresses as inet_aton and the parsers that follow it read them: one to four parts, each
 * decimal, octal (leading 0) or hexadecimal (leading 0x), the last one filling the bytes that are
 * left. WHATWG's URL standard ("IPv4 parser") reads the same.
 */

const PART = /^(0x[0-9a-f]*|[0-9]+)$/i;

/**
 * A part's value, however large. `octal` says what a leading 0 means: parsers disagree. Undefined
 * when it is no number.
 */
function partValue(part: string, octal: boolean): number | undefined {
  if (!PART.test(part)) return undefined;
  // "0x" alone is 0 to WHATWG. A part with an 8 or 9 cannot be octal: who takes it at all, takes it
  // as decimal.
  if (/^0x/i.test(part)) return part.length === 2 ? 0 : Number.parseInt(part.slice(2), 16);
  return Number.parseInt(part, octal && /^0[0-7]*$/.test(part) ? 8 : 10);
}

function read(text: string, octal: boolean): Uint8Array | undefined {
  const parts = text.split('.');
  if (parts.length > 4) return undefined;
  const values = parts.map((part) => partValue(part, octal));
  const tail = values.pop();
  const bytes = new Uint8Array(4);
  for (const [i, value] of values.entries()) {
    if (value === undefined || value > 255) return undefined;
    bytes[i] = value;
  }
  if (tail === undefined || tail >= 2 ** (8 * (4 - values.length))) return undefined;
  for (let i = 3, rest = tail; i >= values.length; i--, rest = Math.floor(rest / 256)) bytes[i] = rest & 255;
  return bytes;
}

/** What inet_aton makes of a text; undefined when it refuses it. */
export function readInetAton(text: string): Uint8Array | undefined {
  return read(text, true);
}

/** The same with leading zeros taken as decimal, as some do. */
export function readDecimalParts(text: string): Uint8Array | undefined {
  return read(text, false);
}
