/** Keeps a domain from being deleted while its parent zone has a DS record. */
import { StateError } from '../../../core/base/errors.ts';
import { formatHost, type Name } from '../../../core/dns/wire/name.ts';
import type { Domain } from '../../../core/store/rows.ts';
import { lookAtParent, noteResult, readSignedZone } from '../../../core/upkeep/signing/store-zone.ts';
import type { Services } from '../../change/services.ts';
import { nowSeconds } from '../../http/time.ts';

/**
 * Throws StateError `dnssec_ds_present` if the parent of a signed zone has a DS record. If the
 * query fails, the last result counts.
 */
export async function requireNoDs({ reader, publicParent }: Services, domain: Domain): Promise<void> {
  const zone = readSignedZone(reader, domain);
  if (zone === null) return;
  const now = nowSeconds();
  const look = await lookAtParent(reader, publicParent, domain, now);
  const { parent } = noteResult(zone, domain.apex, look, now).state;
  if (parent?.sets.some((set) => set.length > 0) === true)
    throw dsPresent(
      domain.apex,
      'Validating resolvers will reject the domain wherever it moves. Disable DNSSEC first, or delete with force=true.',
    );
}

export const dsPresent = (apex: Name, next: string): StateError =>
  new StateError('dnssec_ds_present', `The parent zone has a DS record for ${formatHost(apex)}. ${next}`);
