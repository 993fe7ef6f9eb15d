/**
 * The origins document of a domain: pools of origins for host names and path prefixes. The fields
 * have the names of the API.
 */

export interface OriginsDocument {
  readonly origins: readonly OriginsEntry[];
}

export interface OriginsEntry {
  /**
   * Relative to the domain: `@` is the apex, `*.dev` every name below `dev`. Default: `*`, every
   * name.
   */
  readonly name?: string | null;
  /** A prefix of whole segments. Default: `/`. */
  readonly path?: string | null;
  /**
   * The target of rules of type `origin`. An entry with a label but no name and path serves only
   * requests of these rules.
   */
  readonly label?: string | null;
  readonly pool: readonly PoolOrigin[];
  /** Null or omitted: the origins are not checked. */
  readonly health?: HealthCheck | null;
  /** Null: no origin is ejected. Omitted: the defaults. */
  readonly ejection?: EjectionRule | null;
  readonly sticky?: StickyRule | null;
  readonly retries?: RetryRule | null;
  /**
   * Whether stale responses from the cache are served while all origins are down. Default: true.
   */
  readonly stale_when_down?: boolean;
  /** The Host field. Default: the authority that the visitor requested. */
  readonly host?: string | null;
  /** The server name for SNI and verification. */
  readonly server_name?: string | null;
  readonly version?: '1.1' | '2' | 'h2c';
  readonly client_certificate?: DocumentCertificate | null;
  /** PEM of certificate authorities that replace the public ones. */
  readonly ca?: string | null;
  /** SHA-256 of public keys in base64. */
  readonly pins?: readonly string[] | null;
  /** Timeout in seconds for a connection with its TLS handshake. */
  readonly connect_timeout?: number | null;
  /** Timeout in seconds from the end of the request to the head of the response. */
  readonly response_timeout?: number | null;
}

export interface PoolOrigin {
  /** An address or a host name. */
  readonly origin: string;
  /** Default: 443, or 80 for http. */
  readonly port?: number;
  /** Default: http for port 80, otherwise https. */
  readonly protocol?: 'http' | 'https';
  /** 0: the origin gets no new visitors. Default: 1. */
  readonly weight?: number;
}

/** A client certificate. The key is encrypted before it is stored, and never returned. */
export interface DocumentCertificate {
  readonly certificate: string;
  readonly private_key?: string;
  /** In base64. */
  readonly sealed_key?: string;
}

interface HealthCheck {
  /** Default: `/`. */
  readonly path?: string;
  /** The expected status. Omitted: any of 200 to 399. */
  readonly status?: number | null;
  /** Seconds between two checks of an origin. */
  readonly interval?: number;
  /** Seconds. */
  readonly timeout?: number;
  /** Consecutive successes after which an origin that is down is up. */
  readonly rise?: number;
  /** Consecutive failures after which an origin is down. */
  readonly fall?: number;
}

export interface EjectionRule {
  /** Consecutive failures after which an origin is ejected. */
  readonly failures?: number;
  /** Percentage of failed requests in a window at which an origin is ejected. */
  readonly error_rate?: number;
  /** Minimum number of requests in a window for `error_rate` to apply. */
  readonly min_requests?: number;
  /** Seconds; doubled for each further ejection. */
  readonly duration?: number;
}

interface StickyRule {
  readonly by: 'cookie' | 'client';
  /** The name of the cookie. */
  readonly cookie?: string;
  /** Lifetime of the cookie in seconds. Omitted: until the browser closes. */
  readonly max_age?: number | null;
}

interface RetryRule {
  /** Maximum number of attempts of a request, including the first. */
  readonly attempts?: number;
  /** Retries as a percentage of requests. */
  readonly budget?: number;
}

export const LIMITS = {
  entries: 100,
  pool: 32,
  /** Maximum number of checked origins in a document. */
  checked: 64,
  weight: 1000,
  interval: { least: 2, most: 3600 },
  timeout: { least: 1, most: 60 },
  threshold: 20,
  attempts: 5,
  connectTimeout: 60,
  responseTimeout: 600,
  pathLength: 1024,
  pins: 10,
  pem: 65_536,
} as const;

export const EVERY_NAME = '*';

/** The defaults; the documentation and the API list them too. */
export const DEFAULTS = {
  health: { path: '/', status: null, interval: 10, timeout: 5, rise: 2, fall: 3 },
  ejection: { failures: 5, error_rate: 50, min_requests: 20, duration: 30 },
  sticky: { cookie: 'waypost_origin', max_age: null },
  retries: { attempts: 3, budget: 20 },
} as const;

/** The port of an origin, by the same rule as for the single origin of a domain. */
export function portOf({ port, protocol }: PoolOrigin): number {
  return port ?? (protocol === 'http' ? 80 : 443);
}

/** Undefined: neither `protocol` nor `port` determines it. */
export function protocolOf({ port, protocol }: PoolOrigin): 'http' | 'https' | undefined {
  if (protocol !== undefined) return protocol;
  if (port === undefined || port === 443) return 'https';
  return port === 80 ? 'http' : undefined;
}

/** Identifies an origin in a document, for checks and ejection. */
export function originKey(origin: PoolOrigin): string {
  return `${protocolOf(origin) ?? 'https'}://${origin.origin.toLowerCase()}:${portOf(origin)}`;
}

/** Null: the origins are not checked. */
export function healthOf({ health }: OriginsEntry): CompleteHealthCheck | null {
  return health == null ? null : { ...DEFAULTS.health, ...withoutUndefined(health) };
}

/** Null: ejection is off. */
export function ejectionOf({ ejection }: OriginsEntry): Required<EjectionRule> | null {
  return ejection === null ? null : { ...DEFAULTS.ejection, ...withoutUndefined(ejection ?? {}) };
}

export function retriesOf({ retries }: OriginsEntry): Required<RetryRule> {
  return { ...DEFAULTS.retries, ...withoutUndefined(retries ?? {}) };
}

export interface CompleteHealthCheck {
  readonly path: string;
  readonly status: number | null;
  readonly interval: number;
  readonly timeout: number;
  readonly rise: number;
  readonly fall: number;
}

/** An entry with all defaults, as it is stored. */
export interface CompleteEntry extends OriginsEntry {
  readonly name: string | null;
  readonly path: string | null;
  readonly label: string | null;
  readonly pool: readonly Required<PoolOrigin>[];
  readonly health: CompleteHealthCheck | null;
  readonly ejection: Required<EjectionRule> | null;
  readonly sticky: Required<StickyRule> | null;
  readonly retries: Required<RetryRule>;
  readonly stale_when_down: boolean;
  readonly host: string | null;
  readonly server_name: string | null;
  readonly version: '1.1' | '2' | 'h2c';
  readonly client_certificate: DocumentCertificate | null;
  readonly ca: string | null;
  readonly pins: readonly string[] | null;
  readonly connect_timeout: number | null;
  readonly response_timeout: number | null;
}

/** Adds all defaults to a valid entry. */
export function completeEntry(entry: OriginsEntry): CompleteEntry {
  const { name, path, label = null, sticky } = entry;
  const isForRules = label !== null && name == null && path == null;
  return {
    name: isForRules ? null : (name ?? EVERY_NAME).toLowerCase(),
    path: isForRules ? null : (path ?? '/'),
    label,
    pool: entry.pool.map((origin) => ({
      origin: origin.origin,
      port: portOf(origin),
      protocol: protocolOf(origin) ?? 'https',
      weight: origin.weight ?? 1,
    })),
    health: healthOf(entry),
    ejection: ejectionOf(entry),
    sticky: sticky == null ? null : { ...DEFAULTS.sticky, ...withoutUndefined(sticky) },
    retries: retriesOf(entry),
    stale_when_down: entry.stale_when_down ?? true,
    host: entry.host ?? null,
    server_name: entry.server_name ?? null,
    version: entry.version ?? '1.1',
    client_certificate: entry.client_certificate ?? null,
    ca: entry.ca ?? null,
    pins: entry.pins ?? null,
    connect_timeout: entry.connect_timeout ?? null,
    response_timeout: entry.response_timeout ?? null,
  };
}

function withoutUndefined<T extends object>(value: T): { [K in keyof T]-?: Exclude<T[K], undefined> } {
  return Object.fromEntries(Object.entries(value).filter(([, item]) => item !== undefined)) as {
    [K in keyof T]-?: Exclude<T[K], undefined>;
  };
}
