/** Marks the names that the old provider proxied. */
import type { ApiClient, Json } from '../base/client.ts';
import type { Domain } from '../base/domains.ts';
import { recordPages, sendBatch } from '../domain/records.ts';

/** Types whose names are proxied. */
const WEB_TYPES = new Set(['A', 'AAAA', 'CNAME', 'ALIAS']);
/** Maximum number of changes in one batch of the API. */
const MAX_BATCH = 10_000;

/** Returns the number of records that are changed, or would be. Throws ApiError. */
export async function applyProxied(
  api: ApiClient,
  domain: Domain,
  proxied: ReadonlyMap<string, boolean> | undefined,
  { dryRun }: { readonly dryRun: boolean },
): Promise<number> {
  if (proxied === undefined || proxied.size === 0) return 0;
  const changed: Json[] = [];
  for await (const page of recordPages(api, domain, {}))
    for (const { id, name, type, content, ttl, proxied: before } of page) {
      const wanted = WEB_TYPES.has(String(type)) ? proxied.get(String(name).toLowerCase()) : undefined;
      if (wanted !== undefined && wanted !== before) changed.push({ id, name, type, content, ttl, proxied: wanted });
    }
  if (!dryRun)
    for (let i = 0; i < changed.length; i += MAX_BATCH)
      await sendBatch(api, domain, { put: changed.slice(i, i + MAX_BATCH) });
  return changed.length;
}
