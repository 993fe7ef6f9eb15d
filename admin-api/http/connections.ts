/** Limits on the number of connections, in total and for each client. */
import { readdirSync } from 'node:fs';
import { endianness } from 'node:os';
import koffi from 'koffi';
import { clientNetwork } from '../../core/net/address/ipv6.ts';
import type { ConnectionLimits } from './transport.ts';

const LOOPBACK_IPV6 = clientNetwork('::1');

/**
 * Maximum connections of a client network. Clients on this machine, such as the edge, can use all
 * connections. A quarter is reserved for them.
 */
function mostFor(client: string, total: number): number {
  const isLocal = client.startsWith('127.') || client === LOOPBACK_IPV6;
  return isLocal ? total : total - Math.floor(total / 4);
}

/** For a transport that knows which connection ends. */
export class ConnectionCount {
  readonly #clients = new Map<string, number>();
  #total = 0;

  constructor(private readonly limits: ConnectionLimits) {}

  /** Returns a function to call when the connection ends; undefined when the limit is reached. */
  enter(address: string): (() => void) | undefined {
    const client = clientNetwork(address);
    const count = this.#clients.get(client) ?? 0;
    if (this.#total >= mostFor(client, this.limits.total) || count >= this.limits.perAddress) return undefined;
    this.#total++;
    this.#clients.set(client, count + 1);
    return () => {
      this.#total--;
      const left = (this.#clients.get(client) ?? 1) - 1;
      if (left === 0) this.#clients.delete(client);
      else this.#clients.set(client, left);
    };
  }
}

/** Maximum share of time that is spent on listing the connections in the kernel. */
const MAX_LISTING_SHARE = 1 / 20;

/**
 * For a transport that reports the end of a connection, but not which one ended. The total is
 * exact. Up to the limit of one client, the total is enough. Above it, the kernel lists the
 * connections, and later ones are added. The count of a client is therefore an upper bound. A
 * client is rejected only after a new listing, or while a new listing would cost too much.
 */
export class AnonymousConnectionCount {
  readonly #clients = new Map<string, number>();
  #port = 0;
  #total = 0;
  #nextListing = 0;

  constructor(
    private readonly limits: ConnectionLimits,
    private readonly census: Census = loadCensus(),
  ) {}

  get total(): number {
    return this.#total;
  }

  setPort(port: number): void {
    this.#port = port;
  }

  /** False when the limit is exceeded; the connection still counts until it is closed. */
  opened(address: string): boolean {
    const client = clientNetwork(address);
    this.#total++;
    this.#clients.set(client, (this.#clients.get(client) ?? 0) + 1);
    if (this.#total > mostFor(client, this.limits.total)) return false;
    if (this.#total <= this.limits.perAddress || this.#isWithinLimit(client)) return true;
    return this.#listConnections() ? this.#isWithinLimit(client) : false;
  }

  closed(): void {
    this.#total--;
    if (this.#total === 0) this.#clients.clear();
  }

  #isWithinLimit(client: string): boolean {
    return (this.#clients.get(client) ?? 0) <= this.limits.perAddress;
  }

  /** False when the last listing is too recent. */
  #listConnections(): boolean {
    const begin = performance.now();
    if (begin < this.#nextListing) return false;
    const addresses = this.census(this.#port);
    const end = performance.now();
    this.#nextListing = end + (end - begin) / MAX_LISTING_SHARE;
    this.#clients.clear();
    for (const address of addresses ?? []) {
      const client = clientNetwork(address);
      this.#clients.set(client, (this.#clients.get(client) ?? 0) + 1);
    }
    return true;
  }
}

/**
 * Remote addresses of the connections that this process has accepted on `port`; undefined: the
 * system does not support it.
 */
type Census = (port: number) => readonly string[] | undefined;

const AF_INET = 2;
const AF_INET6 = 10;
/** Bytes of a sockaddr_in6. */
const LENGTH = 28;

/**
 * Lists the accepted connections of this process from the kernel, for a transport that does not
 * report them. Costs one system call for each descriptor, 0.2 µs through koffi. Reading
 * /proc/net/tcp, which also lists other processes and closed connections, took 116 ms on a busy
 * machine. The census returns undefined where the system calls are unavailable.
 */
function loadCensus(): Census {
  if (process.platform !== 'linux' || endianness() !== 'LE') return () => undefined;
  try {
    const libc = koffi.load(null);
    const getsockname = libc.func('int getsockname(int, void*, void*)');
    const getpeername = libc.func('int getpeername(int, void*, void*)');
    const address = Buffer.alloc(LENGTH);
    const length = Buffer.alloc(4);
    const readAddress = (call: (fd: number, address: Buffer, length: Buffer) => number, fd: number): boolean => {
      length.writeInt32LE(LENGTH);
      return call(fd, address, length) === 0;
    };
    return (port) => {
      const found: string[] = [];
      for (const name of readdirSync('/proc/self/fd')) {
        const fd = Number(name);
        if (!readAddress(getsockname, fd) || !isInternet(address) || address.readUInt16BE(2) !== port) continue;
        if (readAddress(getpeername, fd)) found.push(formatAddress(addressIn(address)));
      }
      return found;
    };
  } catch {
    return () => undefined;
  }
}

const familyOf = (address: Buffer): number => address.readUInt16LE(0);
const isInternet = (address: Buffer): boolean => familyOf(address) === AF_INET || familyOf(address) === AF_INET6;
const addressIn = (address: Buffer): Uint8Array =>
  familyOf(address) === AF_INET ? address.subarray(4, 8) : address.subarray(8, 24);

/**
 * A client address of 4 or 16 bytes as text. An IPv4 client on an IPv6 socket is that IPv4 client
 * (RFC 4291 2.5.5.2).
 */
export function formatAddress(bytes: Uint8Array): string {
  if (bytes.length === 4) return bytes.join('.');
  if (isMapped(bytes)) return bytes.subarray(12).join('.');
  const groups: string[] = [];
  for (let i = 0; i + 1 < bytes.length; i += 2) groups.push(((bytes[i] << 8) | bytes[i + 1]).toString(16));
  return groups.join(':');
}

const isMapped = (bytes: Uint8Array): boolean =>
  bytes.length === 16 && bytes.subarray(0, 10).every((byte) => byte === 0) && bytes[10] === 0xff && bytes[11] === 0xff;
