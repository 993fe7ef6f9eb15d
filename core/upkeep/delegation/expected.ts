/** The nameservers that the parent zone of a domain should have. */

import { formatHost, nameAt } from '../../dns/wire/name.ts';
import { TYPE } from '../../dns/wire/types.ts';
import type { Reader } from '../../store/reader.ts';
import type { Domain } from '../../store/rows.ts';

/**
 * `nameservers`: of the settings; a domain that keeps the apex of a zone file has its own, and a
 * secondary zone has those of its primary.
 */
export function expectedNameservers(reader: Reader, domain: Domain, nameservers: readonly string[]): readonly string[] {
  // Nobody asks for a catalog, so it needs no delegation.
  if (domain.kind === 'catalog') return [];
  if (domain.kept === null && domain.kind !== 'secondary') return nameservers;
  const own = reader.recordsAt(domain.id, domain.apex).filter(({ type }) => type === TYPE.NS);
  return own.length === 0 ? nameservers : own.map(({ rdata }) => formatHost(nameAt(rdata, 0)));
}
