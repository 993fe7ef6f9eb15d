/** Whether the ports of the listeners are bindable, or in use by the daemon. */
import { readdirSync, readlinkSync } from 'node:fs';
import { type Config, formatListen, type ListenAddress } from '../../../core/config/index.ts';
import { bindFailure } from '../../../core/os/sockets.ts';
import { type AnyCheck, check, failure, note, ok, type Verdict } from './check.ts';
import type { Context } from './context.ts';
import { quoted, readText } from './machine.ts';

const TCP_LISTEN = '0A';

/**
 * `hidden`: in use by a process that this user cannot see. `denied`: this user cannot bind it.
 * `missing`: no interface has the address.
 */
type PortState = 'ours' | 'free' | 'taken' | 'hidden' | 'denied' | 'missing';

interface PortReading {
  readonly listen: ListenAddress;
  readonly protocol: Protocol;
  readonly state: PortState;
  readonly holder?: { readonly pid: number; readonly name: string };
  readonly isDaemonRunning: boolean;
}

const RESOLVED =
  "sudo mkdir -p /etc/systemd/resolved.conf.d && printf '[Resolve]\\nDNSStubListener=no\\n' | sudo tee " +
  '/etc/systemd/resolved.conf.d/waypost.conf && sudo systemctl restart systemd-resolved';

export function judgePort({ listen, protocol, state, holder, isDaemonRunning }: PortReading): Verdict {
  const subject = `${formatListen(listen)}/${protocol}`;
  switch (state) {
    case 'ours':
      return ok(`the daemon (process ${holder?.pid}) listens`, subject);
    case 'free':
      return isDaemonRunning
        ? failure('the daemon runs, but does not listen there', 'sudo systemctl restart waypost', subject)
        : ok('free', subject);
    case 'taken':
      return failure(
        `in use by ${holder?.name} (process ${holder?.pid})`,
        holder?.name.startsWith('systemd-resolve') ? RESOLVED : `sudo kill ${holder?.pid}`,
        subject,
      );
    case 'hidden':
      return isDaemonRunning
        ? note('in use by a process of another user, probably the daemon', 'sudo waypost doctor', subject)
        : failure('in use by a process of another user', `sudo ss -lpn 'sport = :${listen.port}'`, subject);
    case 'denied':
      return note('only root and services with CAP_NET_BIND_SERVICE can listen there', 'sudo waypost doctor', subject);
    case 'missing':
      return failure(
        'no interface of this machine has the address',
        `sudo ip address add ${quoted(`${listen.address}/${listen.family === 4 ? 32 : 128}`)} dev lo`,
        subject,
      );
  }
}

const isWildcard = (address: string): boolean => address === '0.0.0.0' || address === '::';

/** Whether two sockets cannot both be bound. The daemon's IPv6 sockets do not accept IPv4. */
export function overlaps(listen: ListenAddress, { address, port }: Pick<OpenSocket, 'address' | 'port'>): boolean {
  if (port !== listen.port) return false;
  if (address === listen.address) return true;
  if (address === '::' && listen.family === 4) return true;
  const family = address.includes(':') ? 6 : 4;
  return family === listen.family && (isWildcard(address) || isWildcard(listen.address));
}

async function readPort(context: Context, listen: ListenAddress, protocol: Protocol): Promise<PortReading> {
  const { pid } = context;
  // This user may lack permission to read the file with the process id.
  const isDaemonRunning = pid !== null || (await context.readiness()) !== null;
  const common = { listen, protocol, isDaemonRunning };
  const users = readSockets(protocol).filter((socket) => overlaps(listen, socket));
  // Prefers the daemon's socket, because a wildcard address can overlap with other sockets.
  const holders = users.map(({ inode }) => socketHolder(inode));
  const own = holders.find((candidate) => candidate !== null && candidate.pid === pid);
  if (own) return { ...common, state: 'ours', holder: own };
  const refused = await bindFailure(listen, protocol);
  if (refused === null) return { ...common, state: 'free' };
  const { code } = refused;
  if (code === 'EACCES' || code === 'EPERM') return { ...common, state: 'denied' };
  if (code === 'EADDRNOTAVAIL') return { ...common, state: 'missing' };
  const holder = holders.find((other) => other !== null);
  return holder ? { ...common, state: 'taken', holder } : { ...common, state: 'hidden' };
}

const ports = (
  id: string,
  why: string,
  protocols: readonly Protocol[],
  listensOf: (config: Config) => readonly ListenAddress[],
) =>
  check<readonly PortReading[]>({
    id,
    why,
    read: (context) => {
      const listens = listensOf(context.config).filter(({ port }) => port !== 0);
      return Promise.all(listens.flatMap((listen) => protocols.map((protocol) => readPort(context, listen, protocol))));
    },
    judge: (readings) => (readings.length === 0 ? ok('off') : readings.map(judgePort)),
  });

const dnsPorts = ports('ports.dns', 'Resolvers query it over UDP and TCP.', ['udp', 'tcp'], (c) => c.dns.listen);

export const PORT_CHECKS: readonly AnyCheck[] = [
  dnsPorts,
  ports('ports.dns_tls', 'Resolvers that encrypt queries use it.', ['tcp'], (config) => config.dns.tlsListen),
  ports('ports.http', 'Visitors, and certificate orders by http-01, use it.', ['tcp'], (c) => c.edge.httpListen),
  ports('ports.https', 'Visitors of all sites use it.', ['tcp'], (config) => config.edge.httpsListen),
  ports('ports.admin', 'The API and the dashboard use it.', ['tcp'], (config) => [
    config.admin.listen as ListenAddress,
  ]),
  ports('ports.peer', 'The other nodes of the cluster use it.', ['tcp'], ({ etcd, peer }) =>
    etcd.endpoints.length === 0 ? [] : [peer.listen as ListenAddress],
  ),
];

type Protocol = 'udp' | 'tcp';

interface OpenSocket {
  readonly address: string;
  readonly port: number;
  readonly inode: string;
}

/**
 * Finds the process that listens on a port in /proc.
 *
 * Parses /proc/net/{udp,tcp}{,6} (proc(5)). For TCP, only listening sockets.
 */
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

function readSockets(protocol: Protocol): OpenSocket[] {
  return ['', '6'].flatMap((family) => parseSockets(readText(`/proc/net/${protocol}${family}`) ?? '', protocol));
}

/** The process that owns a socket; null: not found, or hidden from this user. */
function socketHolder(inode: string): { pid: number; name: string } | null {
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
