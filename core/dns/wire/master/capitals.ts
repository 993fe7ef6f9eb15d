/** Capitals of names in master files. */

const isCapital = (c: number): boolean => c >= 0x41 && c <= 0x5a;

export function hasCapital(bytes: Uint8Array, start: number, end: number): boolean {
  for (let p = start; p < end; p++) if (isCapital(bytes[p])) return true;
  return false;
}

/**
 * Puts the capitals of a name in presentation form, bytes[start, end), into its wire form in lower
 * case, which begins as it does. The text is well-formed (parseName) and ASCII. Returns whether the
 * name is absolute.
 */
export function putCapitals(bytes: Uint8Array, start: number, end: number, name: Uint8Array): boolean {
  let isAbsolute = false;
  // Behind the length of the first label.
  let at = 1;
  for (let p = start; p < end; p++, at++) {
    let c = bytes[p];
    isAbsolute = c === 0x2e;
    if (c === 0x5c) {
      const isDecimal = bytes[p + 1] >= 0x30 && bytes[p + 1] <= 0x39;
      c = isDecimal ? (bytes[p + 1] - 0x30) * 100 + (bytes[p + 2] - 0x30) * 10 + bytes[p + 3] - 0x30 : bytes[p + 1];
      p += isDecimal ? 3 : 1;
    }
    if (isCapital(c)) name[at] = c;
  }
  return isAbsolute;
}
