/** Regular expressions, as far as Rhino 1.7.15 reads them otherwise than others. */

/** A count from which on Rhino refuses a quantifier. */
const MOST_TIMES = 65_535;

/**
 * Offsets in a pattern, which is one of ECMAScript, of what Rhino refuses: groups with a name or
 * modifiers, lookbehind, counts that are too large.
 */
export function regexpFaults(pattern: string): number[] {
  const faults: number[] = [];
  let inClass = false;
  for (let i = 0; i < pattern.length; i++) {
    const char = pattern[i];
    if (char === '\\') i++;
    else if (inClass) inClass = char !== ']';
    else if (char === '[') inClass = true;
    else if (char === '(' && pattern[i + 1] === '?' && !':=!'.includes(pattern[i + 2])) faults.push(i);
    else if (char === '{') {
      const [counts] = /^\{\d+(?:,\d*)?\}/.exec(pattern.slice(i, i + 64)) ?? [''];
      if (counts.match(/\d+/g)?.some((digits) => Number(digits) >= MOST_TIMES)) faults.push(i);
    }
  }
  return faults;
}
