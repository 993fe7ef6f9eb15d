/** Zones as PowerDNS shows them. */
import type { Domain } from '../../core/store/rows.ts';
import type { Services } from '../change/services.ts';
import { dotted, zoneIdOf, zoneUrl } from './zone-id.ts';

/** The fields of a zone in lists. */
export function describeZone(_services: Services, domain: Domain) {
  const id = zoneIdOf(domain.apex);
  return { id, name: dotted(domain.apex), url: zoneUrl(id), kind: 'Native' };
}
