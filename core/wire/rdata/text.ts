/** TXT (RFC 1035 3.3.14): one or more character-strings. */
import { TYPE } from '../types.ts';
import type { FieldKind, RdataRow } from './kind.ts';
import { characterString, unescapeText, utf8 } from './kinds.ts';

const one = characterString('text');

const strings: FieldKind = {
  parse(input, out) {
    do one.parse(input, out);
    while (input.left > 0);
  },
  format(input) {
    let text = one.format(input);
    while (input.left > 0) text += ` ${one.format(input)}`;
    return text;
  },
  take(input, into) {
    const strings: string[] = [];
    do strings.push(utf8(input.take(input.u8())));
    while (input.left > 0);
    into.strings = strings;
    into.text = strings.join('');
  },
};

export const TEXT_ROWS: readonly RdataRow[] = [
  {
    type: TYPE.TXT,
    example: '"v=spf1 -all"',
    fields: [strings],
    parseBare(text, input, out) {
      const bytes = unescapeText(text, 'text', input);
      for (let i = 0; i < bytes.length; i += 255) {
        const part = bytes.subarray(i, i + 255);
        out.u8(part.length);
        out.bytes(part);
      }
    },
  },
];
