/**
 * Addresses and services of networks past: WKS (RFC 1035 3.4.2), NSAP (RFC 1706), ATMA (the ATM
 * Forum's AF-DANS-0152.000), A6 (RFC 2874, historic by RFC 6563).
 */

import { latin1 } from '../latin1.ts';
import { formatName } from '../name.ts';
import { TYPE } from '../types.ts';
import { formatIPv6, ipv4, parseIPv6 } from './address.ts';
import type { FieldKind, RdataRow } from './kind.ts';
import { formatHex, parseHex } from './kinds.ts';
import type { WireReader } from './wire-reader.ts';

/**
 * Names of protocols and ports as in RFC 1035 3.4.2 and RFC 1010; others are written as numbers.
 */
const PROTOCOLS: ReadonlyMap<string, number> = new Map([
  ['icmp', 1],
  ['tcp', 6],
  ['udp', 17],
]);
const SERVICES: ReadonlyMap<string, number> = new Map([
  ['echo', 7],
  ['discard', 9],
  ['systat', 11],
  ['daytime', 13],
  ['netstat', 15],
  ['qotd', 17],
  ['chargen', 19],
  ['ftp-data', 20],
  ['ftp', 21],
  ['ssh', 22],
  ['telnet', 23],
  ['smtp', 25],
  ['time', 37],
  ['whois', 43],
  ['domain', 53],
  ['tftp', 69],
  ['gopher', 70],
  ['finger', 79],
  ['http', 80],
  ['pop3', 110],
  ['sunrpc', 111],
  ['auth', 113],
  ['nntp', 119],
  ['ntp', 123],
  ['imap2', 143],
  ['imap', 143],
  ['snmp', 161],
  ['https', 443],
]);

function readPorts(input: WireReader): number[] {
  const bits = input.rest();
  if (bits.length > 0x10000 / 8) input.fail('the bit map has ports above 65535');
  if (bits.length > 0 && bits[bits.length - 1] === 0) input.fail('the bit map ends in a zero byte');
  const ports: number[] = [];
  for (let i = 0; i < bits.length * 8; i++) if (bits[i >> 3] & (0x80 >> (i & 7))) ports.push(i);
  return ports;
}

/** A protocol, then the bit map of its ports. */
const services: FieldKind = {
  parse(input, out) {
    const named = PROTOCOLS.get(input.peek()?.text.toLowerCase() ?? '');
    if (named !== undefined) input.word('protocol');
    out.u8(named ?? input.integer('protocol', 0xff));
    const ports: number[] = [];
    while (input.left > 0) {
      const service = SERVICES.get(input.peek()?.text.toLowerCase() ?? '');
      if (service !== undefined) input.word('service');
      ports.push(service ?? input.integer('service', 0xffff));
    }
    const bits = new Uint8Array(ports.length === 0 ? 0 : (Math.max(...ports) >> 3) + 1);
    for (const port of ports) bits[port >> 3] |= 0x80 >> (port & 7);
    out.bytes(bits);
  },
  format: (input) => [input.u8(), ...readPorts(input)].join(' '),
  take(input, into) {
    into.protocol = input.u8();
    into.ports = readPorts(input);
  },
};

/** Hexadecimal digits with dots among them; undefined when they are none. */
function parseDotted(text: string): Uint8Array | undefined {
  return /^[0-9a-f]/i.test(text) ? parseHex(text.replaceAll('.', '')) : undefined;
}

function readNsap(input: WireReader): string {
  if (input.left === 0) input.fail('the address is missing');
  return `0x${formatHex(input.rest())}`;
}

const nsap: FieldKind = {
  parse(input, out) {
    const text = input.word('address');
    const bytes = /^0x/i.test(text) ? parseDotted(text.slice(2)) : undefined;
    out.bytes(bytes ?? input.fail('address', 'must be 0x and pairs of hexadecimal digits', text));
  },
  format: readNsap,
  take(input, into) {
    into.address = readNsap(input);
  },
};

const AESA = 0;
const E164 = 1;

function readAtm(input: WireReader): string {
  const format = input.u8();
  if (input.left === 0) input.fail('the address is missing');
  const bytes = input.rest();
  if (format === AESA) return formatHex(bytes);
  if (format !== E164) input.fail(`the address format ${format} is unknown`);
  if (!/^\d+$/.test(latin1(bytes))) input.fail('the telephone number has other characters than digits');
  return `+${latin1(bytes)}`;
}

const atm: FieldKind = {
  parse(input, out) {
    const text = input.word('address');
    const digits = /^\+(\d+(?:\.\d+)*)$/.exec(text)?.[1].replaceAll('.', '');
    const bytes = digits === undefined ? parseDotted(text) : Buffer.from(digits, 'latin1');
    out.u8(digits === undefined ? AESA : E164);
    out.bytes(bytes ?? input.fail('address', 'must be pairs of hexadecimal digits, or + and digits', text));
  },
  format: readAtm,
  take(input, into) {
    into.address = readAtm(input);
  },
};

const ADDRESS_BITS = 128;

function readA6(input: WireReader): [prefix: number, suffix: string, name: string] {
  const prefix = input.u8();
  if (prefix > ADDRESS_BITS) input.fail(`the prefix length ${prefix} is above ${ADDRESS_BITS}`);
  const part = input.take(Math.ceil((ADDRESS_BITS - prefix) / 8));
  // The bits of the prefix in the suffix's first byte.
  if (part.length > 0 && part[0] >> (8 - (prefix & 7)) > 0) input.fail('the address suffix has bits of the prefix');
  const address = new Uint8Array(16);
  address.set(part, 16 - part.length);
  return [prefix, prefix < ADDRESS_BITS ? formatIPv6(address) : '', prefix > 0 ? formatName(input.name()) : ''];
}

/** RFC 2874 3.1: the suffix is left out after 128, the name after 0. */
const a6: FieldKind = {
  parse(input, out) {
    const prefix = input.integer('prefix length', ADDRESS_BITS);
    out.u8(prefix);
    if (prefix < ADDRESS_BITS) {
      const address = parseIPv6(input, 'address suffix');
      const from = prefix >> 3;
      // Bits of the prefix do not count.
      address[from] &= 0xff >> (prefix & 7);
      out.bytes(address.subarray(from));
    }
    if (prefix > 0) out.bytes(input.name('prefix name'));
  },
  format: (input) =>
    readA6(input)
      .filter((text) => text !== '')
      .join(' '),
  take(input, into) {
    [into.prefix_length, into.suffix, into.prefix_name] = readA6(input);
  },
};

export const HISTORIC_ROWS: readonly RdataRow[] = [
  { type: TYPE.WKS, example: '192.0.2.1 tcp smtp domain', fields: [ipv4('address'), services] },
  { type: TYPE.NSAP, example: '0x47.0005.80.005a00.0000.0001.e133.ffffff000161.00', fields: [nsap] },
  { type: TYPE.ATMA, example: '+31201234567', fields: [atm] },
  { type: TYPE.A6, names: 'lowered', example: '64 ::1 prefix.example.net.', fields: [a6] },
];
