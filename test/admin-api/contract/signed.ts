/** Signed and secondary zones of the contract suites, in the state that a request needs. */

import { write } from '../../../core/journal/draft/draft.ts';
import { nextPiece } from '../../../core/journal/signing/progress.ts';
import { type DnssecState, dnssec, domains, newSecondary, secondaries } from '../../../core/store/rows.ts';
import { readSignedZone, storeSignedZone } from '../../../core/upkeep/signing/store-zone.ts';
import { APEX, type Daemon } from '../daemon.ts';
import { FOREIGN_KEY } from './sample.ts';
import { succeeded, type World, type Zone } from './world.ts';

/** Signs all names, as the background task would. */
export async function finishSigning({ environment, journal }: Daemon, domainId: number): Promise<void> {
  for (let isBusy = true; isBusy; )
    isBusy = (
      await write(environment, journal, 'dnssec', (draft) => {
        const row = draft.dnssec(domainId);
        if (row?.progress === undefined) return false;
        const next = nextPiece(environment, draft.domain(domainId)!.apex, row, { listed: 1000, signed: 1000 });
        if (next === null) draft.delete(dnssec, row);
        else draft.put(dnssec, next);
        return true;
      })
    ).result;
}

/** Changes the state of a signed zone, as time and the parent would. */
export async function setState(daemon: Daemon, domainId: number, changes: Partial<DnssecState>): Promise<void> {
  const { environment, journal } = daemon;
  await finishSigning(daemon, domainId);
  await write(environment, journal, '1', (draft) => {
    const domain = draft.domain(domainId)!;
    const { row, state } = readSignedZone(draft, domain)!;
    const changed = { ...state, ...changes };
    const { phase } = changed;
    const parent = phase === 'signing' ? 'none' : phase === 'removing_ds' ? 'delete' : 'publish';
    storeSignedZone(draft, domain, { row: { ...row, parent }, state: changed }, APEX.nameservers, 0);
  });
}

/** Signs a zone; it waits for its DS record. */
export async function sign({ daemon }: World, zone: Zone): Promise<void> {
  succeeded(await zone.client.put(`${zone.path}/dnssec`, { enabled: true }));
  await setState(daemon, zone.id, { phase: 'awaiting_ds', servedSince: 1, hasRequestedDs: true });
}

/** Turns a zone into a secondary, as if it had been created so. */
async function makeSecondary({ daemon: { environment, journal } }: World, { id }: Zone): Promise<void> {
  await write(environment, journal, '1', (draft) => {
    draft.put(domains, { ...draft.domain(id)!, kind: 'secondary' });
    draft.put(secondaries, newSecondary(id));
  });
}

/**
 * Prepares a zone for a request to an endpoint of DNSSEC, or of secondary zones. Returns the id of
 * a foreign key.
 */
export async function prepareZone(world: World, zone: Zone, endpoint: string): Promise<number | null> {
  if (/\/(primaries|transfer)$/.test(endpoint)) await makeSecondary(world, zone);
  if (endpoint.includes('/domains/deleted/')) succeeded(await zone.client.delete(zone.path));
  if (!endpoint.includes('/dnssec/')) return null;
  await sign(world, zone);
  if (endpoint.endsWith('/cancel')) succeeded(await zone.client.post(`${zone.path}/dnssec/rollover`, {}));
  if (!endpoint.startsWith('DELETE')) return null;
  const { body } = succeeded(await zone.client.post(`${zone.path}/dnssec/foreign-keys`, { dnskey: FOREIGN_KEY }));
  return Number(body.foreign_key.id);
}
