/** Host names of origins (RFC 952, RFC 1123 2.1). */
import { domainToASCII, domainToUnicode } from 'node:url';
import { type Exemptions, NO_EXEMPTIONS } from './classify.ts';
import { invalidOrigin, privateOrigin, quote } from './refuse.ts';
import { specialName } from './special-names.ts';

/**
 * Underscores, which no host name should have, since there are origins with them that everybody
 * reaches.
 */
const LABEL = /^[a-z0-9_]([a-z0-9_-]*[a-z0-9_])?$/;
const LONGEST_LABEL = 63;
const NOT_ASCII = /[^\0-\x7f]/;
/** 255 bytes of wire form, less the first length and the root (RFC 1035 3.1). */
const LONGEST_NAME = 253;
/** WHATWG URL, "ends in a number checker": such a host is an address or an error, never a name. */
const NUMBER = /^([0-9]+|0x[0-9a-f]*)$/;

/**
 * `host` is ASCII, `text` what was written, for messages. Gives lower case without the last dot.
 * Throws InvalidError `invalid_origin` and `private_origin`.
 */
export function readHostName(host: string, text: string, exemptions: Exemptions = NO_EXEMPTIONS): string {
  const name = host.toLowerCase().replace(/\.$/, '');
  const labels = name.split('.');
  if (labels.includes('')) invalidOrigin(text, 'has an empty label (two dots together, or one in front)');
  if (labels.some((label) => label.length > LONGEST_LABEL))
    invalidOrigin(text, 'has a label of more than 63 characters');
  if (name.length > LONGEST_NAME) invalidOrigin(text, 'is longer than 253 characters');
  const bad = labels.find((label) => !LABEL.test(label) || !isALabel(label));
  if (bad !== undefined)
    invalidOrigin(
      text,
      `is not a host name: the label ${quote(bad)} must consist of letters, digits and inner hyphens`,
    );
  if (NUMBER.test(labels[labels.length - 1]))
    invalidOrigin(text, 'ends in a number, but is not an address; write IPv4 as four numbers from 0 to 255');
  refuseSpecial(name, labels.length, text, exemptions);
  return name;
}

/**
 * True also for what does not claim to be one. domainToASCII of Node 24 does not check A-labels, so
 * the label is decoded and encoded again.
 */
function isALabel(label: string): boolean {
  if (!label.startsWith('xn--')) return true;
  const unicode = domainToUnicode(`${label}.a`);
  return NOT_ASCII.test(unicode) && domainToASCII(unicode) === `${label}.a`;
}

function refuseSpecial(name: string, labels: number, text: string, exemptions: Exemptions): void {
  const rig = exemptions === true || exemptions.length > 0;
  const special = specialName(name);
  if (special !== undefined && !(rig && special.rig))
    privateOrigin(quote(text), `is under "${special.suffix}", which is ${special.use} (${special.source})`);
  if (labels === 1 && !rig)
    privateOrigin(quote(text), 'is a single label, which only a local network resolves; use the full name');
}
