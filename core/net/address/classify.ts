/**
 * Whether an address may be connected to for a customer. The edge checks again at connect time,
 * since a name's addresses change (DNS rebinding).
 */
import { embeddedIPv4 } from './embedded.ts';
import { contains, formatAddress, type Prefix, parsePrefix } from './prefix.ts';
import { IPV4_RANGES, IPV6_RANGES, type SpecialRange } from './special.ts';

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
