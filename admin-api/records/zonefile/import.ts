/** PUT of a master file: all records of a domain are replaced in one commit. */
import { ChangeWriter } from '../../../core/journal/changes.ts';
import { type Draft, write } from '../../../core/journal/draft.ts';
import { type Domain, domains } from '../../../core/store/rows.ts';
import { parentName } from '../../../core/wire/name.ts';
import { ownedDomain, requireMatch } from '../../domains/owned.ts';
import { deleteRecords } from '../../domains/service.ts';
import type { Caller } from '../../http/app.ts';
import { HttpError } from '../../http/errors.ts';
import { nowSeconds } from '../../http/time.ts';
import type { Services } from '../../services.ts';
import type { Target } from '../service.ts';
import type { PreparePool } from './pool.ts';

/** Throws HttpError 422 `invalid_zonefile` with a detail for each bad line, 404 and 412. */
export async function importZone(
  services: Services,
  pool: PreparePool,
  caller: Caller,
  { domainId, ifMatch }: Target,
  bytes: Uint8Array,
  keepApex: boolean,
): Promise<{ domain: Domain; count: number; sequence: number }> {
  const { environment, journal, reader, zoneSettings, turns } = services;
  const { apex } = ownedDomain(reader, caller, domainId);
  const prepared = await pool.prepare({ bytes, domainId, apex, keepApex, zoneSettings, now: nowSeconds() });
  if (!prepared.ok) {
    const { errors } = prepared;
    const others = errors.length > 1 ? ` There are ${errors.length} faults in all.` : '';
    throw new HttpError(
      422,
      'invalid_zonefile',
      `Line ${errors[0].line}: ${errors[0].message}${others} Nothing was changed.`,
      {
        details: errors,
      },
    );
  }
  const commit = () =>
    write(environment, journal, caller.account.id, (draft) => {
      const old = ownedDomain(draft, caller, domainId);
      requireMatch(services, draft, old, ifMatch);
      const changes = new ChangeWriter();
      deleteRecords(services, draft, old, changes);
      const domain: Domain = { ...old, kept: prepared.kept };
      if (old.kept !== null || prepared.kept !== null)
        changes.put(domains.number, domains.key(domain), domains.encode(domain));
      draft.append(changes.content);
      draft.append(Buffer.from(prepared.changes.buffer, prepared.changes.byteOffset, prepared.changes.length));
      if (!hasNeighbours(draft, domain)) draft.compiled = { domainId, nodes: prepared.nodes };
      return domain;
    });
  // Beside steady writers to the domain it would never come to its commit.
  const { result, sequence } = await turns.exclusive(domainId, commit);
  return { domain: result, count: prepared.count, sequence };
}

/** Whether a domain of ours lies above or below: then some names are answered otherwise than by this zone alone. */
function hasNeighbours(draft: Draft, { apex }: Domain): boolean {
  for (let above = parentName(apex); above.length > 1; above = parentName(above))
    if (draft.domainByApex(above) !== undefined) return true;
  return draft.domainsBelow(apex, 1).length > 0;
}
