/** What a domain's proxy is to do, and requests to the edge. */
import { type Id, idKey } from '../keys.ts';
import { jsonTable } from './table.ts';

export type Protocol = 'http' | 'https';
export type SslStatus = 'none' | 'pending' | 'active' | 'renewing' | 'error';

/** One a domain, from the first time that its proxy is set up. */
export interface ProxyConfig {
  readonly domainId: Id;
  /** Whether visitors come through the cluster. */
  readonly enabled: boolean;
  /**
   * A host name without the last dot, or an address in its plain form. Null, as port and protocol
   * then are, until one is given.
   */
  readonly originHost: string | null;
  /** Addresses of the origin when it was set: names with one of them belong to it. */
  readonly originAddresses?: readonly string[];
  readonly originPort: number | null;
  readonly originProtocol: Protocol | null;
  readonly sslStatus: SslStatus;
  readonly sslIssuedAt: number | null;
  readonly sslExpiresAt: number | null;
  /** For the customer to read. */
  readonly sslError: string | null;
  /**
   * Seconds of Strict-Transport-Security (RFC 6797); null, or not there in rows of before: it is
   * not sent. 0 takes back what browsers remember.
   */
  readonly hstsMaxAge?: number | null;
  /** Whether it holds for all names below the host (includeSubDomains); omitted in old rows: no. */
  readonly hstsIncludeSubdomains?: boolean;
  /** Whether browsers may list the domain ahead (preload); omitted in old rows: no. */
  readonly hstsPreload?: boolean;
  /**
   * Whether the cache guesses lifetimes (RFC 9111 section 4.2.2) also where that is often wrong
   * (edge/sites/site.ts); not there in rows of before: no.
   */
  readonly heuristicFreshness?: boolean;
  /** When it was turned off; null, or not there in rows of before: it never was, or is on. */
  readonly disabledAt?: number | null;
  /** When a certificate was asked for that has not been ordered yet; null: none is waiting. */
  readonly orderRequestedAt: number | null;
  readonly createdAt: number;
  readonly updatedAt: number;
}

/** A certificate that the customer brought. */
export interface Certificate {
  readonly domainId: Id;
  /** PEM, the leaf first. */
  readonly chain: string;
  /** PEM, sealed (core/base/secrets.ts), base64. */
  readonly sealedKey: string;
  /**
   * Host names that it is for, `*.` first where it is a wildcard; not there in rows of before. To
   * read them from the chain takes a quarter of a millisecond.
   */
  readonly names?: readonly string[];
  readonly notBefore: number;
  readonly notAfter: number;
  readonly createdAt: number;
}

/** The certificate that was ordered for a domain. */
export interface AutomaticCertificate {
  readonly domainId: Id;
  /** PEM, the leaf first. */
  readonly chain: string;
  /** PEM, sealed (core/base/secrets.ts, `automatic-certificate:<domain id>`), base64. */
  readonly sealedKey: string;
  /** Host names that it is for, `*.` first where it is a wildcard. */
  readonly names: readonly string[];
  readonly notBefore: number;
  readonly notAfter: number;
  readonly createdAt: number;
}

/**
 * A request to forget what the edge's caches hold of a domain. All three lists empty: all of it.
 * URLs as `https://www.example.com/a?b`, prefixes as `www.example.com/news/` for both schemes, both
 * normalised.
 */
export interface Purge {
  readonly id: Id;
  readonly domainId: Id;
  readonly urls: readonly string[];
  readonly prefixes: readonly string[];
  readonly tags: readonly string[];
  /**
   * Whether nodes fetch from the origin again what they have purged. Not there: they do not, and
   * neither do nodes of versions before, which execute the purge alone.
   */
  readonly prefetch?: true;
  readonly createdAt: number;
}

export const proxies = jsonTable<ProxyConfig>({
  number: 5,
  name: 'proxies',
  key: (row) => idKey(row.domainId),
});

/** What the keys of certificates are sealed for. */
export const certificateContext = (domainId: Id): string => `certificate:${domainId}`;
export const automaticCertificateContext = (domainId: Id): string => `automatic-certificate:${domainId}`;

export const certificates = jsonTable<Certificate>({
  number: 6,
  name: 'certificates',
  key: (row) => idKey(row.domainId),
});

export const automaticCertificates = jsonTable<AutomaticCertificate>({
  number: 12,
  name: 'automatic_certificates',
  key: (row) => idKey(row.domainId),
});

/** domain id (8) · id (8) */
export const purges = jsonTable<Purge>({
  number: 7,
  name: 'purges',
  key: (row) => Buffer.concat([idKey(row.domainId), idKey(row.id)]),
});
