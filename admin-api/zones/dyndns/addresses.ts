/** The addresses of an update: those of the parameters, or that of the client. */
import { isIP } from 'node:net';
import { parseRdata } from '../../../core/dns/wire/rdata/index.ts';
import { TYPE } from '../../../core/dns/wire/types.ts';

/** Maximum addresses of a request. */
const MAX_ADDRESSES = 16;
/** A prefix without a length is that of one network (RFC 4291 2.5.1). */
const NETWORK_BITS = 64;
const ADDRESS_BITS = 128;

interface Prefix {
  /** An address in it. */
  readonly address: Uint8Array;
  /** In bits. */
  readonly length: number;
}

export interface Addresses {
  /** Rdata of A records. */
  readonly ipv4: readonly Uint8Array[];
  /** Rdata of AAAA records. */
  readonly ipv6: readonly Uint8Array[];
  /** The new network of hosts that keep the rest of their addresses. */
  readonly prefix: Prefix | null;
}

/** Lists of addresses, separated by commas. Routers send empty values for what they do not have. */
const PARAMETERS = ['myip', 'myipv4', 'myipv6', 'ip6lanprefix'];

/** Null: a value is not an address. `client`: the address of the client, in text. */
export function readAddresses(parameters: URLSearchParams, client: string): Addresses | null {
  const ipv4: Uint8Array[] = [];
  const ipv6: Uint8Array[] = [];
  let prefix: Prefix | null = null;
  let count = 0;
  const add = (text: string): boolean => {
    // A zone id is not part of an address that others can use.
    const family = text.includes('%') ? 0 : isIP(text);
    if (family === 0 || ++count > MAX_ADDRESSES) return false;
    if (family === 4) ipv4.push(parseRdata(TYPE.A, text));
    else ipv6.push(parseRdata(TYPE.AAAA, text));
    return true;
  };
  for (const name of PARAMETERS)
    for (const part of (parameters.get(name) ?? '').split(',')) {
      const text = withoutMapping(part.trim());
      if (text === '') continue;
      if (name !== 'ip6lanprefix' && !text.includes('/')) {
        if (!add(text)) return null;
        continue;
      }
      prefix = readPrefix(text);
      if (prefix === null) return null;
    }
  if (ipv4.length + ipv6.length === 0 && prefix === null && !add(withoutMapping(client))) return null;
  return { ipv4, ipv6, prefix };
}

/** An IPv4-mapped address (RFC 4291 section 2.5.5.2) is the IPv4 address. */
const withoutMapping = (text: string): string => text.replace(/^::ffff:(?=[\d.]+$)/i, '');

function readPrefix(text: string): Prefix | null {
  const [, address, bits = String(NETWORK_BITS)] = /^([^/%]+)(?:\/(\d{1,3}))?$/.exec(text) ?? [];
  const length = Number(bits);
  if (address === undefined || isIP(address) !== 6 || length < 1 || length >= ADDRESS_BITS) return null;
  return { address: parseRdata(TYPE.AAAA, address), length };
}

/**
 * The AAAA records that a host should have; null: as they are. `isFirst`: the host is the first of
 * the request, which is the router if there are an address and a prefix.
 */
export function wantedIPv6(
  { ipv6, prefix }: Addresses,
  isFirst: boolean,
  present: readonly Uint8Array[],
): readonly Uint8Array[] | null {
  if (prefix === null || (isFirst && ipv6.length > 0)) return ipv6.length > 0 ? ipv6 : null;
  if (!present.some(isGlobal)) return null;
  const moved = present.map((address) => (isGlobal(address) ? withPrefix(prefix, address) : address));
  return [...new Map(moved.map((address) => [Buffer.from(address).toString('latin1'), address])).values()];
}

/** Global unicast (RFC 4291 2.4): local addresses do not follow the provider's prefix. */
const isGlobal = (address: Uint8Array): boolean => (address[0] & 0xe0) === 0x20;

function withPrefix({ address, length }: Prefix, host: Uint8Array): Uint8Array {
  return host.map((byte, i) => {
    const bits = Math.min(8, Math.max(0, length - 8 * i));
    const mask = (0xff << (8 - bits)) & 0xff;
    return (address[i] & mask) | (byte & ~mask);
  });
}
