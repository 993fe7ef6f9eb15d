/**
 * The address of a visitor behind proxies, from X-Forwarded-For or Forwarded (RFC 7239). Each proxy
 * appends the address of its peer, so an entry is as trustworthy as the proxy at its right. The
 * list is read from the right, past trusted addresses, to the first untrusted address. Entries to
 * the left of that are the visitor's own claim.
 */

import { RecentMap } from '../../base/recent-map.ts';
import { contains, formatAddress, parseAddress, parsePrefix, unmapped } from './prefix.ts';

/** Cached results, because visitors return. */
const MAX_CACHED = 4096;

/**
 * The addresses that trusted proxies have appended, visitor first, in canonical form; empty if they
 * state none. `lines`: the field's values in the order of their lines, which are one list (RFC 9110
 * 5.3). `trusts(peer)` must hold.
 *
 * A member that is not an address ends the list. The trusted proxy that wrote it then counts as the
 * visitor.
 */
export function statedAddresses(lines: readonly string[], trusts: (address: string) => boolean): string[] {
  const stated: string[] = [];
  for (let i = lines.length - 1; i >= 0; i--) {
    const line = lines[i];
    for (let end = line.length; end >= 0; ) {
      const comma = end === 0 ? -1 : line.lastIndexOf(',', end - 1);
      const member = line.slice(comma + 1, end).trim();
      end = comma;
      // Empty members are ignored (RFC 9110 5.6.1.2).
      if (member === '') continue;
      const address = readNode(member);
      if (address === undefined) return stated;
      stated.unshift(address);
      if (!trusts(address)) return stated;
    }
  }
  return stated;
}

/** What trusted proxies state in Forwarded (RFC 7239 section 4). */
export interface ForwardedStatement {
  /** As those of `statedAddresses`. */
  readonly addresses: readonly string[];
  /** As the first of the proxies received the request. Empty: not stated. */
  readonly proto: string;
  readonly host: string;
}

/**
 * Reads Forwarded like `statedAddresses` reads X-Forwarded-For. A malformed line counts as one
 * element without an address.
 */
export function readForwarded(lines: readonly string[], trusts: (address: string) => boolean): ForwardedStatement {
  const elements = lines.flatMap(forwardedElements);
  const addresses: string[] = [];
  let proto = '';
  let host = '';
  for (let i = elements.length - 1; i >= 0; i--) {
    const element = elements[i];
    proto = element.proto ?? proto;
    host = element.host ?? host;
    const address = element.for === undefined ? undefined : readNode(element.for);
    if (address === undefined) break;
    addresses.unshift(address);
    if (!trusts(address)) break;
  }
  return { addresses, proto, host };
}

interface ForwardedElement {
  for?: string;
  proto?: string;
  host?: string;
}

/** A pair and what ends it. Values without quotes may contain colons: many proxies send them. */
const PAIR = /[ \t]*(?:([!#$%&'*+.^_`|~0-9A-Za-z-]+)=(?:"((?:[^"\\]|\\.)*)"|([^\s",;]*))[ \t]*)?([,;]|$)/y;

function forwardedElements(line: string): ForwardedElement[] {
  const elements: ForwardedElement[] = [];
  let element: ForwardedElement = {};
  for (PAIR.lastIndex = 0; ; ) {
    const pair = PAIR.exec(line);
    if (pair === null) return [{}];
    const [, name, quoted, plain, end] = pair;
    const key = name?.toLowerCase();
    if (key === 'for' || key === 'proto' || key === 'host') element[key] = quoted?.replace(/\\(.)/g, '$1') ?? plain;
    if (end === ';') continue;
    // Empty members are ignored (RFC 9110 5.6.1.2).
    if (name !== undefined || Object.keys(element).length > 0) elements.push(element);
    if (end === '') return elements;
    element = {};
  }
}

/**
 * The scheme that a proxy states in X-Forwarded-Proto or Forwarded: that of the first proxy, if a
 * list has those of several. Undefined: neither http nor https, nor their names for WebSocket.
 */
export function statedScheme(text: string): 'http' | 'https' | undefined {
  const comma = text.indexOf(',');
  switch ((comma < 0 ? text : text.slice(0, comma)).trim().toLowerCase()) {
    case 'https':
    case 'wss':
      return 'https';
    case 'http':
    case 'ws':
      return 'http';
    default:
      return undefined;
  }
}

/** `192.0.2.1`, `192.0.2.1:444`. */
const IPV4 = /^([\d.]+)(?::\d{1,5})?$/;
/** `[2001:db8::1]`, `[2001:db8::1]:444`. */
const BRACKETED = /^\[([\da-f:.]+)\](?::\d{1,5})?$/i;

/**
 * A node of RFC 7239 section 6, also quoted, and IPv6 without brackets. An IPv4-mapped address (RFC
 * 4291 2.5.5.2) is the IPv4 address. Undefined for everything else, such as `unknown`.
 */
function readNode(member: string): string | undefined {
  const node = member.length > 1 && member.startsWith('"') && member.endsWith('"') ? member.slice(1, -1) : member;
  const text = (BRACKETED.exec(node) ?? IPV4.exec(node))?.[1] ?? node;
  const isBracketed = node.startsWith('[');
  const bytes = isBracketed && !text.includes(':') ? undefined : parseAddress(text);
  return bytes && formatAddress(unmapped({ bytes, bits: bytes.length * 8 }).bytes);
}

/**
 * Decides which proxies in front of the edge are trusted to describe their clients. The operator
 * lists them. Returns a function that tests whether an address, in canonical form, is within one of
 * these prefixes.
 */
export function trustOf(prefixes: readonly string[]): (address: string) => boolean {
  if (prefixes.length === 0) return () => false;
  const parsed = prefixes.map((text) => unmapped(parsePrefix(text)));
  const results = new RecentMap<boolean>(MAX_CACHED);
  const test = (text: string): boolean => {
    const address = parseAddress(text);
    return address !== undefined && parsed.some((prefix) => contains(prefix, address));
  };
  return (text) => results.of(text, () => test(text));
}
