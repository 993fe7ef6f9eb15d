/** Converts an origin of a pool document to the form that the origin client uses. */
import { formatAddress, readHost } from '../../core/net/address/index.ts';
import { type OriginsEntry, type PoolOrigin, portOf, protocolOf } from '../../core/site/pools/document.ts';
import type { Origin } from './origin-address.ts';

/** Decrypts the key of a client certificate. Throws WaypostError `unsealable`. */
type OpenKey = (sealed: string) => string;

/** Throws WaypostError `unsealable` if the key of its client certificate cannot be decrypted. */
export function poolOrigin(entry: OriginsEntry, { origin: host, ...origin }: PoolOrigin, openKey: OpenKey): Origin {
  const { host: hostHeader, server_name, version, client_certificate, ca, pins } = entry;
  const { connect_timeout, response_timeout } = entry;
  const siblings = entry.pool.map((other) => canonicalHost(other.origin));
  return {
    host: canonicalHost(host),
    port: portOf({ origin: host, ...origin }),
    protocol: protocolOf({ origin: host, ...origin }) ?? 'https',
    ...(siblings.length > 1 && { siblings }),
    ...(version !== undefined && version !== '1.1' && { version }),
    ...(hostHeader != null && { hostHeader }),
    ...(server_name != null && { serverName: server_name }),
    ...(client_certificate?.sealed_key !== undefined && {
      clientCertificate: { chain: client_certificate.certificate, key: openKey(client_certificate.sealed_key) },
    }),
    ...((ca != null || pins != null) && { trust: { ...(ca != null && { ca }), ...(pins != null && { pins }) } }),
    ...(connect_timeout != null && { connectTimeoutMs: connect_timeout * 1000 }),
    ...(response_timeout != null && { responseTimeoutMs: response_timeout * 1000 }),
  };
}

/** An address in canonical form, or a name in lower case. The text was validated before. */
function canonicalHost(text: string): string {
  const host = readHost(text, true);
  return host.kind === 'address' ? formatAddress(host.bytes) : host.name;
}
