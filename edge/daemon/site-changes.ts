/** From what the journal has applied to what the threads of the edge have to forget. */

import type { Name } from '../../core/dns/wire/name.ts';
import type { Journal } from '../../core/journal/journal.ts';
import type { SitesChanged } from '../sites/sites.ts';

/** Calls `tell` for every group of entries that changes a site, once it can be read. */
export function watchSites(journal: Journal, tell: (changed: SitesChanged) => void): void {
  let apexes: Name[] = [];
  // Runs before onEdge, of the same group.
  journal.onDomain(({ apex }) => void apexes.push(apex));
  journal.onEdge(({ domainIds }) => {
    if (domainIds.size === 0) return;
    tell({ domainIds: [...domainIds], apexes });
    apexes = [];
  });
}
