/** The settings of PowerDNS that have an equivalent here. */
import type { Services } from '../../change/services.ts';

const yesNo = (isSet: boolean): string => (isSet ? 'yes' : 'no');

/** Values by the name of the setting, in alphabetical order. */
export function serverConfig({ config, zoneSettings }: Services): ReadonlyMap<string, string> {
  const { dns, admin, transfer } = config;
  const { nameservers, hostmaster, refresh, retry, expire, minimum } = zoneSettings;
  const addresses = dns.listen.map(({ address, port }) =>
    address.includes(':') ? `[${address}]:${port}` : `${address}:${port}`,
  );
  const entries: Record<string, string> = {
    'allow-axfr-ips': transfer.allow.join(),
    'also-notify': transfer.notify.map(({ address, port }) => (port === 53 ? address : `${address}:${port}`)).join(),
    api: 'yes',
    'default-ksk-algorithm': 'ecdsa256',
    'default-soa-content': `${nameservers[0]}. ${hostmaster}. 0 ${refresh} ${retry} ${expire} ${minimum}`,
    'default-ttl': '300',
    'default-zsk-algorithm': '',
    'disable-axfr': 'no',
    dnsupdate: 'yes',
    'expand-alias': 'yes',
    launch: 'waypost',
    'local-address': addresses.join(),
    primary: 'yes',
    'receiver-threads': String(dns.workers),
    secondary: 'yes',
    'server-id': config.nodeName,
    'udp-truncation-threshold': String(dns.udpPayload),
    webserver: 'yes',
    'webserver-address': admin.listen.address,
    'webserver-port': String(admin.listen.port),
    'zone-cache-refresh-interval': '0',
    'log-dns-queries': yesNo(dns.queryLog > 0),
  };
  return new Map(Object.entries(entries).sort(([a], [b]) => (a < b ? -1 : 1)));
}
