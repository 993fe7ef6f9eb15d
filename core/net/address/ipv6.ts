/** IPv6 addresses as the system hands them out. */
import { isIPv4 } from 'node:net';
import { formatIPv4, formatIPv6 } from '../../dns/wire/rdata/address.ts';
import type { Client } from './client.ts';

/** The 16 bytes of an IPv6 address in text (RFC 4291 2.2). The text is known to be one. */
export function ipv6Bytes(text: string): Uint8Array {
  const groupsOf = (part: string): number[] =>
    part === ''
      ? []
      : part.split(':').flatMap((group) => {
          if (!isIPv4(group)) return [Number.parseInt(group, 16)];
          const [a, b, c, d] = group.split('.').map(Number);
          return [(a << 8) | b, (c << 8) | d];
        });
  const [head, tail] = text.split('::');
  const first = groupsOf(head);
  const last = tail === undefined ? [] : groupsOf(tail);
  const groups = [...first, ...new Array<number>(8 - first.length - last.length).fill(0), ...last];
  return Uint8Array.from(groups.flatMap((group) => [group >>> 8, group & 255]));
}

/**
 * What counts as one client: an IPv4 address, also an IPv4-mapped one, and of IPv6 the /64, since a
 * client that has one address of it has them all (RFC 4291 2.5.1). A text for comparing only.
 */
export const clientNetwork = (address: string): string => prefixText(address, 8);

/**
 * The network of a client with everything that its provider may have delegated to it: of IPv6 the
 * /48 (RFC 6177 section 2). Several clients can share it, which a client network rules out. A text
 * for comparing only.
 */
export const clientSite = (address: string): string => prefixText(address, 6);

/** `length`: bytes of an IPv6 prefix. An IPv4 address stays whole. */
function prefixText(address: string, length: number): string {
  if (!address.includes(':')) return address;
  const bytes = ipv6Bytes(address.split('%')[0]);
  const isMapped = bytes.subarray(0, 10).every((byte) => byte === 0) && bytes[10] === 0xff && bytes[11] === 0xff;
  return isMapped ? formatIPv4(bytes.subarray(12)) : Buffer.from(bytes.subarray(0, length)).toString('hex');
}

/** Puts an address as the system writes it, IPv4 or IPv6 with or without a zone, into `client`. */
export function setClientAddress(client: Client, address: string, port: number): void {
  const bytes = isIPv4(address) ? Uint8Array.from(address.split('.').map(Number)) : ipv6Bytes(address.split('%')[0]);
  client.setAddress(bytes, 0, bytes.length);
  client.port = port;
}

/** The address of `client` as text (RFC 5952). */
export function addressText({ address, length }: Client): string {
  return length === 4 ? formatIPv4(address) : formatIPv6(address);
}
