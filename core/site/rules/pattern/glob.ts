/**
 * Globs: `*` matches any characters except "/", `**` any characters, `?` one character except "/".
 * A backslash escapes the next character. A glob matches the whole text.
 */
import { complement, setOf } from './char-set.ts';
import { ANY, END, type Expression, literal, repeat, START, sequence } from './expression.ts';
import { PatternError } from './pattern-error.ts';

const IN_SEGMENT: Expression = { kind: 'set', set: complement(setOf([0x2f, 0x2f])) };

export function parseGlob(glob: string, ignoreCase: boolean): Expression {
  const parts: Expression[] = [START];
  for (let i = 0; i < glob.length; i++) {
    const character = glob[i];
    if (character === '?') parts.push(IN_SEGMENT);
    else if (character === '*') {
      const crosses = glob[i + 1] === '*';
      parts.push(repeat(crosses ? ANY : IN_SEGMENT, 0));
      while (glob[i + 1] === '*') i++;
    } else {
      if (character === '\\' && ++i === glob.length) throw new PatternError('ends with a single backslash');
      parts.push(literal(glob[i], ignoreCase));
    }
  }
  return sequence(...parts, END);
}
