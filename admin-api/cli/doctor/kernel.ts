/** Settings of the kernel that affect a DNS and HTTP server. */
import { type AnyCheck, check, NotChecked, note, ok, type Verdict, warning } from './check.ts';
import { readNumber, readText, size, sysctl } from './machine.ts';

/** Listen backlog of the edge (edge/http/server/server.ts). */
const BACKLOG = 4096;
/** Buffers of the UDP sockets (core/os/libc.ts). */
const SOCKET_BUFFER = 4 << 20;
/** Required ephemeral ports: in the worst case, all connections go to a single origin. */
const OUTGOING_PORTS = 16_384;
/** Required memory mappings for LMDB, threads and V8 together: the default of Linux. */
const MAP_COUNT = 65_530;

function setting(name: string): number {
  const value = readNumber(`/proc/sys/${name.replaceAll('.', '/')}`);
  if (value === null) throw new NotChecked(`this system has no ${name}`);
  return value;
}

/** A setting that should be at least `least`. */
const atLeast = (id: string, name: string, least: number, why: string) =>
  check<number>({
    id,
    why,
    read: () => setting(name),
    judge: (value): Verdict =>
      value >= least
        ? ok(`${name} is ${value}`)
        : warning(`${name} is ${value}, less than ${least}`, sysctl(name, least)),
  });

export const somaxconn = atLeast(
  ...(['kernel.somaxconn', 'net.core.somaxconn', BACKLOG] as const),
  'A shorter queue drops new connections during a burst.',
);

export const receiveBuffer = atLeast(
  ...(['kernel.rmem_max', 'net.core.rmem_max', SOCKET_BUFFER] as const),
  'The kernel cuts the receive buffer of the DNS sockets to it, and drops queries in a burst.',
);

export const sendBuffer = atLeast(
  ...(['kernel.wmem_max', 'net.core.wmem_max', SOCKET_BUFFER] as const),
  'The kernel cuts the send buffer of the DNS sockets to it, and drops answers in a burst.',
);

export const mapCount = atLeast(
  ...(['kernel.max_map_count', 'vm.max_map_count', MAP_COUNT] as const),
  'Threads, V8 and LMDB map memory; over the limit, allocations fail.',
);

export interface PortRange {
  readonly low: number;
  readonly high: number;
  /** Ports to listen on. */
  readonly listens: readonly number[];
  /** Text of net.ipv4.ip_local_reserved_ports. */
  readonly reserved: string;
}

const isReserved = (port: number, list: string): boolean =>
  list.split(',').some((part) => {
    const [low, high = low] = part.split('-').map(Number);
    return part !== '' && port >= low && port <= high;
  });

export const portRange = check<PortRange>({
  id: 'kernel.port_range',
  why: 'Connections to origins take their ports from it, and can occupy a port to listen on.',
  read(context) {
    const text = readText('/proc/sys/net/ipv4/ip_local_port_range');
    if (text === null) throw new NotChecked('this system has no net.ipv4.ip_local_port_range');
    const [low, high] = text.split(/\s+/).map(Number);
    const { dns, admin, edge, peer, etcd } = context.config;
    const listens = [...dns.listen, ...dns.tlsListen, admin.listen, ...edge.httpListen, ...edge.httpsListen];
    if (etcd.endpoints.length > 0) listens.push(peer.listen);
    const reserved = readText('/proc/sys/net/ipv4/ip_local_reserved_ports') ?? '';
    return { low, high, reserved, listens: [...new Set(listens.map(({ port }) => port))] };
  },
  judge({ low, high, listens, reserved }) {
    const verdicts: Verdict[] = [];
    const count = high - low + 1;
    if (count < OUTGOING_PORTS)
      verdicts.push(
        warning(
          `net.ipv4.ip_local_port_range has ${count} ports, ${low} to ${high}`,
          sysctl('net.ipv4.ip_local_port_range', '32768 60999'),
        ),
      );
    const inside = listens.filter((port) => port >= low && port <= high && !isReserved(port, reserved));
    if (inside.length > 0) {
      const all = [...(reserved === '' ? [] : [reserved]), ...inside].join();
      verdicts.push(
        note(
          `${inside.join(', ')} to listen on is in net.ipv4.ip_local_port_range, ${low} to ${high}`,
          sysctl('net.ipv4.ip_local_reserved_ports', all),
        ),
      );
    }
    return verdicts.length > 0 ? verdicts : ok(`${count} ports, ${low} to ${high}; no port to listen on is among them`);
  },
});

export const synCookies = check<number>({
  id: 'kernel.syncookies',
  why: 'Without SYN cookies, a flood of SYN packets with forged addresses blocks new connections.',
  read: () => setting('net.ipv4.tcp_syncookies'),
  judge: (value) =>
    value === 1
      ? ok('net.ipv4.tcp_syncookies is 1')
      : warning(`net.ipv4.tcp_syncookies is ${value}`, sysctl('net.ipv4.tcp_syncookies', 1)),
});

export interface FileTable {
  readonly used: number;
  readonly max: number;
}

export const fileMax = check<FileTable>({
  id: 'kernel.file_max',
  why: 'When the table of open files of the machine is full, no process can accept a connection.',
  read() {
    const [used, , max] = (readText('/proc/sys/fs/file-nr') ?? '').split(/\s+/).map(Number);
    if (!Number.isFinite(max)) throw new NotChecked('this system has no fs.file-nr');
    return { used, max };
  },
  judge({ used, max }) {
    const found = `${used} of ${max > 2 ** 52 ? 'unlimited' : max} files of the machine are open`;
    return used > max * 0.8 ? warning(found, sysctl('fs.file-max', max * 2)) : ok(found);
  },
});

export interface ConnectionTable {
  readonly count: number;
  readonly max: number;
}

export const conntrack = check<ConnectionTable | null>({
  id: 'kernel.conntrack',
  why: 'Each DNS client takes an entry of the table; when it is full, the kernel drops packets.',
  read() {
    const count = readNumber('/proc/sys/net/netfilter/nf_conntrack_count');
    const max = readNumber('/proc/sys/net/netfilter/nf_conntrack_max');
    return count === null || max === null ? null : { count, max };
  },
  judge(table) {
    if (table === null) return ok('connections are not tracked (nf_conntrack is not loaded)');
    const { count, max } = table;
    const found = `connections are tracked: ${count} of ${max} entries are used`;
    if (count > max * 0.8) return warning(found, sysctl('net.netfilter.nf_conntrack_max', Math.max(262_144, max * 4)));
    const skip = "sudo nft add table inet notrack && sudo nft 'add chain inet notrack in { type filter hook prerouting";
    if (max < 65_536) return warning(found, sysctl('net.netfilter.nf_conntrack_max', 262_144));
    return note(found, `${skip} priority raw; }' && sudo nft add rule inet notrack in udp dport 53 notrack`);
  },
});

export const swappiness = check<number>({
  id: 'kernel.swappiness',
  why: 'A high value swaps out answers in favour of the page cache; a query then waits for the disk.',
  read: () => setting('vm.swappiness'),
  judge: (value) =>
    value <= 60 ? ok(`vm.swappiness is ${value}`) : note(`vm.swappiness is ${value}`, sysctl('vm.swappiness', 10)),
});

export const overcommit = check<number>({
  id: 'kernel.overcommit',
  why: 'With strict accounting (2), reserving address space fails although memory is free.',
  read: () => setting('vm.overcommit_memory'),
  judge: (value) =>
    value === 2
      ? warning('vm.overcommit_memory is 2', sysctl('vm.overcommit_memory', 0))
      : ok(`vm.overcommit_memory is ${value}`),
});

export interface HugePages {
  /** The selected mode in /sys/kernel/mm/transparent_hugepage/enabled. */
  readonly mode: string;
  readonly indexMemory: number;
}

export const hugePages = check<HugePages>({
  id: 'kernel.huge_pages',
  why: 'The index of answers asks for pages of 2 MB, which save 15% of the CPU time of a query.',
  read(context) {
    const text = readText('/sys/kernel/mm/transparent_hugepage/enabled');
    if (text === null) throw new NotChecked('this system has no transparent huge pages');
    return { mode: /\[(\w+)\]/.exec(text)?.[1] ?? text, indexMemory: context.config.dns.indexMemory };
  },
  judge({ mode, indexMemory }) {
    const found = `transparent huge pages: ${mode}; the index has up to ${size(indexMemory)}`;
    const set = 'echo madvise | sudo tee /sys/kernel/mm/transparent_hugepage/enabled';
    if (mode === 'never') return note(found, set);
    return ok(found);
  },
});

export interface CorePattern {
  readonly pattern: string;
  readonly isWanted: boolean;
}

export const corePattern = check<CorePattern>({
  id: 'kernel.core_pattern',
  why: 'A core dump holds private keys; the daemon turns its own off unless protection.core_dumps is set.',
  read(context) {
    const pattern = readText('/proc/sys/kernel/core_pattern');
    if (pattern === null) throw new NotChecked('this system has no kernel.core_pattern');
    return { pattern, isWanted: context.config.protection.coreDumps };
  },
  judge({ pattern, isWanted }) {
    if (!isWanted) return ok(`core dumps of the daemon are off; kernel.core_pattern is "${pattern}"`);
    if (!pattern.startsWith('|')) return ok(`core dumps are written to "${pattern}"`);
    return note(
      `protection.core_dumps is on, and "${pattern.slice(0, 60)}" receives the dumps`,
      'sudo coredumpctl list waypost',
    );
  },
});

export const KERNEL_CHECKS: readonly AnyCheck[] = [
  ...[somaxconn, receiveBuffer, sendBuffer, portRange, synCookies, fileMax, conntrack],
  ...[swappiness, overcommit, hugePages, mapCount, corePattern],
];
