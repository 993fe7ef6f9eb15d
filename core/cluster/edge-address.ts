/** The addresses at which the edges of nodes serve each other's caches. */
import { BlockList } from 'node:net';
import type { Config } from '../config/index.ts';
import { formatListen } from '../config/listen.ts';
import type { Member } from './members.ts';

export interface EdgeAddress {
  readonly name: string;
  readonly host: string;
  readonly port: number;
}

const WILDCARDS: ReadonlySet<string> = new Set(['0.0.0.0', '::']);

const loopback = new BlockList();
loopback.addSubnet('127.0.0.0', 8, 'ipv4');
loopback.addAddress('::1', 'ipv6');

/** `host:port` of this node's edge. Undefined: other nodes must not, or cannot, connect to it. */
export function ownEdge({ edge, peer }: Pick<Config, 'edge' | 'peer'>): string | undefined {
  const [listen] = edge.httpsListen;
  if (!edge.cachePeers || listen === undefined || listen.port === 0) return undefined;
  const advertised = hostAndPort(peer.advertise ?? formatListen(peer.listen))?.host ?? '';
  if (WILDCARDS.has(listen.address))
    return WILDCARDS.has(advertised) || advertised === '' ? undefined : bracketed(advertised, listen.port);
  if (isLoopback(listen.address) && !isLoopback(advertised)) return undefined;
  return formatListen(listen);
}

/** The edge addresses of the members that have one, sorted by name. */
export function edgesOf(members: Iterable<Member>): EdgeAddress[] {
  const edges: EdgeAddress[] = [];
  for (const { name, edge } of members) {
    const found = edge === undefined ? undefined : hostAndPort(edge);
    if (found !== undefined) edges.push({ name, ...found });
  }
  return edges.sort((a, b) => (a.name < b.name ? -1 : 1));
}

function hostAndPort(text: string): Omit<EdgeAddress, 'name'> | undefined {
  const parts = /^(?:\[([^\]]+)\]|([^:]+)):(\d{1,5})$/.exec(text);
  return parts === null ? undefined : { host: parts[1] ?? parts[2], port: Number(parts[3]) };
}

const bracketed = (host: string, port: number): string =>
  host.includes(':') ? `[${host}]:${port}` : `${host}:${port}`;

const isLoopback = (host: string): boolean =>
  host === 'localhost' || loopback.check(host, host.includes(':') ? 'ipv6' : 'ipv4');
