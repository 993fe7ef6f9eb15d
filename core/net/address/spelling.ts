/**
 * Parses the host of an origin, as a customer entered it. Accepted addresses are dotted decimal, or
 * IPv6 in hexadecimal. Other spellings that a resolver might read as an address are parsed too:
 * they are refused, and the error names the address.
 */
import { domainToASCII, domainToUnicode } from 'node:url';
import { toAscii } from '../../dns/wire/name.ts';
import { type Exemptions, mayConnect, NO_EXEMPTIONS } from './classify.ts';
import { formatAddress, parseAddress } from './prefix.ts';
import { invalidOrigin, privateOrigin, quote } from './refuse.ts';
import { specialName } from './special.ts';

/**
 * A host name has 253 characters at most; its Unicode or escaped form may have a few times as many.
 */
const LONGEST = 1_000;

/** Controls, blanks of any script, unpaired surrogates, and code points that are not assigned. */
const UNPRINTABLE = /[\p{Cc}\p{Z}\p{Cs}\p{Cn}]/u;

/** UTS 46 drops these ("ignored"), and the two joiners in its transitional form. */
const IGNORED = /[\u00ad\u200b-\u200d\u2060\u2064\ufeff]|\u034f|\p{Variation_Selector}/gu;

const ESCAPE = /%/;

/**
 * Digits of any script in the last label. NFKC keeps digits of other scripts, and some number
 * parsers accept them.
 */
const ENDS_IN_DIGITS = /(^|[.\u3002\uff0e\uff61])\p{Nd}+[.\u3002\uff0e\uff61]?$/u;

/** RFC 4007 11: the text after the percent sign of an IPv6 address is a zone. */
const ZONE = /^\[?[0-9a-f.]*:[0-9a-f:.]*%/i;

/** Allows underscores. Host names should not have them, but existing origins do. */
const LABEL = /^[a-z0-9_]([a-z0-9_-]*[a-z0-9_])?$/;

const LONGEST_LABEL = 63;

const NOT_ASCII = /[^\0-\x7f]/;

/** 255 bytes of wire form, less the first length and the root (RFC 1035 3.1). */
const LONGEST_NAME = 253;

/** WHATWG URL, "ends in a number checker": such a host is an address or an error, never a name. */
const NUMBER = /^([0-9]+|0x[0-9a-f]*)$/;

const PART = /^(0x[0-9a-f]*|[0-9]+)$/i;

export type Host =
  | {
      readonly kind: 'address';
      /** 4 or 16. */
      readonly bytes: Uint8Array;
      /** Dotted decimal, or RFC 5952 without brackets. */
      readonly canonical: string;
    }
  | {
      readonly kind: 'name';
      /** A-labels in lower case, without the last dot. */
      readonly name: string;
    };

/**
 * Address or host name. `mayConnect` decides whether an address is permitted; only addresses in
 * other spellings are classified here. `exemptions`: the operator's; if there are any, names of
 * local use are accepted.
 *
 * Throws InvalidError with the pointer `/origin`: `invalid_origin` for text that is not a host
 * (URL, port, blanks, bad labels) or a public address in another spelling, `private_origin` for a
 * name of special use (RFC 6761), a single label, or another spelling of an address that is not
 * public.
 */
export function readHost(text: string, exemptions: Exemptions = NO_EXEMPTIONS): Host {
  const plain = readPlain(text);
  if (plain !== undefined) return { kind: 'address', bytes: plain, canonical: formatAddress(plain) };
  const folded = fold(text);
  refuseParts(folded.text, text);
  const inner = folded.text.replace(/[[\]]/g, '');
  const readings = inner.includes(':') ? readOddIPv6(inner, text) : readOddIPv4(inner);
  if (readings.length > 0) refuseSpelling(text, readings, exemptions);
  const name = readHostName(folded.text, text, exemptions);
  if (folded.escaped) invalidOrigin(text, `has percent escapes; write it plainly, as ${quote(name)}`);
  return { kind: 'name', name };
}

/** The accepted spellings: dotted decimal, IPv6 in pure hexadecimal with or without brackets. */
function readPlain(text: string): Uint8Array | undefined {
  const bracketed = text.startsWith('[') && text.endsWith(']');
  const inner = bracketed ? text.slice(1, -1) : text;
  const v6 = inner.includes(':');
  return (bracketed && !v6) || (v6 && inner.includes('.')) ? undefined : parseAddress(inner);
}

/** Parts of a URL around the host. */
function refuseParts(host: string, text: string): void {
  const alone = 'use the host only';
  if (/^[^/\\]*:[/\\]{2}|^[/\\]{2}/.test(host))
    invalidOrigin(text, `is a URL; ${alone}, and set "protocol" and "port"`);
  if (host.includes('@')) invalidOrigin(text, `has credentials ("@"); ${alone}`);
  if (/[/\\]/.test(host)) invalidOrigin(text, `has a path or a prefix length; ${alone}`);
  if (/[?#]/.test(host)) invalidOrigin(text, `has a query or a fragment; ${alone}`);
  if (/^(\[.*\]|[^:]+):[^:]*$/.test(host))
    invalidOrigin(text, `has a port or a scheme; ${alone}, and set "port" and "protocol"`);
}

/**
 * Zone ids, embedded dotted decimal (in any spelling), unbalanced brackets, a last dot. Names have
 * no colon, so it throws if the text is not an address.
 */
function readOddIPv6(host: string, text: string): Uint8Array[] {
  const [address] = host.split('%');
  const colon = address.lastIndexOf(':') + 1;
  const tail = address.slice(colon).replace(/\.$/, '');
  const ipv4 = tail.includes('.') ? readInetAton(tail) : undefined;
  const bytes = parseAddress(address.slice(0, colon) + (ipv4 === undefined ? tail : formatAddress(ipv4)));
  return [bytes ?? invalidOrigin(text, 'is not an IPv6 address')];
}

/**
 * The addresses that inet_aton reads, and that parsers read which treat leading zeros as decimal.
 */
function readOddIPv4(host: string): Uint8Array[] {
  const undotted = host.replace(/\.$/, '');
  const readings = [readInetAton(undotted), readDecimalParts(undotted)].filter((bytes) => bytes !== undefined);
  return readings.filter((bytes, i) => i === 0 || formatAddress(bytes) !== formatAddress(readings[0]));
}

function refuseSpelling(text: string, readings: readonly Uint8Array[], exemptions: Exemptions): never {
  const meant = readings.map(formatAddress);
  const means = `is another spelling of ${meant.join(' or ')}`;
  for (const [i, bytes] of readings.entries()) {
    const verdict = mayConnect(bytes, exemptions);
    if (verdict.public) continue;
    // `::ffff:127.0.0.1` is how RFC 5952 itself writes a mapped address.
    if (meant[i] === text.toLowerCase()) privateOrigin(quote(text), verdict.reason);
    privateOrigin(quote(text), `${means}: ${meant[i]} ${verdict.reason}`);
  }
  return invalidOrigin(text, `${means}; use that form of the address`);
}

/**
 * A part's value, however large. `octal`: whether a leading 0 means octal; parsers disagree.
 * Undefined if the part is not a number.
 */
function partValue(part: string, octal: boolean): number | undefined {
  if (!PART.test(part)) return undefined;
  // "0x" alone is 0 to WHATWG. A part with an 8 or 9 cannot be octal: parsers that accept it read
  // it as decimal.
  if (/^0x/i.test(part)) return part.length === 2 ? 0 : Number.parseInt(part.slice(2), 16);
  return Number.parseInt(part, octal && /^0[0-7]*$/.test(part) ? 8 : 10);
}

function read(text: string, octal: boolean): Uint8Array | undefined {
  const parts = text.split('.');
  if (parts.length > 4) return undefined;
  const values = parts.map((part) => partValue(part, octal));
  const tail = values.pop();
  const bytes = new Uint8Array(4);
  for (const [i, value] of values.entries()) {
    if (value === undefined || value > 255) return undefined;
    bytes[i] = value;
  }
  if (tail === undefined || tail >= 2 ** (8 * (4 - values.length))) return undefined;
  for (let i = 3, rest = tail; i >= values.length; i--, rest = Math.floor(rest / 256)) bytes[i] = rest & 255;
  return bytes;
}

/**
 * IPv4 addresses as inet_aton and the parsers that follow it read them: one to four parts, each
 * decimal, octal (leading 0) or hexadecimal (leading 0x), the last one filling the bytes that are
 * left. WHATWG's URL standard ("IPv4 parser") reads the same.
 *
 * The address that inet_aton reads; undefined: it rejects the text.
 */
export function readInetAton(text: string): Uint8Array | undefined {
  return read(text, true);
}

/** The same, with leading zeros read as decimal, as some parsers do. */
function readDecimalParts(text: string): Uint8Array | undefined {
  return read(text, false);
}

/**
 * Host names of origins (RFC 952, RFC 1123 2.1).
 *
 * `host` is ASCII. `text` is the original text, for messages. Returns lower case without the last
 * dot. Throws InvalidError `invalid_origin` and `private_origin`.
 */
function readHostName(host: string, text: string, exemptions: Exemptions = NO_EXEMPTIONS): string {
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
 * True also for labels that do not have the A-label prefix. domainToASCII of Node 24 does not check
 * A-labels, so the label is decoded and encoded again.
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

interface Folded {
  /** ASCII, in its original case. */
  readonly text: string;
  /** The text had percent escapes. */
  readonly escaped: boolean;
}

/**
 * Normalises text as resolvers, browsers and libraries may do before they parse an address.
 *
 * Decodes escapes once, folds compatibility forms (full-width digits and dots …), and converts
 * remaining Unicode to A-labels. Throws InvalidError `invalid_origin`.
 */
function fold(text: string): Folded {
  if (text.length > LONGEST) invalidOrigin(text, `is longer than ${LONGEST} characters`);
  const once = compatible(text);
  const decoded = ESCAPE.test(once) && !ZONE.test(once) ? compatible(unescaped(once, text)) : once;
  if (decoded === '') invalidOrigin(text, 'is empty; give a public address or a host name');
  if (UNPRINTABLE.test(decoded))
    invalidOrigin(text, 'contains spaces, control characters or other characters that are not allowed in a host');
  if (NOT_ASCII.test(decoded) && ENDS_IN_DIGITS.test(decoded))
    invalidOrigin(text, 'ends in a number with non-ASCII digits; write addresses in ASCII digits');
  return { text: aLabels(decoded, text), escaped: decoded !== once };
}

/**
 * Applies NFKC, maps the dots of UTS 46 to full stops and removes the characters it ignores.
 * Returns the text unchanged if the result is not ASCII: joiners are significant in some scripts.
 */
function compatible(text: string): string {
  if (!NOT_ASCII.test(text)) return text;
  const folded = text.normalize('NFKC').replaceAll('\u3002', '.').replace(IGNORED, '');
  return NOT_ASCII.test(folded) ? text : folded;
}

function unescaped(text: string, original: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    return invalidOrigin(original, 'contains a percent sign that is not an escape');
  }
}

function aLabels(text: string, original: string): string {
  try {
    return toAscii(text, '/origin');
  } catch {
    return invalidOrigin(
      original,
      `is not a valid international domain name: a label of ${quote(text)} is not allowed`,
    );
  }
}
