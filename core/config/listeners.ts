/** The addresses that a daemon listens on, and settings that give one address to two of them. */
import { ConfigError } from '../base/errors.ts';
import { formatListen, type ListenAddress } from './listen.ts';
import type { Config } from './schema.ts';

export interface Listener {
  /** Such as `dns.listen`. */
  readonly key: string;
  readonly protocol: 'udp' | 'tcp';
  readonly listen: ListenAddress;
}

/** All listeners of a configuration. */
export function listenersOf({ dns, edge, admin, etcd, peer }: Config): Listener[] {
  const of = (key: string, protocol: Listener['protocol'], all: readonly ListenAddress[]): Listener[] =>
    all.map((listen) => ({ key, protocol, listen }));
  return [
    ...of('dns.listen', 'udp', dns.listen),
    ...of('dns.listen', 'tcp', dns.listen),
    ...of('dns.tls_listen', 'tcp', dns.tlsListen),
    ...of('admin.listen', 'tcp', [admin.listen as ListenAddress]),
    ...of('peer.listen', 'tcp', etcd.endpoints.length === 0 ? [] : [peer.listen as ListenAddress]),
    ...of('edge.http_listen', 'tcp', edge.httpListen),
    ...of('edge.https_listen', 'tcp', edge.httpsListen),
  ];
}

const isWildcard = ({ address }: ListenAddress): boolean => address === '0.0.0.0' || address === '::';

/** Sockets of the edge share ports: of two, the one with the more specific address accepts. */
const sharesPorts = ({ key }: Listener): boolean => key.startsWith('edge.');

/** Port 0 never conflicts: the system assigns a port. IPv6 sockets do not accept IPv4. */
function conflict(a: Listener, b: Listener): boolean {
  if (a.protocol !== b.protocol || a.listen.port !== b.listen.port || a.listen.family !== b.listen.family) return false;
  if (a.listen.port === 0) return false;
  if (a.listen.address === b.listen.address) return true;
  return (isWildcard(a.listen) || isWildcard(b.listen)) && !(sharesPorts(a) && sharesPorts(b));
}

/** Throws ConfigError `listen` if two listeners cannot both have their address. */
export function checkListeners(config: Config): void {
  const listeners = listenersOf(config);
  for (const [i, first] of listeners.entries()) {
    const second = listeners.slice(i + 1).find((other) => conflict(first, other));
    if (second === undefined) continue;
    throw new ConfigError(
      'listen',
      `${second.key} ${formatListen(second.listen)} and ${first.key} ${formatListen(first.listen)} need the same ${first.protocol.toUpperCase()} port. Change one of them.`,
    );
  }
}
