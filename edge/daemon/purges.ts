/** Applies purges of the journal to the cache of this node. */
import type { Journal } from '../../core/journal/journal.ts';
import type { Environment } from '../../core/store/environment.ts';
import { type Purge, purges } from '../../core/store/rows.ts';
import type { Cache } from '../cache/store/cache-store.ts';
import type { PurgePositions } from '../peers/shared-marks.ts';

/**
 * Applies new purges before the API responds to their requests. Also applies stored purges that
 * this node missed while it was down, and resolves when those are applied.
 */
export async function watchPurges(
  environment: Environment,
  journal: Journal,
  cache: Pick<Cache, 'purge'>,
  positions?: PurgePositions,
): Promise<void> {
  journal.onEdge((changes) => {
    // `head` is already the end of the group.
    if (changes.purges.length > 0) positions?.announce(journal.head);
    for (const purge of changes.purges) void cache.purge(asText(purge), String(purge.id));
  });
  for (const { key, value } of environment.rows.get(purges.number)?.getRange({}) ?? []) {
    const purge = purges.decode(key, value);
    // An old purge does not prefetch: the next request fetches the response.
    await cache.purge({ ...asText(purge), prefetch: false }, String(purge.id));
  }
  if (positions === undefined) return;
  positions.announce(journal.head);
  positions.complete(journal.head);
  // For each group, onApplied runs after onEdge.
  journal.onApplied(() => positions.complete(journal.head));
}

/** The cache stores domain ids as text. */
const asText = (purge: Purge) => ({ ...purge, domainId: String(purge.domainId) });
