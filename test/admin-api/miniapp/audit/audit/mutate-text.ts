/**
 * Damage to a text: pieces of syntax put in, parts cut out or doubled, the end cut off, other
 * characters.
 */
import type { Random } from '../../../../support/random.ts';

const PIECES = [
  '(',
  ')',
  '{',
  '}',
  '[',
  ']',
  '`',
  '${',
  '"',
  "'",
  '/*',
  '*/',
  '//',
  '<!--',
  '-->',
  '<script>',
  '</script>',
  '=>',
  '...',
  '?.',
  ';',
  ',',
  ':',
  '\\',
  '\u2028',
  '\u202e',
  '\0',
  'const ',
  'yield ',
  'await ',
  'class ',
  'Host',
  '.call',
  'java',
  'this',
  'eval',
  '/(?<',
  '\ud800',
  '\n',
  ' ',
  '0x',
  '1n',
  '@',
  '#',
];

export function mutateText(text: string, random: Random): string {
  let out = text;
  for (let n = 1 + random.below(3); n > 0; n--) {
    const at = random.below(out.length + 1);
    const kind = random.below(5);
    if (kind === 0) out = out.slice(0, at) + random.pick(PIECES) + out.slice(at);
    else if (kind === 1) out = out.slice(0, at) + out.slice(at + 1 + random.below(8));
    else if (kind === 2) out = out.slice(0, at);
    else if (kind === 3) out = out.slice(0, at) + String.fromCharCode(random.below(0x3000)) + out.slice(at + 1);
    else {
      const from = random.below(out.length + 1);
      out = out.slice(0, at) + out.slice(from, from + random.below(60)) + out.slice(at);
    }
  }
  return out;
}
