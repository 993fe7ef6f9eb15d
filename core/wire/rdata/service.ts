/** NAPTR (RFC 3403 section 4) and URI (RFC 7553 section 4). */
import { formatName, type Name } from '../name.ts';
import { TYPE } from '../types.ts';
import type { FieldKind, RdataRow } from './kind.ts';
import { characterString, quote, u16, unescapeText, utf8 } from './kinds.ts';
import type { WireReader } from './wire-reader.ts';

const FLAGS = /^[a-z0-9]*$/i;
const FLAGS_RULE = 'must be letters and digits such as "S", or empty';

const text = characterString('flags');

const flags: FieldKind = {
  parse(input, out) {
    const given = input.peek()?.text ?? '';
    if (!FLAGS.test(given)) input.fail('flags', FLAGS_RULE, given);
    text.parse(input, out);
  },
  format(input) {
    const quoted = text.format(input);
    if (!FLAGS.test(quoted.slice(1, -1))) input.fail(`the flags ${FLAGS_RULE}`);
    return quoted;
  },
  take: text.take,
};

const EXPRESSION = 'regular expression';
const EXPRESSION_RULE = 'must be a substitution such as !^.*$!sip:info@example.net!, or empty';

/** RFC 3402 3.2: one delimiter, three times, then flags. A backslash protects what follows it. */
function isSubstitution(expression: Uint8Array): boolean {
  const text = Buffer.from(expression).toString('latin1');
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

/** A record with both is in error (RFC 3403 4.1), but zones have such records and other servers load them: see `hasBothRewrites`. */
function readRewrite(input: WireReader): [expression: Uint8Array, replacement: Name] {
  const expression = input.take(input.u8());
  if (expression.length > 0 && !isSubstitution(expression)) input.fail(`the ${EXPRESSION} ${EXPRESSION_RULE}`);
  const replacement = input.name();
  return [expression, replacement];
}

/** Whether the rdata of a NAPTR, which is well-formed, has a regular expression and a replacement. */
export function hasBothRewrites(rdata: Uint8Array): boolean {
  const flagsAt = 4;
  const servicesAt = flagsAt + 1 + rdata[flagsAt];
  const expressionAt = servicesAt + 1 + rdata[servicesAt];
  return rdata[expressionAt] > 0 && rdata[expressionAt + 1 + rdata[expressionAt]] > 0;
}

const expressionText = characterString(EXPRESSION);

const rewrite: FieldKind = {
  parse(input, out) {
    const given = unescapeText(input.peek()?.text ?? '', EXPRESSION, input);
    expressionText.parse(input, out);
    if (given.length > 0 && !isSubstitution(given))
      input.fail(EXPRESSION, EXPRESSION_RULE, Buffer.from(given).toString('latin1'));
    out.bytes(input.name('replacement'));
  },
  format(input) {
    const [regexp, replacement] = readRewrite(input);
    return `${quote(regexp)} ${formatName(replacement)}`;
  },
  take(input, into) {
    const [regexp, replacement] = readRewrite(input);
    into.regexp = utf8(regexp);
    into.replacement = formatName(replacement);
  },
};

/** A scheme, and the characters that a URI is written in (RFC 3986 section 2): others are percent-encoded. */
const URI = /^[a-z][a-z0-9+.-]*:[!#$%&'()*+,\-./0-9:;=?@A-Z[\]_a-z~]*$/i;
const URI_RULE =
  'must be an absolute URI such as https://www.example.net/, with spaces and letters beyond ASCII percent-encoded';

function readUri(input: WireReader): Uint8Array {
  const bytes = input.rest();
  if (!URI.test(utf8(bytes))) input.fail(`the target ${URI_RULE}`);
  return bytes;
}

/** To the end of the rdata, without a length (RFC 7553 4.4). */
const uri: FieldKind = {
  parse(input, out) {
    const bytes = unescapeText(input.field('target').text, 'target', input);
    if (!URI.test(utf8(bytes))) input.fail('target', URI_RULE, Buffer.from(bytes).toString('latin1'));
    out.bytes(bytes);
  },
  format: (input) => quote(readUri(input)),
  take(input, into) {
    into.target = utf8(readUri(input));
  },
};

export const SERVICE_ROWS: readonly RdataRow[] = [
  {
    type: TYPE.NAPTR,
    names: 'lowered',
    example: '100 10 "S" "SIP+D2U" "" _sip._udp.example.net.',
    fields: [u16('order'), u16('preference'), flags, characterString('services'), rewrite],
  },
  {
    type: TYPE.URI,
    example: '10 1 "https://www.example.net/"',
    fields: [u16('priority'), u16('weight'), uri],
  },
];
