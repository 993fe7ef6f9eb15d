/**
 * Addresses in public space at which cloud platforms serve only their own machines, for example
 * instance metadata. The registries of IANA do not list them. Platforms that use link-local,
 * shared or unique-local addresses are covered by those ranges, see `special.ts`.
 */

export interface PlatformService {
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
