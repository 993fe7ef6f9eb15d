/**
 * The origins document of a domain: pools of origins for host names and path prefixes. Its types
 * follow from the schema, and its fields have the names of the API.
 */
import type { Static } from '@sinclair/typebox';
import { DocumentKind } from '../document-kind.ts';
import { DEFAULTS, EVERY_NAME } from './limits.ts';
import type { entryBody, entryView } from './schema.ts';

export interface OriginsDocument {
  readonly origins: readonly OriginsEntry[];
}

/** The content is stored with all defaults. */
export const ORIGINS = new DocumentKind<{ readonly origins: readonly CompleteEntry[] }, 'origins'>('origins', {
  origins: [],
});

/** Omitted fields have their defaults. */
export type OriginsEntry = Omit<Static<typeof entryBody>, 'client_certificate'> & {
  readonly client_certificate?: DocumentCertificate | null;
};

/** An entry with all defaults, as it is stored. */
export type CompleteEntry = Omit<Static<typeof entryView>, 'client_certificate'> & {
  readonly client_certificate: DocumentCertificate | null;
};

/** A client certificate. The key is encrypted before it is stored, and never returned. */
export type DocumentCertificate = NonNullable<Static<typeof entryBody>['client_certificate']> & {
  /** In base64. */
  readonly sealed_key?: string;
};

export type PoolOrigin = OriginsEntry['pool'][number];
export type CompleteHealthCheck = NonNullable<CompleteEntry['health']>;

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
function ejectionOf({ ejection }: OriginsEntry): CompleteEntry['ejection'] {
  return ejection === null ? null : { ...DEFAULTS.ejection, ...withoutUndefined(ejection ?? {}) };
}

function retriesOf({ retries }: OriginsEntry): CompleteEntry['retries'] {
  return { ...DEFAULTS.retries, ...withoutUndefined(retries ?? {}) };
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
    balance: entry.balance ?? 'round_robin',
    slow_start: entry.slow_start ?? null,
    sticky: sticky == null ? null : { ...DEFAULTS.sticky, ...withoutUndefined(sticky) },
    retries: retriesOf(entry),
    stale_when_down: entry.stale_when_down ?? true,
    host: entry.host ?? null,
    server_name: entry.server_name ?? null,
    version: entry.version ?? '1.1',
    proxy_protocol: entry.proxy_protocol ?? 'none',
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
