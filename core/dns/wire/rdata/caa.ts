/**
 * CAA (RFC 8659 section 4): flags, a tag of letters and digits, and a value without a length of its
 * own.
 */

import { latin1 } from '../latin1.ts';
import { TYPE } from '../types.ts';
import type { FieldKind, RdataRow } from './kind.ts';
import { quote, u8, unescapeText, utf8 } from './kinds.ts';
import { WireReader } from './wire-reader.ts';

const TAG = /^[a-z0-9]{1,255}$/i;

/** Tags whose value is a CA and its parameters: RFC 8659 4.2 and 4.3, RFC 9495. */
const ISSUE_TAGS: ReadonlySet<string> = new Set(['issue', 'issuewild', 'issuemail']);

// The grammar of RFC 8659 4.2. A text can match in one way only, so the time is linear in it.
const LABEL = '[a-z0-9]+(?:-+[a-z0-9]+)*';
const CA = new RegExp(`^[ \\t]*(?:${LABEL}(?:\\.${LABEL})*[ \\t]*)?$`, 'i');
const PARAMETER = new RegExp(`^[ \\t]*${LABEL}[ \\t]*=[ \\t]*(?:[\\x21-\\x3a\\x3c-\\x7e]+[ \\t]*)?$`, 'i');
const BLANK = /^[ \t]*$/;

const ISSUE_RULE =
  'must be a CA such as ca.example.net, with parameters as in "ca.example.net; name=value", or ";" for no CA';

/**
 * Whether the value is an issue-value. A malformed value forbids every CA (RFC 8659 4.2). That is
 * rarely intended, and is noticed only when a certificate is not renewed.
 */
function isIssueValue(value: string): boolean {
  const [ca, ...parameters] = value.split(';');
  if (!CA.test(ca)) return false;
  if (parameters.length === 1 && BLANK.test(parameters[0])) return true;
  return parameters.every((parameter) => PARAMETER.test(parameter));
}

function read(input: WireReader): [tag: string, value: Uint8Array] {
  const tag = latin1(input.take(input.u8())).toLowerCase();
  if (!TAG.test(tag)) input.fail('the tag must consist of letters and digits');
  return [tag, input.rest()];
}

function findDoubt(rdata: Uint8Array): string | undefined {
  const [tag, value] = read(new WireReader(TYPE.CAA, rdata.subarray(1)));
  return ISSUE_TAGS.has(tag) && !isIssueValue(latin1(value)) ? `the value of ${tag} ${ISSUE_RULE}` : undefined;
}

const property: FieldKind = {
  parse(input, out) {
    // Knot and NSD read it in quotes, too.
    const given = input.field('tag').text;
    if (!TAG.test(given)) input.fail('tag', 'must be letters and digits such as issue, issuewild or iodef', given);
    // Tags match in any case; lower case is the canonical form (4.1, 4.1.1).
    const tag = given.toLowerCase();
    const value = unescapeText(input.field('value').text, 'value', input);
    out.u8(tag.length);
    out.bytes(Buffer.from(tag, 'latin1'));
    out.bytes(value);
  },
  format(input) {
    const [tag, value] = read(input);
    return `${tag} ${quote(value)}`;
  },
  take(input, into) {
    const [tag, value] = read(input);
    into.tag = tag;
    into.value = utf8(value);
  },
};

export const CAA_ROWS: readonly RdataRow[] = [
  { type: TYPE.CAA, example: '0 issue "ca.example.net"', fields: [u8('flags'), property], doubt: findDoubt },
];
