/**
 * Whether an address may be connected to for a customer. The edge checks again at connect time,
 * since a name's addresses change (DNS rebinding).
 */
import { contains, formatAddress, type Prefix, parsePrefix } from './prefix.ts';
import { IPV4_RANGES, IPV6_RANGES, type SpecialRange } from './special.ts';

const last = (bytes: Uint8Array): Uint8Array => bytes.slice(12, 16);

const FORMS: readonly Form[] = [
  { prefix: parsePrefix('::ffff:0:0/96'), form: 'IPv4-mapped', source: 'RFC 4291 2.5.5.2', take: last },
  { prefix: parsePrefix('::ffff:0:0:0/96'), form: 'IPv4-translated', source: 'RFC 2765 2.1', take: last },
  { prefix: parsePrefix('::/96'), form: 'IPv4-compatible', source: 'RFC 4291 2.5.5.1', take: last },
  { prefix: parsePrefix('64:ff9b::/96'), form: 'NAT64', source: 'RFC 6052 2.1', take: last },
  { prefix: parsePrefix('64:ff9b:1::/48'), form: 'local-use NAT64', source: 'RFC 8215', take: local },
  { prefix: parsePrefix('2002::/16'), form: '6to4', source: 'RFC 3056 2', take: (bytes) => bytes.slice(2, 6) },
  // The client's address has every bit inverted.
  {
    prefix: parsePrefix('2001::/32'),
    form: 'Teredo',
    source: 'RFC 4380 4',
    take: (bytes) => last(bytes).map((byte) => byte ^ 0xff),
  },
];

export type Verdict =
  | { readonly public: true }
  | {
      readonly public: false;
      /**
       * Continues a sentence after the address: `is in 10.0.0.0/8, "Private-Use" (RFC 1918)`. No
       * full stop.
       */
      readonly reason: string;
      /** The range that decided, such as `10.0.0.0/8`. */
      readonly range: string;
      /** The range's name in the registry, such as `Private-Use`. */
      readonly name: string;
    };

/** Operator's exemptions: `true` for every address. */
export type Exemptions = true | readonly Prefix[];

export const NO_EXEMPTIONS: Exemptions = [];

const PUBLIC: Verdict = { public: true };

const mostSpecificFirst = (ranges: readonly SpecialRange[]): readonly SpecialRange[] =>
  ranges.toSorted((a, b) => b.prefix.bits - a.prefix.bits);
const IPV4 = mostSpecificFirst(IPV4_RANGES);
const IPV6 = mostSpecificFirst(IPV6_RANGES);

/** `10.0.0.0/8, "Private-Use" (RFC 1918)`. */
const describe = ({ prefix, name, source, note }: SpecialRange): string =>
  `${prefix.text}, "${name}" (${source})${note === undefined ? '' : `: ${note}`}`;

/** The most specific row that an address of 4 or 16 bytes is in. The tables cover everything. */
function rangeOf(bytes: Uint8Array): SpecialRange {
  const row = (bytes.length === 4 ? IPV4 : IPV6).find(({ prefix }) => contains(prefix, bytes));
  if (row === undefined) throw new RangeError(`An address has 4 or 16 bytes, not ${bytes.length}.`);
  return row;
}

/**
 * 4 or 16 bytes. Public: IPv4 unicast and IPv6 inside 2000::/3, less the special-purpose ranges.
 * IPv6 addresses that carry an IPv4 address are refused: no origin needs them. Throws RangeError
 * for another length.
 */
export function classifyAddress(bytes: Uint8Array): Verdict {
  const row = rangeOf(bytes);
  const embedded = embeddedIPv4(bytes);
  if (embedded !== undefined) {
    const inner = rangeOf(embedded.ipv4);
    const means = inner.public ? 'use the IPv4 address instead' : `which is in ${describe(inner)}`;
    const reason = `is the ${embedded.form} form (${embedded.range}, ${embedded.source}) of ${formatAddress(embedded.ipv4)}, ${means}`;
    return { public: false, reason, range: embedded.range, name: row.public ? embedded.form : row.name };
  }
  if (row.public) return PUBLIC;
  return { public: false, reason: `is in ${describe(row)}`, range: row.prefix.text, name: row.name };
}

/**
 * As classifyAddress, but an exempted address counts as public. Checks origins when they are
 * configured and when they are connected to.
 */
export function mayConnect(bytes: Uint8Array, exemptions: Exemptions = NO_EXEMPTIONS): Verdict {
  return isExempt(bytes, exemptions) ? PUBLIC : classifyAddress(bytes);
}

/** An IPv4 prefix does not exempt the IPv6 forms that carry its addresses. */
export function isExempt(bytes: Uint8Array, exemptions: Exemptions): boolean {
  return exemptions === true || exemptions.some((prefix) => contains(prefix, bytes));
}

/** From the configuration: `true`, or prefixes as text. Throws InvalidError `invalid_prefix`. */
export function parseExemptions(value: boolean | readonly string[]): Exemptions {
  if (typeof value === 'boolean') return value || NO_EXEMPTIONS;
  return value.map((text) => parsePrefix(text));
}

interface Embedded {
  /** The name of the form, such as `IPv4-mapped`. */
  readonly form: string;
  readonly source: string;
  /** The range of the form, or the pattern of its interface identifier. */
  readonly range: string;
  /** The 4 bytes carried. */
  readonly ipv4: Uint8Array;
}

interface Form {
  readonly prefix: Prefix;
  readonly form: string;
  readonly source: string;
  readonly take: (bytes: Uint8Array) => Uint8Array;
}

/**
 * RFC 6052 2.2 puts the address of a /48 around the zero byte 8 and leaves the rest zero; with a
 * /96 inside the /48 the address is in the last four bytes. Only the zero bytes show which form an
 * operator chose.
 */
function local(bytes: Uint8Array): Uint8Array {
  const tail = bytes.subarray(11, 16);
  const is48 = bytes[8] === 0 && tail.every((byte) => byte === 0);
  return is48 ? Uint8Array.of(bytes[6], bytes[7], bytes[9], bytes[10]) : last(bytes);
}

/**
 * IPv6 addresses that carry an IPv4 address. A translator, a tunnel or the socket delivers the
 * packet to the IPv4 address. A check of the outer address alone would be bypassed.
 *
 * The IPv4 address that an IPv6 address of 16 bytes carries; undefined: none. `::` and `::1` carry
 * none.
 */
function embeddedIPv4(bytes: Uint8Array): Embedded | undefined {
  if (bytes.length !== 16) return undefined;
  if (bytes.subarray(0, 15).every((byte) => byte === 0) && bytes[15] < 2) return undefined;
  for (const { prefix, form, source, take } of FORMS)
    if (contains(prefix, bytes)) return { form, source, range: prefix.text, ipv4: take(bytes) };
  // Under any prefix, recognised by the interface identifier [02]00:5efe:a.b.c.d. The universal bit
  // may be set.
  if ((bytes[8] & 0xfd) === 0 && bytes[9] === 0 && bytes[10] === 0x5e && bytes[11] === 0xfe)
    return {
      form: 'ISATAP',
      source: 'RFC 5214 6.1',
      range: 'interface identifier 0:5efe:a.b.c.d',
      ipv4: last(bytes),
    };
  return undefined;
}

export interface ConnectRule {
  /** Addresses that are permitted although they are not public, or are this node's own. */
  readonly exemptions: Exemptions;
  /** This node's own addresses, of 4 or 16 bytes. */
  readonly own: readonly Uint8Array[];
}

export interface PermittedAddresses {
  /** In input order. */
  readonly permitted: Uint8Array[];
  /** `10.0.0.1 is in 10.0.0.0/8, "Private-Use" (RFC 1918)`, for each refused address. */
  readonly refusals: string[];
}

export const PUBLIC_ONLY: ConnectRule = { exemptions: NO_EXEMPTIONS, own: [] };

/** Selects the addresses of a name that may be connected to, at connect time. */
export function permittedAddresses(addresses: readonly Uint8Array[], rule: ConnectRule): PermittedAddresses {
  const permitted: Uint8Array[] = [];
  const refusals: string[] = [];
  for (const address of addresses) {
    const refusal = refusalOf(address, rule);
    if (refusal === undefined) permitted.push(address);
    else refusals.push(`${formatAddress(address)} ${refusal}`);
  }
  return { permitted, refusals };
}

function refusalOf(address: Uint8Array, { exemptions, own }: ConnectRule): string | undefined {
  if (isExempt(address, exemptions)) return undefined;
  if (own.some((other) => Buffer.compare(other, address) === 0)) return 'is an address of this edge';
  const verdict = mayConnect(address);
  return verdict.public ? undefined : verdict.reason;
}
