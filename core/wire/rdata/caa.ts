/** CAA (RFC 8659 section 4): flags, a tag of letters and digits, and a value without a length of its own. */
import { TYPE } from '../types.ts';
import type { FieldKind, RdataRow } from './kind.ts';
import { longString, u8 } from './kinds.ts';

const TAG = /^[a-z0-9]{1,255}$/i;

const tag: FieldKind = {
  what: 'tag',
  parse(input, out) {
    const text = input.word('tag');
    if (!TAG.test(text)) input.fail('tag', 'must be letters and digits such as issue, issuewild or iodef', text);
    out.u8(text.length);
    // Tags match in any case; lower case is the canonical form (4.1, 4.1.1).
    out.bytes(Buffer.from(text.toLowerCase(), 'latin1'));
  },
  format(input) {
    const text = Buffer.from(input.take(input.u8())).toString('latin1');
    if (!TAG.test(text)) input.fail('the tag is not made of letters and digits');
    return text.toLowerCase();
  },
};

export const CAA_ROWS: readonly RdataRow[] = [
  { type: TYPE.CAA, example: '0 issue "ca.example.net"', fields: [u8('flags'), tag, longString('value', 0)] },
];
