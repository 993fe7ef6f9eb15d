/** Finds the process that listens on a port in /proc. */
import { readdirSync, readlinkSync } from 'node:fs';
import { readText } from './machine.ts';

export type Protocol = 'udp' | 'tcp';

export interface OpenSocket {
  readonly address: string;
  readonly port: number;
  readonly inode: string;
}

const TCP_LISTEN = '0A';

/** Parses /proc/net/{udp,tcp}{,6} (proc(5)). For TCP, only listening sockets. */
export function parseSockets(text: string, protocol: Protocol): OpenSocket[] {
  const sockets: OpenSocket[] = [];
  for (const line of text.split('\n').slice(1)) {
    const [, local, , state, , , , , , inode] = line.trim().split(/\s+/);
    if (inode === undefined || (protocol === 'tcp' && state !== TCP_LISTEN)) continue;
    const [address, port] = local.split(':');
    sockets.push({ address: addressOf(address), port: Number.parseInt(port, 16), inode });
  }
  return sockets;
}

/** Words of 32 bits in the byte order of the machine, which is little-endian. */
function addressOf(hex: string): string {
  const bytes = Buffer.from(hex, 'hex').swap32();
  if (bytes.length === 4) return bytes.join('.');
  if (bytes.every((byte) => byte === 0)) return '::';
  const mapped = bytes.subarray(0, 12).equals(Buffer.from('00000000000000000000ffff', 'hex'));
  if (mapped) return bytes.subarray(12).join('.');
  const groups = Array.from({ length: 8 }, (_, i) => bytes.readUInt16BE(i * 2).toString(16));
  return new URL(`http://[${groups.join(':')}]`).hostname.slice(1, -1);
}

export function readSockets(protocol: Protocol): OpenSocket[] {
  return ['', '6'].flatMap((family) => parseSockets(readText(`/proc/net/${protocol}${family}`) ?? '', protocol));
}

/** The process that owns a socket; null: not found, or hidden from this user. */
export function socketHolder(inode: string): { pid: number; name: string } | null {
  for (const pid of readdirSync('/proc').filter((name) => /^\d+$/.test(name))) {
    let descriptors: string[];
    try {
      descriptors = readdirSync(`/proc/${pid}/fd`);
    } catch {
      continue;
    }
    for (const descriptor of descriptors) {
      try {
        if (readlinkSync(`/proc/${pid}/fd/${descriptor}`) !== `socket:[${inode}]`) continue;
      } catch {
        continue;
      }
      return { pid: Number(pid), name: readText(`/proc/${pid}/comm`) ?? 'unknown' };
    }
  }
  return null;
}
