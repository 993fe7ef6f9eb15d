/**
 * Addresses as bytes (4 or 16), their text, and prefixes in CIDR notation (RFC 4632 3.1, RFC 4291
 * 2.3).
 */
import { InvalidError } from '../../base/errors.ts';
import { addressAdvice, formatIPv4, formatIPv6, readIPv4, readIPv6 } from '../../dns/wire/rdata/address.ts';

/** An address range. `bytes` has no bit set past `bits`. */
export interface Prefix {
  /** 4 or 16: the family. */
  readonly bytes: Uint8Array;
  /** 0 to 32, or to 128. */
  readonly bits: number;
  /** Canonical, such as `10.0.0.0/8`. */
  readonly text: string;
}

/** Only printable ASCII is accepted: conversion to Latin-1 would turn U+0131 into "1". */
const PRINTING_ASCII = /^[\x21-\x7e]+$/;
/** `ffff:ffff:ffff:ffff:ffff:ffff:255.255.255.255`. */
const LONGEST = 45;

/**
 * 4 or 16 bytes from dotted decimal without leading zeros, or from any form of RFC 4291 2.2 without
 * zone or brackets. Undefined for everything else.
 */
export function parseAddress(text: string): Uint8Array | undefined {
  if (text.length > LONGEST || !PRINTING_ASCII.test(text)) return undefined;
  const input = Buffer.from(text, 'latin1');
  const v6 = text.includes(':');
  const bytes = new Uint8Array(v6 ? 16 : 4);
  const read = v6 ? readIPv6 : readIPv4;
  return read(input, 0, input.length, bytes) ? bytes : undefined;
}

/** Dotted decimal, or RFC 5952. */
export function formatAddress(bytes: Uint8Array): string {
  return bytes.length === 4 ? formatIPv4(bytes) : formatIPv6(bytes);
}

/** Mask of the first `bits` bits of byte `at`. */
function mask(bits: number, at: number): number {
  const inside = Math.min(8, Math.max(0, bits - at * 8));
  return (0xff00 >> inside) & 0xff;
}

/** Whether an address of the same family is in the prefix. */
export function contains(prefix: Pick<Prefix, 'bytes' | 'bits'>, address: Uint8Array): boolean {
  if (prefix.bytes.length !== address.length) return false;
  for (let i = 0; i * 8 < prefix.bits; i++)
    if (((prefix.bytes[i] ^ address[i]) & mask(prefix.bits, i)) !== 0) return false;
  return true;
}

/**
 * `10.0.0.0/8`, `fd00::/8`; a single address is a prefix of all its bits. Throws InvalidError
 * `invalid_prefix` with the correct form. Bits set past the length are an error too: the address or
 * the length is mistyped.
 */
export function parsePrefix(text: string, pointer?: string): Prefix {
  const fail = (why: string): never => {
    throw new InvalidError('invalid_prefix', `${JSON.stringify(text.slice(0, 80))} ${why}.`, { pointer });
  };
  const slash = text.indexOf('/');
  const address = slash < 0 ? text : text.slice(0, slash);
  const form = 'write it as 10.0.0.0/8 or fd00::/8, with full addresses and no leading zeros';
  const bytes = parseAddress(address) ?? fail(`is not an address prefix; ${addressAdvice(address) ?? form}`);
  const most = bytes.length * 8;
  const length = slash < 0 ? String(most) : text.slice(slash + 1);
  if (!/^(0|[1-9]\d{0,2})$/.test(length) || Number(length) > most) fail(`must have a prefix length from 0 to ${most}`);
  const bits = Number(length);
  const network = bytes.map((byte, i) => byte & mask(bits, i));
  // RFC 5952 section 5 recommends a dotted tail here, which prefixes do not use.
  const canonical = `${formatAddress(network).replace('::ffff:0.0.0.0', '::ffff:0:0')}/${bits}`;
  if (network.some((byte, i) => byte !== bytes[i])) fail(`has bits set after the prefix length; write ${canonical}`);
  return { bytes: network, bits, text: canonical };
}

const MAPPED = parsePrefix('::ffff:0:0/96');

/**
 * Clients whose address is IPv4-mapped (RFC 4291 2.5.5.2) count as IPv4, so an IPv4-mapped prefix
 * does too.
 */
export function unmapped({ bytes, bits }: Pick<Prefix, 'bytes' | 'bits'>): Pick<Prefix, 'bytes' | 'bits'> {
  return bits >= MAPPED.bits && contains(MAPPED, bytes)
    ? { bytes: bytes.subarray(12), bits: bits - MAPPED.bits }
    : { bytes, bits };
}

/** Whether one of the prefixes, as text, has the address. */
export function isInNetworks(networks: readonly string[], address: string): boolean {
  const bytes = parseAddress(address);
  if (bytes === undefined) return false;
  const { bytes: plain } = unmapped({ bytes, bits: bytes.length * 8 });
  return networks.some((text) => contains(unmapped(parsePrefix(text)), plain));
}
