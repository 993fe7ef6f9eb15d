/** The nameservers that the parent zone of a domain should have. */

import { formatHost, nameAt } from '../../dns/wire/name.ts';
import { TYPE } from '../../dns/wire/types.ts';
import type { Reader } from '../../store/reader.ts';
import type { Domain } from '../../store/rows.ts';

/**
 * `nameservers`: of the settings. Domains that keep the apex of a zone file, and secondary zones,
 * use their NS records instead.
 */
export function expectedNameservers(reader: Reader, domain: Domain, nameservers: readonly string[]): readonly string[] {
  // Resolvers do not query catalogs, so they need no delegation.
  if (domain.kind === 'catalog') return [];
  if (domain.kept === null && domain.kind !== 'secondary') return nameservers;
  const own = reader.recordsAt(domain.id, domain.apex).filter(({ type }) => type === TYPE.NS);
  return own.length === 0 ? nameservers : own.map(({ rdata }) => formatHost(nameAt(rdata, 0)));
}
