/** NAPTR (RFC 3403 section 4) and URI (RFC 7553 section 4). */
import { latin1 } from '../latin1.ts';
import { TYPE } from '../types.ts';
import type { FieldKind, RdataRow } from './kind.ts';
import { characterString, domainName, quote, u16, unescapeText, utf8 } from './kinds.ts';
import { WireReader } from './wire-reader.ts';

const FLAGS = /^[a-z0-9]*$/i;

/** RFC 3402 3.2: one delimiter, three times, then flags. A backslash protects what follows it. */
function isSubstitution(text: string): boolean {
  const delimiter = text[0];
  if (/[1-9i\\]/i.test(delimiter)) return false;
  let found = 1;
  let p = 1;
  for (; p < text.length && found < 3; p++) {
    if (text[p] === '\\') p++;
    else if (text[p] === delimiter) found++;
  }
  return found === 3 && /^i*$/i.test(text.slice(p));
}

function findNaptrDoubt(rdata: Uint8Array): string | undefined {
  const input = new WireReader(TYPE.NAPTR, rdata);
  input.u32();
  const flags = latin1(input.take(input.u8()));
  input.take(input.u8());
  const expression = latin1(input.take(input.u8()));
  const replacement = input.name();
  if (!FLAGS.test(flags)) return 'the flags must be letters and digits such as "S", or empty';
  if (expression === '') return undefined;
  if (!isSubstitution(expression))
    return 'the regular expression must be a substitution such as !^.*$!sip:info@example.net!, or empty';
  return replacement.length === 1
    ? undefined
    : 'it cannot have both a regular expression and a replacement (RFC 3403 4.1); write "" for no expression or "." for no replacement';
}

/**
 * A scheme, and the characters that a URI is written in (RFC 3986 section 2): others are
 * percent-encoded.
 */
const URI = /^[a-z][a-z0-9+.-]*:[!#$%&'()*+,\-./0-9:;=?@A-Z[\]_a-z~]*$/i;
/** Bytes before the target. */
const URI_TARGET = 4;

function findUriDoubt(rdata: Uint8Array): string | undefined {
  return URI.test(latin1(rdata.subarray(URI_TARGET)))
    ? undefined
    : 'the target must be an absolute URI such as https://www.example.net/, with spaces and letters beyond ASCII percent-encoded';
}

/** To the end of the rdata, without a length (RFC 7553 4.4). */
const uri: FieldKind = {
  parse(input, out) {
    out.bytes(unescapeText(input.field('target').text, 'target', input));
  },
  format: (input) => quote(input.rest()),
  take(input, into) {
    into.target = utf8(input.rest());
  },
};

export const SERVICE_ROWS: readonly RdataRow[] = [
  {
    type: TYPE.NAPTR,
    names: 'lowered',
    example: '100 10 "S" "SIP+D2U" "" _sip._udp.example.net.',
    fields: [
      u16('order'),
      u16('preference'),
      characterString('flags'),
      characterString('services'),
      characterString('regular expression', 'regexp'),
      domainName('replacement'),
    ],
    doubt: findNaptrDoubt,
  },
  {
    type: TYPE.URI,
    example: '10 1 "https://www.example.net/"',
    fields: [u16('priority'), u16('weight'), uri],
    doubt: findUriDoubt,
  },
];
