/** Proxy settings, certificates and origin health of domains, and cache purges. */
import { type Id, idAt, idKey } from '../keys.ts';
import { json, jsonTable, table, unjson } from './table.ts';

export type Protocol = 'http' | 'https';
export type SslStatus = 'none' | 'pending' | 'active' | 'renewing' | 'error';

/**
 * Which responses without an explicit lifetime get a heuristic one (RFC 9111 section 4.2.2): none;
 * those of files, where it is seldom wrong (edge/cache/rules/freshness.ts); all.
 */
export const HEURISTICS = ['off', 'static', 'all'] as const;
export type Heuristics = (typeof HEURISTICS)[number];

/** Settings besides the origin, with the values that hold until a customer sets others. */
const DEFAULT_SETTINGS = {
  /**
   * max-age of Strict-Transport-Security (RFC 6797) in seconds; null: the field is not sent. 0
   * makes browsers delete the policy.
   */
  hstsMaxAge: null as number | null,
  hstsIncludeSubdomains: false,
  hstsPreload: false,
  heuristics: 'static' as Heuristics,
  /** Whether requests to the origin have Forwarded (RFC 7239). */
  forwardedHeader: true,
  /** Whether LF without CR may end a line of the origin's response heads. */
  lenientResponses: false,
};

export type ProxySettings = Readonly<typeof DEFAULT_SETTINGS>;

/** One for each domain whose proxy was ever configured. Old rows lack some settings. */
export interface ProxyConfig extends Partial<ProxySettings> {
  readonly domainId: Id;
  /** Old rows have this instead of `heuristics`; true: all. */
  readonly heuristicFreshness?: boolean;
  /** Whether requests of visitors go through the edge. */
  readonly enabled: boolean;
  /**
   * A host name without the trailing dot, or an IP address in canonical form. Null, like port and
   * protocol, until an origin is set.
   */
  readonly originHost: string | null;
  /** Addresses of the origin when it was set. Names with these addresses belong to the origin. */
  readonly originAddresses?: readonly string[];
  readonly originPort: number | null;
  readonly originProtocol: Protocol | null;
  readonly sslStatus: SslStatus;
  readonly sslIssuedAt: number | null;
  readonly sslExpiresAt: number | null;
  /** Shown to the customer; null: no error. */
  readonly sslError: string | null;
  /** When the proxy was disabled; null, or omitted in old rows: it is enabled or never was. */
  readonly disabledAt?: number | null;
  /** When the pending certificate order was requested; null: none is pending. */
  readonly orderRequestedAt: number | null;
  readonly createdAt: number;
  readonly updatedAt: number;
}

const HOUR = 3600;
/** Seconds before the end of a certificate at which it needs attention. */
const MAX_WARNING = 14 * 86_400;
/** Divisor of the lifetime, for short-lived certificates: the last fifth needs attention. */
const WARNING_PART = 5;

/** Seconds since 1970 from which the certificate needs attention; null: it does not. */
export function certificateProblemAt({
  sslStatus,
  sslError,
  sslIssuedAt,
  sslExpiresAt,
  orderRequestedAt,
}: ProxyConfig): number | null {
  if (sslError !== null) return 0;
  if (sslExpiresAt !== null) {
    const lifetime = sslExpiresAt - (sslIssuedAt ?? sslExpiresAt - MAX_WARNING);
    return Math.max(0, Math.ceil(sslExpiresAt - Math.min(MAX_WARNING, lifetime / WARNING_PART)));
  }
  return sslStatus === 'pending' && orderRequestedAt !== null ? orderRequestedAt + HOUR + 1 : null;
}

/** A certificate that the customer uploaded. */
export interface Certificate {
  readonly domainId: Id;
  /** PEM, the leaf first. */
  readonly chain: string;
  /** PEM, sealed (core/base/secrets.ts), base64. */
  readonly sealedKey: string;
  /**
   * Host names of the certificate, wildcards with `*.`; omitted in old rows. Parsing them from the
   * chain takes 0.25 ms.
   */
  readonly names?: readonly string[];
  readonly notBefore: number;
  readonly notAfter: number;
  readonly createdAt: number;
}

/** A certificate that was ordered automatically. */
export interface AutomaticCertificate {
  readonly domainId: Id;
  /** PEM, the leaf first. */
  readonly chain: string;
  /** PEM, sealed (core/base/secrets.ts, `automatic-certificate:<domain id>`), base64. */
  readonly sealedKey: string;
  /** Host names of the certificate, wildcards with `*.`. */
  readonly names: readonly string[];
  readonly notBefore: number;
  readonly notAfter: number;
  readonly createdAt: number;
}

/** An automatic certificate for names of a domain that do not fit into its first certificate. */
export interface FurtherCertificate extends AutomaticCertificate {
  /** From 1. The first certificate is the row in `automaticCertificates`. */
  readonly slot: number;
  /** When to renew it. */
  readonly renewAt: number;
  /** The directory that issued it; null: unknown. */
  readonly directory: string | null;
}

/** The slot of an RSA certificate beside an uploaded one. */
export const UPLOADED_SLOT = 255;

/**
 * An RSA certificate beside another one of the same domain, for clients without ECDSA. Its key is
 * sealed as that of the other one. `slot`: of the automatic certificate, or UPLOADED_SLOT.
 */
export type RsaCertificate = FurtherCertificate;

/**
 * A purge of a domain's cached responses. All three lists empty: purges everything. URLs are
 * normalised, such as `https://www.example.com/a?b`. Prefixes are normalised and apply to both
 * schemes, such as `www.example.com/news/`.
 */
export interface Purge {
  readonly id: Id;
  readonly domainId: Id;
  readonly urls: readonly string[];
  readonly prefixes: readonly string[];
  readonly tags: readonly string[];
  /**
   * Whether nodes fetch purged responses again. Omitted: no. Nodes of earlier versions only purge.
   */
  readonly prefetch?: true;
  readonly createdAt: number;
}

export const proxies = jsonTable<ProxyConfig>({
  number: 5,
  name: 'proxies',
  quota: 'zone',
  concerns: 'site',
  key: (row) => idKey(row.domainId),
});

/** The settings as rows have them. */
export type StoredSettings = Partial<ProxySettings> & Pick<ProxyConfig, 'heuristicFreshness'>;

/** All settings of a row. Other members of it are left out. */
export function proxySettings(row: StoredSettings): ProxySettings {
  const names = Object.keys(DEFAULT_SETTINGS) as (keyof ProxySettings)[];
  const settings = Object.fromEntries(names.map((name) => [name, row[name] ?? DEFAULT_SETTINGS[name]]));
  const isAll = row.heuristics === undefined && row.heuristicFreshness === true;
  return { ...(settings as ProxySettings), ...(isAll ? { heuristics: 'all' } : {}) };
}

/** Contexts for sealing the keys of certificates. All automatic ones of a domain share theirs. */
export const certificateContext = (domainId: Id): string => `certificate:${domainId}`;
export const automaticCertificateContext = (domainId: Id): string => `automatic-certificate:${domainId}`;

export const certificates = jsonTable<Certificate>({
  number: 6,
  name: 'certificates',
  quota: 'zone',
  concerns: 'site',
  key: (row) => idKey(row.domainId),
});

export const automaticCertificates = jsonTable<AutomaticCertificate>({
  number: 12,
  name: 'automatic_certificates',
  quota: { none: 'one for each domain' },
  concerns: 'site',
  key: (row) => idKey(row.domainId),
});

/** domain id (8) · slot (1) */
export const furtherCertificates = jsonTable<FurtherCertificate>({
  number: 53,
  name: 'further_certificates',
  quota: { none: 'a few for each domain, up to a limit (edge/certificates/acme/slots.ts)' },
  concerns: 'site',
  level: 4,
  key: ({ domainId, slot }) => Buffer.concat([idKey(domainId), Uint8Array.of(slot)]),
});

/** domain id (8) · slot (1) */
export const rsaCertificates = jsonTable<RsaCertificate>({
  number: 54,
  name: 'rsa_certificates',
  quota: { none: 'at most one for each other certificate' },
  concerns: 'site',
  level: 5,
  key: ({ domainId, slot }) => Buffer.concat([idKey(domainId), Uint8Array.of(slot)]),
});

/** domain id (8) · id (8) */
export const purges = jsonTable<Purge>({
  number: 7,
  name: 'purges',
  quota: { none: 'a rate for each domain; they expire' },
  concerns: 'purges',
  key: (row) => Buffer.concat([idKey(row.domainId), idKey(row.id)]),
});

/** Health check results of a domain's origins in a region. Only changes are written. */
export interface OriginHealth {
  readonly domainId: Id;
  /** Empty: no regions are configured. */
  readonly region: string;
  readonly origins: readonly CheckedOriginState[];
}

export interface CheckedOriginState {
  /** Identifies the origin and its check (core/site/pools/checks.ts). */
  readonly key: string;
  readonly isUp: boolean;
  /** Seconds since 1970. */
  readonly since: number;
  /** Why the origin is down, as a sentence; null while it is up. */
  readonly reason: string | null;
}

export function originHealthKey(domainId: Id, region: string): Buffer {
  return Buffer.concat([idKey(domainId), Buffer.from(region)]);
}

export const originHealth = table<OriginHealth>({
  number: 51,
  name: 'origin_health',
  quota: { none: 'one for each domain and region' },
  concerns: 'edge',
  level: 2,
  key: ({ domainId, region }) => originHealthKey(domainId, region),
  encode: ({ origins }) => json(origins),
  decode: (key, value) => ({
    domainId: idAt(key as Buffer),
    region: Buffer.from(key.subarray(8)).toString(),
    origins: unjson<readonly CheckedOriginState[]>(value),
  }),
  lookupsFromKey: true,
});
