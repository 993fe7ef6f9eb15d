/** Health check results of a domain's origins in a region. Only changes are written. */
import { type Id, idAt, idKey } from '../keys.ts';
import { json, table, unjson } from './table.ts';

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
