import { isIPv4, isIPv6 } from 'node:net';
import { toUrlHost } from '../net/address/url-host.ts';

/** An address and port to listen on. */
export interface ListenAddress {
  /**
   * IPv4 or IPv6 address as text, without brackets; `0.0.0.0` and `::` are the wildcard addresses.
   */
  readonly address: string;
  /** 0 to 65535; 0 is a free port of the kernel's choice. */
  readonly port: number;
  readonly family: 4 | 6;
}

/**
 * Parses `192.0.2.1:53`, `[2001:db8::1]:53`, or `*:53` for every IPv4 and IPv6 address. Undefined
 * for any other text. Host names are rejected, because they can resolve differently at the next
 * start.
 */
export function parseListen(text: string): ListenAddress[] | undefined {
  const match = /^(?:\[([^\]]+)\]|([^:[\]]+)):(\d{1,5})$/.exec(text.trim());
  if (match === null) return undefined;
  const [, six, four, digits] = match;
  const port = Number(digits);
  if (port > 65535) return undefined;
  if (four === '*') {
    return [
      { address: '0.0.0.0', port, family: 4 },
      { address: '::', port, family: 6 },
    ];
  }
  if (four !== undefined) return isIPv4(four) ? [{ address: four, port, family: 4 }] : undefined;
  // A zone index (fe80::1%eth0) is only valid on one machine, and sockets of IPv6 alone cannot bind
  // an IPv4-mapped address.
  return isIPv6(six) && !/%|^::ffff:.*\./i.test(six) ? [{ address: six, port, family: 6 }] : undefined;
}

/** The form that parseListen reads: `192.0.2.1:53` or `[2001:db8::1]:53`. */
export function formatListen(listen: ListenAddress): string {
  return `${toUrlHost(listen.address)}:${listen.port}`;
}

/** The addresses of each service as log fields; `off` for a service without one. */
export function formatServices<Name extends string>(
  services: Readonly<Record<Name, readonly ListenAddress[]>>,
): Record<Name, string> {
  const fields = Object.entries<readonly ListenAddress[]>(services).map(([name, addresses]) => [
    name,
    addresses.map(formatListen).join(', ') || 'off',
  ]);
  return Object.fromEntries(fields);
}
