/** Finds syntax of regular expressions that Rhino 1.7.15 rejects. */

/** Rhino rejects quantifiers from this count on. */
const COUNT_LIMIT = 65_535;

/**
 * Offsets of the syntax that Rhino rejects in a valid ECMAScript pattern: named groups, modifiers,
 * lookbehind, large counts.
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
      if (counts.match(/\d+/g)?.some((digits) => Number(digits) >= COUNT_LIMIT)) faults.push(i);
    }
  }
  return faults;
}
