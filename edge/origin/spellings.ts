/**
 * Regular expressions for every plausible spelling of an origin's host name and addresses. Pure.
 *
 * Two stages keep the hot path cheap. `trigger` has no lookarounds and may match too much. Only a
 * value that it matches is compared with the exact expressions.
 */
import { isIP } from 'node:net';
import { domainToUnicode } from 'node:url';
import { parseAddress, unmapped } from '../../core/net/address/index.ts';
import { namesOf, type Origin } from './origin-address.ts';

interface Spellings {
  /** Matches every text with a spelling, and more texts than those. */
  readonly trigger: RegExp;
  /** Of each host name; none for an address. */
  readonly names: readonly NameSpellings[];
  /** Any address; null: no address. */
  readonly address: RegExp | null;
}

interface NameSpellings {
  readonly host: string;
  /** The host name as a whole, in Unicode too. */
  readonly name: RegExp;
  /** The host name as a whole, or as part of a longer name above or below it. */
  readonly relatedName: RegExp;
}

/** Percent-encoding. A URL in the query of a URL is encoded more than once. */
const PERCENT = '%(?:25)*';
export const COLON = `(?::|${PERCENT}3a)`;
/** Browsers read a backslash as a slash; JSON escapes a slash by a backslash. */
export const SLASHES = String.raw`(?:[/\\]|${PERCENT}(?:2f|5c)){2,4}`;
/**
 * User information of an authority (RFC 3986 section 3.2.1). Bounded: a long text is scanned once.
 */
export const USER = String.raw`(?:[^@/\\\s"'<>,;]{0,64}(?:@|${PERCENT}40))?`;

/** Not preceded by a character of this class, unless it ends a percent-encoded character. */
const begins = (inside: string): string => `(?:(?<!${inside})|(?<=${PERCENT}[0-9a-f]{2}))`;
const DIGIT_BEGIN = begins('[0-9]');
const DIGIT_END = '(?![0-9])';
const HEX_BEGIN = begins('[0-9a-f]');
const HEX_END = '(?![0-9a-f])';
const NUMBER_BEGIN = begins('[0-9a-z]');
const NUMBER_END = '(?![0-9a-z])';
const NAME_BEGIN = begins('[a-z0-9-]');
const LABEL_BEGIN = begins(String.raw`(?:[a-z0-9-]|[a-z0-9]\.)`);
const NAME_END = '(?![a-z0-9-])';
const LAST_LABEL_END = String.raw`(?:\.(?![a-z0-9_]))?(?![a-z0-9-]|\.[a-z0-9_])`;

const escaped = (text: string): string => text.replace(/[\\^$.*+?()[\]{}|/-]/g, String.raw`\$&`);
const anyOf = (parts: readonly string[]): string => `(?:${parts.join('|')})`;

interface Parts {
  /** Cheap expressions, one of which matches each spelling. */
  readonly triggers: readonly string[];
  readonly exact: readonly string[];
}

/** `hosts`: names, or addresses in text. `addresses`: of 4 or 16 bytes each. */
function spellingsOf(hosts: readonly string[], port: number, addresses: readonly Uint8Array[]): Spellings {
  const parts = addresses.map(addressParts);
  const names = hosts.filter((host) => isIP(host) === 0);
  const triggers = [...names.flatMap(formsOf).map(escaped), ...parts.flatMap((part) => part.triggers), ENCODED];
  return {
    trigger: new RegExp(triggers.join('|'), 'i'),
    names: names.map((host) => nameSpellings(host, port)),
    address: parts.length === 0 ? null : new RegExp(anyOf(parts.flatMap((part) => part.exact)), 'gi'),
  };
}

function nameSpellings(host: string, port: number): NameSpellings {
  const forms = formsOf(host);
  const isLabel = !host.includes('.');
  const name = anyOf(
    forms.map((form) => (isLabel ? labelParts(form, port) : LABEL_BEGIN + escaped(form) + LAST_LABEL_END)),
  );
  const related = anyOf(forms.map((form) => NAME_BEGIN + escaped(form) + NAME_END));
  return { host, name: new RegExp(name, 'gi'), relatedName: new RegExp(isLabel ? name : related, 'i') };
}

/** Any character may be percent-encoded: then the value is compared after decoding. */
const ENCODED = '%[0-9a-f][0-9a-f]';

/** An internationalised name is also sent as UTF-8, which field values show as Latin-1. */
function formsOf(host: string): string[] {
  const unicode = domainToUnicode(host);
  if (unicode === host || unicode === '') return [host];
  return [host, Buffer.from(unicode).toString('latin1'), encodeURI(unicode)];
}

/**
 * A single label (`localhost`) is also a word, so it counts only in an authority or with the port.
 */
const labelParts = (label: string, port: number): string =>
  anyOf([
    `(?<=${SLASHES}${USER})${escaped(label)}${LAST_LABEL_END}`,
    `${LABEL_BEGIN}${escaped(label)}(?=${COLON}${port}${DIGIT_END})`,
  ]);

const addressParts = (bytes: Uint8Array): Parts => (bytes.length === 4 ? ipv4Parts(bytes) : ipv6Parts(bytes));

// IPv4.

/** Dots, and their substitutes in names made from addresses: `ip-192-0-2-1`. */
const SEPARATOR = '[-._]';
/** How IPv6 embeds IPv4: mapped, compatible, NAT64 and 6to4. */
const EMBEDDING = `(?:(?:::|(?:0{1,4}:){5,6}|64:ff9b::|2002:)(?:ffff:(?:0:)?)?)?`;

function ipv4Parts(bytes: Uint8Array): Parts {
  const data = [...bytes];
  const dotted = dottedSpelling(data);
  const reversed = dottedSpelling([...data].reverse());
  const view = new DataView(bytes.buffer, bytes.byteOffset, 4);
  const groups = [view.getUint16(0), view.getUint16(2)].map(groupSpelling);
  const whole = view.getUint32(0);
  // F5 BIG-IP writes the address into its cookie as a little-endian number.
  const numbers = [`${whole}`, `${view.getUint32(0, true)}`];
  const hex = Buffer.from(bytes).toString('hex');
  const embedded = groups.join(COLON);
  return {
    triggers: [...numbers, hex, dotted, reversed, groups.join(':'), INET_ATON],
    exact: [
      DIGIT_BEGIN + EMBEDDING + dotted + DIGIT_END,
      DIGIT_BEGIN + reversed + DIGIT_END,
      HEX_BEGIN + EMBEDDING + embedded + HEX_END,
      ...numbers.map((number) => NUMBER_BEGIN + number + NUMBER_END),
      `${HEX_BEGIN}(?:0{20}ffff)?${hex}${HEX_END}`,
      `${NUMBER_BEGIN}0x${hex}${NUMBER_END}`,
      `(?=[0-9])(?<=${SLASHES}${USER})${inetAton(data)}(?![0-9a-z]|\\.[0-9])`,
    ],
  };
}

const dottedSpelling = (data: readonly number[]): string => data.map((number) => `0{0,2}${number}`).join(SEPARATOR);

/** A number of a URL's IPv4 address (WHATWG URL section 3.5), after a slash or user information. */
const INET_ATON = String.raw`(?:[/\\]{2}|@)(?:0[x0-7]|[0-9]+(?:\.[0-9]+){0,2}(?:[^0-9a-z.]|$))`;

/**
 * One to four numbers, each decimal, hexadecimal or octal. The last contains all remaining bytes.
 */
function inetAton([a, b, c, d]: readonly number[]): string {
  const last = (...data: number[]): number => data.reduce((sum, byte) => sum * 256 + byte, 0);
  return anyOf(
    [[a, b, c, d], [a, b, last(c, d)], [a, last(b, c, d)], [last(a, b, c, d)]].map((numbers) =>
      numbers.map((number) => `(?:${number}|0x0*${number.toString(16)}|0+${number.toString(8)})`).join(String.raw`\.`),
    ),
  );
}

// IPv6.

const groupSpelling = (group: number): string => `0{0,3}${group.toString(16)}`;

function ipv6Parts(bytes: Uint8Array): Parts {
  const hex = Buffer.from(bytes).toString('hex');
  const groups = Array.from({ length: 8 }, (_, i) => (bytes[2 * i] << 8) | bytes[2 * i + 1]);
  const nibbles = [...hex].reverse().join(String.raw`\.`);
  // Names are made from addresses with hyphens. `--1` is no address, so a first group must be
  // there.
  const separator = groups[0] === 0 ? COLON : `(?:[-:]|${PERCENT}3a)`;
  const first = groups[0] === 0 ? '(?:^|[^0-9a-f])0{0,4}:' : `${groups[0].toString(16)}[-:]`;
  const begin = groups[0] === 0 ? begins('[0-9a-f:]') : HEX_BEGIN;
  const texts = groups.map((number) => (number === 0 ? ZERO : groupSpelling(number)));
  const dotted = [...bytes.subarray(12)].join(String.raw`\.`);
  return {
    triggers: [first, hex, nibbles],
    exact: [
      begin + joinedGroups([...texts.slice(0, 6), dotted], separator) + DIGIT_END,
      begin + joinedGroups(texts, separator) + HEX_END,
      HEX_BEGIN + hex + HEX_END,
      HEX_BEGIN + nibbles + HEX_END,
    ],
  };
}

const ZERO = '0{1,4}';

/**
 * Groups with separators. A run of zeros is written out, or partly omitted (RFC 4291 section 2.2).
 */
function joinedGroups(groups: readonly string[], separator: string): string {
  let pattern = '';
  for (let i = 0; i < groups.length; ) {
    if (groups[i] !== ZERO) {
      pattern += groups[i++] + (i < groups.length ? separator : '');
      continue;
    }
    const from = i;
    while (i < groups.length && groups[i] === ZERO) i++;
    pattern += zeroRun(i - from, separator, from === 0, i === groups.length);
  }
  return pattern;
}

/** `isFirst`: no separator comes before; `isLast`: no group comes after. */
function zeroRun(count: number, separator: string, isFirst: boolean, isLast: boolean): string {
  const some = (from: number, to: number): string => `(?:${ZERO}${separator}){${from},${to}}`;
  const whole = isLast ? some(count - 1, count - 1) + ZERO : some(count, count);
  const begin = isFirst ? `(?:${separator}|${some(1, count)})` : some(0, count - 1);
  const end = isLast ? `(?:${some(0, count - 1)}${ZERO})?` : some(0, count - 1);
  return `(?:${whole}|${begin}${separator}${end})`;
}

/** Names and addresses of an origin, which visitors must not see. */
export class OriginPlace {
  readonly origin: Origin;
  /** Addresses in text. */
  readonly addresses: readonly string[];
  /** The host is first; it may be an address. */
  readonly names: readonly string[];
  /**
   * Matches every text that contains the host name or an address, and other texts. Null before its
   * first use.
   */
  #trigger: RegExp | null = null;
  #spellings: Spellings | null = null;

  /** `addresses`: addresses of connections, in addition to those of the origin's configuration. */
  constructor(origin: Origin, addresses: readonly string[] = []) {
    this.origin = origin;
    this.names = namesOf(origin);
    this.addresses = origin.addresses === undefined ? addresses : [...new Set([...origin.addresses, ...addresses])];
  }

  /**
   * Whether a text may contain the host name or an address. False is exact. One scan, no
   * allocation.
   */
  mayBeIn(text: string): boolean {
    this.#trigger ??= this.spellings.trigger;
    return this.#trigger.test(text);
  }

  get spellings(): Spellings {
    this.#spellings ??= spellingsOf(this.names, this.origin.port, this.#literals());
    return this.#spellings;
  }

  /** 4 or 16 bytes each, without repetitions. */
  #literals(): Uint8Array[] {
    const literals = [...this.names, ...this.addresses].flatMap((text) => parseAddress(text) ?? []);
    const plain = literals.map((bytes) => unmapped({ bytes, bits: bytes.length * 8 }).bytes);
    return [...new Map(plain.map((bytes) => [bytes.join('.'), bytes])).values()];
  }
}
