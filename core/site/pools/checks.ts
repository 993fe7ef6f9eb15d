/** The checked origins of a document: each combination of origin and check settings once. */
import { createHash } from 'node:crypto';
import {
  type CompleteHealthCheck,
  healthOf,
  type OriginsDocument,
  type OriginsEntry,
  originKey,
  type PoolOrigin,
} from './document.ts';

export interface CheckedOrigin {
  readonly key: string;
  readonly entry: OriginsEntry;
  readonly origin: PoolOrigin;
  readonly check: CompleteHealthCheck;
}

export function checkedOrigins({ origins }: OriginsDocument): CheckedOrigin[] {
  const found = new Map<string, CheckedOrigin>();
  for (const entry of origins) {
    const check = healthOf(entry);
    if (check === null) continue;
    for (const origin of entry.pool) {
      const key = healthKey(entry, origin);
      found.set(key, { key, entry, origin, check });
    }
  }
  return [...found.values()];
}

/**
 * The key of the health state of an origin. Entries with the same check settings share the state.
 */
export const healthKey = (entry: OriginsEntry, origin: PoolOrigin): string => `${originKey(origin)} ${wayOf(entry)}`;

const ways = new WeakMap<OriginsEntry, string>();

/** A hash of the settings that a check depends on, without the origin. */
function wayOf(entry: OriginsEntry): string {
  let way = ways.get(entry);
  if (way === undefined) {
    const { host, server_name, version, client_certificate, ca, pins } = entry;
    const parts = [healthOf(entry), host, server_name, version, client_certificate?.certificate, ca, pins];
    way = createHash('sha256').update(JSON.stringify(parts)).digest('base64url').slice(0, 12);
    ways.set(entry, way);
  }
  return way;
}
