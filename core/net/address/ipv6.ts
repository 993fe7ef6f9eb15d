/** IPv6 addresses in the format of the system, and the networks of clients. */
import { isIPv4 } from 'node:net';
import type { SlotOwner } from '../../base/fair-slots.ts';
import { formatIPv4, formatIPv6 } from '../../dns/wire/rdata/address.ts';
import type { Client } from './client.ts';

/** The 16 bytes of an IPv6 address in text (RFC 4291 2.2). The caller has validated the text. */
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
 * The network that counts as a single client: an IPv4 address (also IPv4-mapped), or an IPv6 /64,
 * which is normally assigned to one client (RFC 4291 2.5.1). For comparison only.
 */
export const clientNetwork = (address: string): string => prefixText(address, 8);

/**
 * The largest network that a provider may delegate to a client: an IPv6 /48 (RFC 6177 section 2).
 * Unlike a client network, several clients can share it. For comparison only.
 */
export const clientSite = (address: string): string => prefixText(address, 6);

/** `length`: bytes of an IPv6 prefix. An IPv4 address is not shortened. */
function prefixText(address: string, length: number): string {
  if (!address.includes(':')) return address;
  const bytes = ipv6Bytes(address.split('%')[0]);
  const isMapped = bytes.subarray(0, 10).every((byte) => byte === 0) && bytes[10] === 0xff && bytes[11] === 0xff;
  return isMapped ? formatIPv4(bytes.subarray(12)) : Buffer.from(bytes.subarray(0, length)).toString('hex');
}

/**
 * Stores an address in the system's text format (IPv4, or IPv6 with or without a zone) in `client`.
 */
export function setClientAddress(client: Client, address: string, port: number): void {
  const bytes = isIPv4(address) ? Uint8Array.from(address.split('.').map(Number)) : ipv6Bytes(address.split('%')[0]);
  client.setAddress(bytes, 0, bytes.length);
  client.port = port;
}

/** The address of `client` as text (RFC 5952). */
export function addressText({ address, length }: Client): string {
  return length === 4 ? formatIPv4(address) : formatIPv6(address);
}

/**
 * The slot owner of a client without an account (core/base/fair-slots.ts). The site replaces the
 * account. A client with an IPv6 /48 has 65,536 networks, but gets a single share.
 */
export const strangerAt = (address: string): SlotOwner => ({
  account: `site ${clientSite(address)}`,
  network: clientNetwork(address),
});
