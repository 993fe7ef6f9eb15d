/** Converts the configuration into options of the nameserver. */
import type { Config } from '../config/index.ts';
import type { TicketKeys } from '../tls/ticket-keys.ts';
import type { NameserverOptions } from './nameserver.ts';

type Configured =
  | 'storeDirectory'
  | 'listen'
  | 'workers'
  | 'udpPayload'
  | 'transport'
  | 'tcp'
  | 'tls'
  | 'rateLimit'
  | 'deferredUdp'
  | 'queryLog'
  | 'transferAllow';

/** `tickets`: undefined if TLS is not configured. */
export function nameserverOptions(
  { dataDir, dns, transfer }: Config,
  tickets: TicketKeys | undefined,
): Pick<NameserverOptions, Configured> {
  return {
    storeDirectory: dataDir,
    listen: dns.listen,
    workers: dns.workers,
    udpPayload: dns.udpPayload,
    transport: dns.transport,
    tcp: {
      idleTimeout: dns.tcpIdleTimeout,
      queryTimeout: dns.tcpQueryTimeout,
      maxConnections: dns.tcpMaxConnections,
      maxPerAddress: dns.tcpMaxPerAddress,
    },
    tls: { listen: dns.tlsListen, certificate: dns.tlsCertificate, key: dns.tlsKey, tickets },
    rateLimit: {
      rate: dns.rrlRate,
      slip: dns.rrlSlip,
      allow: dns.rrlAllow,
      ipv4Prefix: dns.rrlIpv4Prefix,
      ipv6Prefix: dns.rrlIpv6Prefix,
    },
    deferredUdp: { rate: dns.deferredUdpRate, allow: dns.rrlAllow },
    queryLog: dns.queryLog,
    transferAllow: transfer.allow,
  };
}
