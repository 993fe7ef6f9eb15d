import type { Config } from '../../config/index.ts';

/**
 * Settings of all zones, from the configuration. Plain values, so that threads can receive them and
 * a fingerprint can be computed.
 */
export interface ZoneSettings {
  /** Host names in presentation form, the first is MNAME. */
  readonly nameservers: readonly string[];
  /** RNAME in presentation form. */
  readonly hostmaster: string;
  /** SOA timers and TTLs in seconds. */
  readonly refresh: number;
  readonly retry: number;
  readonly expire: number;
  readonly minimum: number;
  readonly soaTtl: number;
  readonly nsTtl: number;
  readonly cluster: Cluster;
}

/** Public addresses of the edge, in presentation form. */
export interface Cluster {
  readonly ipv4: readonly string[];
  readonly ipv6: readonly string[];
}

/** Reads the settings of all zones. */
export function zoneSettings({ nameservers, soa, cluster }: Config): ZoneSettings {
  const first = nameservers[0];
  const parent = first.slice(first.indexOf('.') + 1) || first;
  return {
    nameservers,
    hostmaster: soa.hostmaster ?? `hostmaster.${parent}`,
    refresh: soa.refresh,
    retry: soa.retry,
    expire: soa.expire,
    minimum: soa.minimum,
    soaTtl: soa.ttl,
    nsTtl: soa.nsTtl,
    cluster: { ipv4: cluster.ipv4, ipv6: cluster.ipv6 },
  };
}
