/**
 * Escapes names for findings: control characters, bidirectional marks and invisible characters.
 * Shortens long names.
 */

const UNSEEN = /[\p{Cc}\p{Cf}\p{Co}\p{Cn}\p{Zl}\p{Zp}]/gu;
const MAX_LENGTH = 200;

export function shown(name: string): string {
  const cut = name.length > MAX_LENGTH ? `${name.slice(0, MAX_LENGTH).toWellFormed()}…` : name;
  return cut.replace(UNSEEN, (character) => `\\u{${character.codePointAt(0)!.toString(16)}}`);
}
