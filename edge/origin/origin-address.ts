/** The address of an origin, and the options of connections to it. */
import { createHash } from 'node:crypto';
import { formatAddress, readHost } from '../../core/net/address/index.ts';
import { type OriginsEntry, type PoolOrigin, portOf, protocolOf } from '../../core/site/pools/document.ts';
import type { OriginLoad } from '../../core/site/pools/pool.ts';
import type { ProxyVersion } from '../http/transport/proxy-protocol.ts';

/**
 * The version of HTTP: `2` by ALPN over TLS, `h2c` in cleartext with prior knowledge (RFC 9113
 * sections 3.2 and 3.3). Without TLS `2` is `h2c`, and with TLS `h2c` is `2`.
 */
type OriginVersion = '1.1' | '2' | 'h2c';

/** The client certificate of the edge. Both in PEM; the chain starts with the certificate. */
interface ClientCertificate {
  readonly chain: string;
  readonly key: string;
}

/**
 * Which certificates of the origin are accepted. `ca`: PEM of the authorities, in place of the
 * public ones. `pins`: SHA-256 of public keys (SubjectPublicKeyInfo) in base64, the value of a
 * `pin-sha256` (RFC 7469 section 2.1.1); the key of the origin's own certificate must be one of
 * them. Pins alone replace the verification: its issuer, names and dates do not matter then.
 */
interface OriginTrust {
  readonly ca?: string;
  readonly pins?: readonly string[];
}

export interface Origin {
  /** A host name without the last dot, or an address in canonical form. */
  readonly host: string;
  /**
   * Addresses in text, in the order of attempts; empty: no usable address. Omitted: looked up by
   * host.
   */
  readonly addresses?: readonly string[];
  readonly port: number;
  readonly protocol: 'http' | 'https';
  /** Default: 1.1. */
  readonly version?: OriginVersion;
  /** The Host field or `:authority`. Default: the authority that the visitor requested. */
  readonly hostHeader?: string;
  /** Hosts of the other origins of its pool, which responses must not reveal either. */
  readonly siblings?: readonly string[];
  /**
   * The name for SNI and verification. Default: the host; of an address, the visitor's host or the
   * address itself.
   */
  readonly serverName?: string;
  readonly clientCertificate?: ClientCertificate;
  /** Connections begin with a header of the PROXY protocol, and are not reused. Omitted: none. */
  readonly proxyProtocol?: ProxyVersion;
  /** Default: the public authorities and those of the operator. */
  readonly trust?: OriginTrust;
  /**
   * Timeout of the connection with its TLS handshake. Default of both timeouts: `edge.origin_*`.
   */
  readonly connectTimeoutMs?: number;
  /** Timeout from the end of the request to the head of the response. */
  readonly responseTimeoutMs?: number;
  /** Of an origin of a pool, counted by its calls. */
  readonly load?: OriginLoad;
}

export const isHttp2 = ({ version }: Origin): boolean => version !== undefined && version !== '1.1';

/** Names of the origin, which visitors must not see, without repetitions. The host is first. */
export function namesOf({ host, hostHeader, serverName, siblings }: Origin): readonly string[] {
  if (hostHeader === undefined && serverName === undefined && siblings === undefined) return [host];
  const header = hostHeader === undefined ? [] : [hostHeader.toLowerCase().replace(/:\d*$/, '')];
  const server = serverName === undefined ? [] : [serverName.toLowerCase()];
  return [...new Set([host, ...header, ...server, ...(siblings ?? [])])];
}

/** Equal for origins whose requests may use the same connections. */
export function connectionKey(origin: Origin): string {
  const { protocol, host, port, addresses } = origin;
  const key = `${protocol} ${addresses === undefined ? host : `[${addresses.join()}]`} ${port}`;
  const options = [
    origin.version,
    origin.proxyProtocol,
    origin.hostHeader,
    origin.serverName,
    origin.clientCertificate,
    origin.trust,
    origin.connectTimeoutMs,
    origin.responseTimeoutMs,
  ];
  return options.every((option) => option === undefined) ? key : `${key} ${digestOf(options)}`;
}

const digestOf = (value: unknown): string => createHash('sha256').update(JSON.stringify(value)).digest('base64');

/** Decrypts the key of a client certificate. Throws WaypostError `unsealable`. */
type OpenKey = (sealed: string) => string;

/**
 * Converts an origin of a pool document to the form that the origin client uses. Throws
 * WaypostError `unsealable` if the key of its client certificate cannot be decrypted.
 */
export function poolOrigin(entry: OriginsEntry, { origin: host, ...origin }: PoolOrigin, openKey: OpenKey): Origin {
  const { host: hostHeader, server_name, version, client_certificate, ca, pins, proxy_protocol = 'none' } = entry;
  const { connect_timeout, response_timeout } = entry;
  const siblings = entry.pool.map((other) => canonicalHost(other.origin));
  return {
    host: canonicalHost(host),
    port: portOf({ origin: host, ...origin }),
    protocol: protocolOf({ origin: host, ...origin }) ?? 'https',
    ...(siblings.length > 1 && { siblings }),
    ...(version !== undefined && version !== '1.1' && { version }),
    ...(proxy_protocol !== 'none' && { proxyProtocol: proxy_protocol }),
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
