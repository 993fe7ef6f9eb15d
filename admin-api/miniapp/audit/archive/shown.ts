/**
 * Names as findings may show them: nothing that moves a cursor, turns the direction of writing or
 * cannot be seen.
 */

const UNSEEN = /[\p{Cc}\p{Cf}\p{Co}\p{Cn}\p{Zl}\p{Zp}]/gu;
const LONGEST = 200;

export function shown(name: string): string {
  const cut = name.length > LONGEST ? `${name.slice(0, LONGEST).toWellFormed()}…` : name;
  return cut.replace(UNSEEN, (character) => `\\u{${character.codePointAt(0)!.toString(16)}}`);
}
