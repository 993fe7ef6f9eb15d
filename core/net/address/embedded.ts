/**
 * IPv6 addresses that carry an IPv4 address. A translator, a tunnel or the socket delivers the
 * packet to the IPv4 address. A check of the outer address alone would be bypassed.
 */
import { contains, type Prefix, parsePrefix } from './prefix.ts';

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

const last = (bytes: Uint8Array): Uint8Array => bytes.slice(12, 16);

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

/**
 * The IPv4 address that an IPv6 address of 16 bytes carries; undefined: none. `::` and `::1` carry
 * none.
 */
export function embeddedIPv4(bytes: Uint8Array): Embedded | undefined {
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
