/**
 * Types of character-strings: TXT (RFC 1035 3.3.14), those that took its format, HINFO and others.
 */
import { latin1 } from '../latin1.ts';
import { TYPE } from '../types.ts';
import type { FieldKind, RdataRow } from './kind.ts';
import { characterString, unescapeText, utf8 } from './kinds.ts';
import { WireReader } from './wire-reader.ts';

const string = characterString('text');

const strings: FieldKind = {
  parse(input, out) {
    do string.parse(input, out);
    while (input.left > 0);
  },
  format(input) {
    let text = string.format(input);
    while (input.left > 0) text += ` ${string.format(input)}`;
    return text;
  },
  take(input, into) {
    const texts: string[] = [];
    do texts.push(utf8(input.take(input.u8())));
    while (input.left > 0);
    into.strings = texts;
    into.text = texts.join('');
  },
};

const splitBare: RdataRow['parseBare'] = (text, input, out) => {
  const bytes = unescapeText(text, 'text', input);
  for (let i = 0; i < bytes.length; i += 255) {
    const part = bytes.subarray(i, i + 255);
    out.u8(part.length);
    out.bytes(part);
  }
};

/** A character-string of one form. */
function patterned(what: string, pattern: RegExp, rule: string, key = what): FieldKind {
  const any = characterString(what, key);
  return {
    parse(input, out) {
      const bytes = unescapeText(input.peek()?.text ?? '', what, input);
      any.parse(input, out);
      if (!pattern.test(latin1(bytes))) input.fail(what, rule, latin1(bytes));
    },
    format(input) {
      const ahead = input.again();
      const bytes = ahead.take(ahead.u8());
      if (!pattern.test(latin1(bytes))) input.fail(`the ${what} ${rule}`);
      return any.format(input);
    },
    take: any.take,
  };
}

/** The last field, which may be left out. */
function optional(kind: FieldKind): FieldKind {
  return {
    parse(input, out) {
      if (input.left > 0) kind.parse(input, out);
    },
    format: (input) => (input.left > 0 ? kind.format(input) : ''),
    take(input, into) {
      if (input.left > 0) kind.take(input, into);
    },
  };
}

const REAL = /^[+-]?(\d+(\.\d*)?|\.\d+)$/;
const COORDINATES = ['longitude', 'latitude', 'altitude'];

function findGposDoubt(rdata: Uint8Array): string | undefined {
  const input = new WireReader(TYPE.GPOS, rdata);
  const wrong = COORDINATES.find(() => !REAL.test(latin1(input.take(input.u8()))));
  return wrong && `the ${wrong} must be a decimal number such as "-32.6882"`;
}

export const TEXT_ROWS: readonly RdataRow[] = [
  { type: TYPE.TXT, example: '"v=spf1 -all"', fields: [strings], parseBare: splitBare },
  // RFC 4408 3.1.1; RFC 7208 3.1 ended its use.
  { type: TYPE.SPF, example: '"v=spf1 -all"', fields: [strings], parseBare: splitBare },
  // draft-reid-dnsext-zs-01, which is the registry's reference.
  { type: TYPE.NINFO, example: '"zone status"', fields: [strings] },
  // The registry's templates of AVC and WALLET; draft-johnson-dns-ipn-cla-07 for CLA.
  { type: TYPE.AVC, example: '"app-name:Example"', fields: [strings] },
  { type: TYPE.WALLET, example: '"BTC" "an address"', fields: [strings] },
  { type: TYPE.CLA, example: '"TCP-v4-v6"', fields: [strings] },
  // RFC 9606 section 4: the format of TXT, one string for each key.
  { type: TYPE.RESINFO, example: '"qnamemin" "exterr=15-17"', fields: [strings] },
  // RFC 1035 3.3.2.
  {
    type: TYPE.HINFO,
    example: '"PC" "Linux"',
    fields: [characterString('CPU', 'cpu'), characterString('operating system', 'os')],
  },
  // RFC 1183 3.1.
  {
    type: TYPE.X25,
    example: '"311061700956"',
    fields: [patterned('PSDN address', /^\d{4,}$/, 'must be at least 4 digits', 'psdn_address')],
  },
  // RFC 1183 3.2.
  {
    type: TYPE.ISDN,
    example: '"150862028003217" "004"',
    fields: [characterString('ISDN address', 'isdn_address'), optional(characterString('subaddress'))],
  },
  // RFC 1712 section 3, which has the ranges of longitude and latitude exchanged: none is checked.
  {
    type: TYPE.GPOS,
    example: '"-32.6882" "116.8652" "10.0"',
    fields: COORDINATES.map((what) => characterString(what)),
    doubt: findGposDoubt,
  },
];
