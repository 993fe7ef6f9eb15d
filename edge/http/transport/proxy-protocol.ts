/**
 * The header of the PROXY protocol, versions 1 and 2: a proxy begins a connection with the
 * addresses of the one that it has accepted (HAProxy's proxy-protocol.txt, sections 2.1 and 2.2).
 */
import { formatAddress, parseAddress } from '../../../core/net/address/index.ts';
import {
  BLOCK,
  PROXY_COMMAND,
  PROXY_FIXED,
  PROXY_SIGNATURE,
  PROXY_TRANSPORT,
  PROXY_VERSION,
  proxyAddressSize,
  proxyBlockLength,
} from '../../../core/net/address/proxy-block.ts';

export type ProxyVersion = 'v1' | 'v2';

/** An address of 4 or 16 bytes. */
export interface ProxyEndpoint {
  readonly address: Uint8Array;
  readonly port: number;
}

interface ProxyHeader {
  /** Bytes of the header. */
  readonly length: number;
  /** The client. Null: the header states none, and the address of the connection counts. */
  readonly source: ProxyEndpoint | null;
}

const START = Buffer.from('PROXY ', 'latin1');
/** Bytes of the longest line of version 1. */
const MAX_LINE = 107;
const LINE = /^PROXY (?:UNKNOWN(?: [\x20-\x7e]*)?|(TCP[46]) (\S+) (\S+) (0|[1-9]\d{0,4}) (0|[1-9]\d{0,4}))\r\n/;

/**
 * Reads a header from the first bytes of a connection. Null: they are none. Undefined: more bytes
 * are needed. Decides after 4,096 bytes at most.
 */
export function readProxyHeader(bytes: Buffer): ProxyHeader | null | undefined {
  if (bytes.length > 0 && bytes[0] === PROXY_SIGNATURE[0]) return readBlock(bytes);
  for (let i = 0; i < bytes.length && i < START.length; i++) if (bytes[i] !== START[i]) return null;
  return readLine(bytes);
}

function readLine(bytes: Buffer): ProxyHeader | null | undefined {
  const end = bytes.subarray(0, MAX_LINE).indexOf('\r\n');
  if (end < 0) return bytes.length < MAX_LINE ? undefined : null;
  const found = LINE.exec(bytes.toString('latin1', 0, end + 2));
  if (found === null) return null;
  const [{ length }, family, from, to, port, toPort] = found;
  if (family === undefined) return { length, source: null };
  const size = family === 'TCP4' ? 4 : 16;
  const address = parseAddress(from);
  const isValid = address?.length === size && parseAddress(to)?.length === size && Number(toPort) <= 65_535;
  return isValid && Number(port) <= 65_535 ? { length, source: { address, port: Number(port) } } : null;
}

function readBlock(bytes: Buffer): ProxyHeader | null | undefined {
  const length = proxyBlockLength(bytes, 0, bytes.length);
  if (length === BLOCK.INCOMPLETE) return undefined;
  if (length === BLOCK.MALFORMED) return null;
  const size = proxyAddressSize(bytes, 0);
  if (size === 0) return { length, source: null };
  const address = Uint8Array.from(bytes.subarray(PROXY_FIXED, PROXY_FIXED + size));
  return { length, source: { address, port: bytes.readUInt16BE(PROXY_FIXED + 2 * size) } };
}

/**
 * The header for a connection to `target`, as if the client at `source` had opened it. Null: the
 * edge itself is the client, as in a health check. Addresses of two families become IPv6.
 */
export function proxyHeader(version: ProxyVersion, source: ProxyEndpoint | null, target: ProxyEndpoint): Buffer {
  if (source === null) return version === 'v1' ? Buffer.from('PROXY UNKNOWN\r\n') : block(PROXY_COMMAND.LOCAL, 0, []);
  const isMixed = source.address.length !== target.address.length;
  const from = isMixed ? mapped(source.address) : source.address;
  const to = isMixed ? mapped(target.address) : target.address;
  const isV4 = from.length === 4;
  if (version === 'v2') {
    const ports = Buffer.alloc(4);
    ports.writeUInt16BE(source.port, 0);
    ports.writeUInt16BE(target.port, 2);
    return block(PROXY_COMMAND.PROXY, isV4 ? PROXY_TRANSPORT.TCP4 : PROXY_TRANSPORT.TCP6, [from, to, ports]);
  }
  const ends = `${formatAddress(from)} ${formatAddress(to)} ${source.port} ${target.port}`;
  return Buffer.from(`PROXY ${isV4 ? 'TCP4' : 'TCP6'} ${ends}\r\n`, 'latin1');
}

function block(command: number, transport: number, parts: readonly Uint8Array[]): Buffer {
  const head = Buffer.alloc(4);
  head[0] = (PROXY_VERSION << 4) | command;
  head[1] = transport;
  head.writeUInt16BE(
    parts.reduce((sum, part) => sum + part.length, 0),
    2,
  );
  return Buffer.concat([PROXY_SIGNATURE, head, ...parts]);
}

/** An IPv4 address in IPv6 (RFC 4291 section 2.5.5.2). */
function mapped(address: Uint8Array): Uint8Array {
  if (address.length !== 4) return address;
  const bytes = new Uint8Array(16);
  bytes.fill(0xff, 10, 12);
  bytes.set(address, 12);
  return bytes;
}
