/** The address of an origin, and the options of connections to it. */
import { createHash } from 'node:crypto';

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
  /** Default: the public authorities and those of the operator. */
  readonly trust?: OriginTrust;
  /**
   * Timeout of the connection with its TLS handshake. Default of both timeouts: `edge.origin_*`.
   */
  readonly connectTimeoutMs?: number;
  /** Timeout from the end of the request to the head of the response. */
  readonly responseTimeoutMs?: number;
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
