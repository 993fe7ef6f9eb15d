/**
 * The special-purpose address registries of IANA (RFC 6890, RFC 8190; as of 2025-10-09), the
 * multicast blocks, and IANA's IPv6 address space (RFC 4291 2.4), so that every address is in a
 * row. The most specific row decides.
 *
 * `public` is our verdict, not the registry's "globally reachable": whether a proxy may connect
 * there for a customer it does not trust. Rows that the registry calls reachable but that hold no
 * web server (anycast services of a protocol, AS112, identifiers that only look like addresses) are
 * refused with a `note` that says so. So are the addresses in PLATFORM_SERVICES, which are in no
 * registry. Also names that cannot lead to a public server.
 */
import { contains, type Prefix, parsePrefix } from './prefix.ts';

const PRIVATE = 'for private networks';
const COMMON = 'commonly used in private networks';

interface PlatformService {
  /** In public space. */
  readonly prefix: string;
  readonly name: string;
  readonly provider: string;
  /** The page of the provider that documents the addresses. */
  readonly source: string;
}

const AZURE = 'https://learn.microsoft.com/azure/virtual-network/what-is-ip-address-168-63-129-16';

const EQUINIX = 'https://deploy.equinix.com/developers/docs/metal/server-metadata/metadata/';

const IBM = 'https://cloud.ibm.com/docs/vpc?topic=vpc-service-endpoints-for-vpc';

const GOOGLE = 'https://cloud.google.com/vpc/docs/configure-private-google-access#domain-options';

/**
 * Addresses in public space at which cloud platforms serve only their own machines, for example
 * instance metadata. The registries of IANA do not list them. Platforms that use link-local,
 * shared or unique-local addresses are covered by those ranges, see `special.ts`.
 */
export const PLATFORM_SERVICES: readonly PlatformService[] = [
  // DHCP, DNS, health probes, and the agent of a machine, which fetches its secrets there.
  { prefix: '168.63.129.16/32', name: 'Azure platform services', provider: 'Microsoft', source: AZURE },
  // metadata.platformequinix.com, formerly metadata.packet.net.
  { prefix: '192.80.8.124/32', name: 'Equinix Metal metadata', provider: 'Equinix', source: EQUINIX },
  // DNS, time and package mirrors; then service endpoints.
  { prefix: '161.26.0.0/16', name: 'IBM Cloud infrastructure services', provider: 'IBM', source: IBM },
  { prefix: '166.8.0.0/14', name: 'IBM Cloud service endpoints', provider: 'IBM', source: IBM },
  // restricted.googleapis.com, private.googleapis.com.
  { prefix: '199.36.153.4/30', name: 'Google Cloud restricted APIs', provider: 'Google', source: GOOGLE },
  { prefix: '199.36.153.8/30', name: 'Google Cloud private APIs', provider: 'Google', source: GOOGLE },
  { prefix: '2600:2d00:2:1000::/56', name: 'Google Cloud restricted APIs', provider: 'Google', source: GOOGLE },
  { prefix: '2600:2d00:2:2000::/56', name: 'Google Cloud private APIs', provider: 'Google', source: GOOGLE },
];

export interface SpecialRange {
  readonly prefix: Prefix;
  /** As in the registry. */
  readonly name: string;
  /** Where the range is defined, such as `RFC 1918`. */
  readonly source: string;
  readonly public: boolean;
  /** Why it is refused though the registry calls it globally reachable. */
  readonly note?: string;
}

const ANYCAST = 'it is reserved for a service that is not a web server';
const SINK = 'it is a sink for misdirected reverse lookups, not a web server';
const PLATFORM = 'cloud machines reach services of their platform there, such as metadata and DNS';
const IDENTIFIER = 'these addresses are identifiers and not routed';

const open = (text: string, name: string, source: string): SpecialRange => ({
  prefix: parsePrefix(text),
  name,
  source,
  public: true,
});

const shut = (text: string, name: string, source: string, note?: string): SpecialRange => ({
  prefix: parsePrefix(text),
  name,
  source,
  public: false,
  note,
});

const isIPv6 = (prefix: string): boolean => prefix.includes(':');
const platforms = (inIPv6: boolean): readonly SpecialRange[] =>
  PLATFORM_SERVICES.filter(({ prefix }) => isIPv6(prefix) === inIPv6).map(({ prefix, name, provider }) =>
    shut(prefix, name, provider, PLATFORM),
  );

export const IPV4_RANGES: readonly SpecialRange[] = [
  ...platforms(false),
  open('0.0.0.0/0', 'Unicast', 'RFC 791'),
  shut('0.0.0.0/8', 'This network', 'RFC 791'),
  shut('0.0.0.0/32', 'This host on this network', 'RFC 1122'),
  shut('10.0.0.0/8', 'Private-Use', 'RFC 1918'),
  shut('100.64.0.0/10', 'Shared Address Space', 'RFC 6598'),
  shut('127.0.0.0/8', 'Loopback', 'RFC 1122'),
  shut('169.254.0.0/16', 'Link Local', 'RFC 3927'),
  shut('172.16.0.0/12', 'Private-Use', 'RFC 1918'),
  shut('192.0.0.0/24', 'IETF Protocol Assignments', 'RFC 6890'),
  shut('192.0.0.0/29', 'IPv4 Service Continuity Prefix', 'RFC 7335'),
  shut('192.0.0.8/32', 'IPv4 dummy address', 'RFC 7600'),
  shut('192.0.0.9/32', 'Port Control Protocol Anycast', 'RFC 7723', ANYCAST),
  shut('192.0.0.10/32', 'Traversal Using Relays around NAT Anycast', 'RFC 8155', ANYCAST),
  shut('192.0.0.170/32', 'NAT64/DNS64 Discovery', 'RFC 8880'),
  shut('192.0.0.171/32', 'NAT64/DNS64 Discovery', 'RFC 8880'),
  shut('192.0.2.0/24', 'Documentation (TEST-NET-1)', 'RFC 5737'),
  shut('192.31.196.0/24', 'AS112-v4', 'RFC 7535', SINK),
  shut('192.52.193.0/24', 'AMT', 'RFC 7450', ANYCAST),
  shut('192.88.99.0/24', 'Deprecated (6to4 Relay Anycast)', 'RFC 7526'),
  shut('192.88.99.2/32', '6a44-relay anycast address', 'RFC 6751'),
  shut('192.168.0.0/16', 'Private-Use', 'RFC 1918'),
  shut('192.175.48.0/24', 'Direct Delegation AS112 Service', 'RFC 7534', SINK),
  shut('198.18.0.0/15', 'Benchmarking', 'RFC 2544'),
  shut('198.51.100.0/24', 'Documentation (TEST-NET-2)', 'RFC 5737'),
  shut('203.0.113.0/24', 'Documentation (TEST-NET-3)', 'RFC 5737'),
  shut('224.0.0.0/4', 'Multicast', 'RFC 5771'),
  shut('240.0.0.0/4', 'Reserved', 'RFC 1112'),
  shut('255.255.255.255/32', 'Limited Broadcast', 'RFC 919'),
];

export const IPV6_RANGES: readonly SpecialRange[] = [
  // Blocks of IANA's IPv6 address space that are not assigned for unicast.
  shut('::/8', 'Reserved by IETF', 'RFC 4291'),
  shut('100::/8', 'Reserved by IETF', 'RFC 4291'),
  shut('200::/7', 'Reserved by IETF (previously OSI NSAP)', 'RFC 4048'),
  shut('400::/6', 'Reserved by IETF', 'RFC 4291'),
  shut('800::/5', 'Reserved by IETF', 'RFC 4291'),
  shut('1000::/4', 'Reserved by IETF', 'RFC 4291'),
  open('2000::/3', 'Global Unicast', 'RFC 4291'),
  shut('4000::/3', 'Reserved by IETF', 'RFC 4291'),
  shut('6000::/3', 'Reserved by IETF', 'RFC 4291'),
  shut('8000::/3', 'Reserved by IETF', 'RFC 4291'),
  shut('a000::/3', 'Reserved by IETF', 'RFC 4291'),
  shut('c000::/3', 'Reserved by IETF', 'RFC 4291'),
  shut('e000::/4', 'Reserved by IETF', 'RFC 4291'),
  shut('f000::/5', 'Reserved by IETF', 'RFC 4291'),
  shut('f800::/6', 'Reserved by IETF', 'RFC 4291'),
  shut('fe00::/9', 'Reserved by IETF', 'RFC 4291'),
  // Outside 2000::/3.
  shut('::/96', 'IPv4-Compatible Address (deprecated)', 'RFC 4291'),
  shut('::/128', 'Unspecified Address', 'RFC 4291'),
  shut('::1/128', 'Loopback Address', 'RFC 4291'),
  shut('::ffff:0:0/96', 'IPv4-mapped Address', 'RFC 4291'),
  shut('::ffff:0:0:0/96', 'IPv4-translated Address', 'RFC 2765'),
  shut('64:ff9b::/96', 'IPv4-IPv6 Translat.', 'RFC 6052'),
  shut('64:ff9b:1::/48', 'IPv4-IPv6 Translat.', 'RFC 8215'),
  shut('100::/64', 'Discard-Only Address Block', 'RFC 6666'),
  shut('100:0:0:1::/64', 'Dummy IPv6 Prefix', 'RFC 9780'),
  shut('5f00::/16', 'Segment Routing (SRv6) SIDs', 'RFC 9602'),
  shut('fc00::/7', 'Unique-Local', 'RFC 4193'),
  shut('fe80::/10', 'Link-Local Unicast', 'RFC 4291'),
  shut('fec0::/10', 'Site-Local Unicast (deprecated)', 'RFC 3879'),
  shut('ff00::/8', 'Multicast', 'RFC 4291'),
  // Inside 2000::/3.
  ...platforms(true),
  shut('2001::/23', 'IETF Protocol Assignments', 'RFC 2928'),
  shut('2001::/32', 'TEREDO', 'RFC 4380'),
  shut('2001:1::1/128', 'Port Control Protocol Anycast', 'RFC 7723', ANYCAST),
  shut('2001:1::2/128', 'Traversal Using Relays around NAT Anycast', 'RFC 8155', ANYCAST),
  shut('2001:1::3/128', 'DNS-SD Service Registration Protocol Anycast', 'RFC 9665', ANYCAST),
  shut('2001:2::/48', 'Benchmarking', 'RFC 5180'),
  shut('2001:3::/32', 'AMT', 'RFC 7450', ANYCAST),
  shut('2001:4:112::/48', 'AS112-v6', 'RFC 7535', SINK),
  shut('2001:10::/28', 'Deprecated (previously ORCHID)', 'RFC 4843'),
  shut('2001:20::/28', 'ORCHIDv2', 'RFC 7343', IDENTIFIER),
  shut('2001:30::/28', 'Drone Remote ID Protocol Entity Tags (DETs) Prefix', 'RFC 9374', IDENTIFIER),
  shut('2001:db8::/32', 'Documentation', 'RFC 3849'),
  shut('2002::/16', '6to4', 'RFC 3056'),
  shut('2620:4f:8000::/48', 'Direct Delegation AS112 Service', 'RFC 7534', SINK),
  shut('3fff::/20', 'Documentation', 'RFC 9637'),
];

const DOCUMENTATION = [...IPV4_RANGES, ...IPV6_RANGES].filter(({ source }) => /^RFC (5737|3849)$/.test(source));

/** An address of 4 or 16 bytes in the documentation networks of RFC 5737 or RFC 3849. */
export function isDocumentation(bytes: Uint8Array): boolean {
  return DOCUMENTATION.some(({ prefix }) => contains(prefix, bytes));
}

interface SpecialName {
  /** Without dots around, in lower case. */
  readonly suffix: string;
  /** The purpose of names under it. */
  readonly use: string;
  readonly source: string;
  /** Whether a test installation with exemptions may use it. Other names never resolve. */
  readonly rig: boolean;
}

/**
 * Host names that cannot lead to a public server, by their last labels: IANA's special-use domain
 * names (RFC 6761) and names with a similar use. The first match counts: `home.arpa` before `arpa`.
 */
const SPECIAL_NAMES: readonly SpecialName[] = [
  { suffix: 'localhost', use: 'for the machine itself', source: 'RFC 6761 6.3', rig: true },
  { suffix: 'local', use: 'for multicast DNS on the local link', source: 'RFC 6762', rig: true },
  { suffix: 'internal', use: PRIVATE, source: 'ICANN, 2024-07-29', rig: true },
  { suffix: 'home.arpa', use: 'for home networks', source: 'RFC 8375', rig: true },
  { suffix: 'test', use: 'for tests', source: 'RFC 6761 6.2', rig: true },
  { suffix: 'intranet', use: COMMON, source: 'RFC 6762 appendix G', rig: true },
  { suffix: 'private', use: COMMON, source: 'RFC 6762 appendix G', rig: true },
  { suffix: 'corp', use: COMMON, source: 'RFC 6762 appendix G', rig: true },
  { suffix: 'home', use: COMMON, source: 'RFC 6762 appendix G', rig: true },
  { suffix: 'lan', use: COMMON, source: 'RFC 6762 appendix G', rig: true },
  { suffix: 'localdomain', use: COMMON, source: 'by custom', rig: true },
  { suffix: 'invalid', use: 'for names that never exist', source: 'RFC 6761 6.4', rig: false },
  { suffix: 'example', use: 'for documentation', source: 'RFC 6761 6.5', rig: false },
  { suffix: 'onion', use: 'for Tor, outside the DNS', source: 'RFC 7686', rig: false },
  { suffix: 'alt', use: 'for other name systems, outside the DNS', source: 'RFC 9476', rig: false },
  { suffix: 'arpa', use: 'for infrastructure, not for hosts', source: 'RFC 3172', rig: false },
];

/** The row of a name (lower case, no last dot). */
export function specialName(name: string): SpecialName | undefined {
  return SPECIAL_NAMES.find(({ suffix }) => name === suffix || name.endsWith(`.${suffix}`));
}

/** Whether an address, in its canonical form, is one of this machine alone. */
export const isLoopback = (address: string): boolean => /^127\.|^::1$/.test(address);

/** `localhost` and names under it, which resolve to loopback without a query (RFC 6761 6.3). */
export function isLocalhost(name: string): boolean {
  return specialName(name)?.suffix === 'localhost';
}
